#include <cstdint>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "kube/protobuf.h"

namespace berth::kube {
namespace {

constexpr std::size_t kLengthBytes = 4;

/// `bytes` must have at least four.
std::size_t BigEndian(std::string_view bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

}  // namespace

void WatchFrameSplitter::Append(std::string_view bytes) {
  buffer_.erase(0, position_);
  position_ = 0;
  buffer_.append(bytes);
}

absl::StatusOr<std::optional<std::string_view>> WatchFrameSplitter::Next() {
  const std::string_view rest = std::string_view(buffer_).substr(position_);
  if (rest.size() < kLengthBytes) return std::nullopt;
  const std::size_t length = BigEndian(rest);
  if (length > kMaxFrame) {
    return absl::DataLossError(
        fmt::format("watch: a frame claims {} bytes, more than {}", length, kMaxFrame));
  }
  if (rest.size() - kLengthBytes < length) return std::nullopt;
  position_ += kLengthBytes + length;
  return rest.substr(kLengthBytes, length);
}

}  // namespace berth::kube
