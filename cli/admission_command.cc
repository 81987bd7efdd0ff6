#include <memory>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "config/reader.h"
#include "config/summary.h"
#include "process/admission_server.h"
#include "process/certificates.h"
#include "process/log_level.h"
#include "process/version.h"
#include "server/log.h"
#include "server/signals.h"

namespace berth::cli {

namespace {

using server::Log;
using server::LogLevel;

int ServeUntilSignal(process::ConfigFollower::Options config) {
  // Before the first thread, which would else take the signals.
  server::ShutdownSignals signals;
  const config::WebhookConfig& webhook = config.config.admission;
  auto certificates =
      process::OpenCertificates("admission", webhook.tls, webhook.insecure_loopback);
  if (!certificates.ok()) return Fail("admission", kExitUsage, certificates.status());
  auto server = process::AdmissionServer::Start(std::move(config), *std::move(certificates));
  if (!server.ok()) return Fail("admission", kExitNo, server.status());
  const int signal = signals.Wait();
  Log(LogLevel::kInfo, "draining", {{"signal", signal}});
  const bool answered_all = (*server)->Drain();
  Log(LogLevel::kInfo, "ended", {{"answeredAll", answered_all}});
  return kExitOk;
}

int RunAdmission(const std::string& file) {
  config::ConfigReading reading = config::ReadConfig(file);
  if (!reading.ok()) return Fail(reading.errors);
  server::SetLogLevel(process::LogLevelOf(reading.config.log));
  Log(LogLevel::kInfo, "starting",
      {{"version", process::Version()},
       {"revision", process::Revision()},
       {"configFile", file},
       {"config", config::Summarize(reading.config)}});
  return ServeUntilSignal(
      {.file = file, .text = std::move(reading.text), .config = std::move(reading.config)});
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
