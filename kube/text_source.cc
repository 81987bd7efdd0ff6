#include "kube/text_source.h"

#include <cerrno>
#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace berth::kube {
namespace {

constexpr std::size_t kMaxFile = std::size_t{16} << 20;

absl::Status CannotRead(const std::string& path) {
  return absl::ErrnoToStatus(errno == 0 ? EIO : errno, fmt::format("cannot read {}", path));
}

}  // namespace

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return CannotRead(path);
  std::string text;
  char buffer[65536];
  while (in.read(buffer, sizeof buffer), in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxFile) {
      return absl::InvalidArgumentError(fmt::format("{}: over {} bytes", path, kMaxFile));
    }
  }
  if (in.bad()) return CannotRead(path);
  return text;
}

absl::StatusOr<std::string> TextSource::Read() const {
  if (path_.empty()) return text_;
  return ReadWholeFile(path_);
}

}  // namespace berth::kube
