#include "cli/serve.h"

#include <utility>

#include "cli/command.h"
#include "cli/exit_code.h"

namespace berth::cli {

int Serve(std::string_view command, const std::string& file, config::ConfigReading reading,
          const process::StartServer& start) {
  const absl::Status served = process::ServeUntilSignal(
      {.file = file, .text = std::move(reading.text), .config = std::move(reading.config)}, start);
  if (served.ok()) return kExitOk;
  return Fail(command, absl::IsUnavailable(served) ? kExitNo : kExitUsage, served);
}

}  // namespace berth::cli
