#include <memory>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/serve.h"
#include "config/reader.h"
#include "process/admission_server.h"

namespace berth::cli {

namespace {

int RunAdmission(const std::string& file) {
  config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  return Serve("admission", file, std::move(reading), process::AdmissionServer::Start);
}

}  // namespace

void AddAdmissionCommand(Command berth) {
  Command admission = berth.AddCommand(
      "admission", "Answer the API server's admission reviews until SIGTERM or SIGINT");
  const auto file = std::make_shared<std::string>();
  admission.AddOption("--config", *file, "The configuration; see `berth config defaults`")
      .Required();
  admission.Run([file] { return RunAdmission(*file); });
}

}  // namespace berth::cli
