#include "yaml/file.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace berth::yaml {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

int KeepOpen(std::FILE*) { return 0; }

File Open(const std::string& name) {
  if (name == kStandardInput) return {stdin, KeepOpen};
  return {std::fopen(name.c_str(), "rbe"), std::fclose};
}

absl::Status SystemError() {
  return absl::NotFoundError(fmt::format("cannot be read: {}", std::strerror(errno)));
}

}  // namespace

std::string DisplayName(const std::string& name) {
  return name == kStandardInput ? "standard input" : name;
}

absl::StatusOr<std::string> ReadFile(const std::string& name, std::size_t max_bytes) {
  const File file = Open(name);
  if (file == nullptr) return SystemError();
  std::string text;
  char chunk[64 * 1024];
  while (const std::size_t count = std::fread(chunk, 1, sizeof(chunk), file.get())) {
    text.append(chunk, count);
    if (text.size() > max_bytes) {
      return absl::ResourceExhaustedError(fmt::format("is longer than {} bytes", max_bytes));
    }
  }
  // A directory can be opened, but not read.
  if (std::ferror(file.get()) != 0) return SystemError();
  return text;
}

}  // namespace berth::yaml
