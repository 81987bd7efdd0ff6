#include <absl/status/status.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/man_page.h"
#include "process/version.h"

namespace berth::cli {

namespace {

absl::Status WriteManPages(const CommandSpec& program, const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    return absl::InvalidArgumentError(
        fmt::format("{}: cannot be created: {}", folder, failure.message()));
  }
  for (const auto& [name, text] : ManPagesOf(program, process::Version())) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out) return absl::InternalError(fmt::format("{}: cannot be written", file.string()));
  }
  return absl::OkStatus();
}

}  // namespace

void AddManCommand(Command berth) {
  Command man = berth.AddCommand("man", "Write man pages of all commands into a folder");
  const auto folder = std::make_shared<std::string>();
  man.AddOption("folder", *folder, "Folder for the pages; it is created if it is not there")
      .Required()
      .Completes(Candidates::kFolders);
  man.Footer(
      "The pages say what --help says: berth.1, berth-explain.1 and so on. To read one: man -l "
      "FILE.");
  man.Run([berth, folder] {
    const absl::Status written = WriteManPages(berth.Describe(), *folder);
    return written.ok() ? kExitOk : Fail("man", written);
  });
}

}  // namespace berth::cli
