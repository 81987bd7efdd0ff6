#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "process/version.h"

namespace berth::cli {

namespace {

int Print(const std::string& output) {
  if (output == "json") {
    const nlohmann::ordered_json version = {{"version", process::Version()},
                                            {"revision", process::Revision()},
                                            {"compiler", process::Compiler()}};
    fmt::print("{}\n", version.dump(2));
  } else {
    fmt::print("berth {} (revision {}, {})\n", process::Version(), process::Revision(),
               process::Compiler());
  }
  return kExitOk;
}

}  // namespace

void AddVersionCommand(Command berth) {
  Command version = berth.AddCommand("version", "Print the version, the revision and the compiler");
  const auto output = std::make_shared<std::string>("text");
  version.AddOption("-o,--output", *output, "text or json").OneOf({"text", "json"});
  version.Run([output] { return Print(*output); });
}

}  // namespace berth::cli
