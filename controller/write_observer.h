#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"

namespace berth::controller {

/// What is written.
enum class Write { kNodeLabel, kNudge, kSecret, kCaBundle, kLeaseOwner };

inline constexpr std::size_t kWriteKinds = 5;

/// Told of every write that was tried. Called on several threads.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  /// `object`: "node-1", "ml/train-0". `value`: what was written, or should have been, but nothing
  /// that is secret.
  virtual void OnWritten(Write write, std::string_view object, std::string_view value,
                         const absl::Status& status) = 0;
};

}  // namespace berth::controller
