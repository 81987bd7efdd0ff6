#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace berth::controller {

/// What is written.
enum class Write { kNodeLabel, kNudge };

/// Told of every write that was tried. Called on several threads.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  /// `object`: "node-1", "ml/train-0". `value`: what was written, or should have been.
  virtual void OnWritten(Write write, std::string_view object, std::string_view value,
                         const absl::Status& status) = 0;
};

}  // namespace berth::controller
