#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "controller/kept_plan.h"

namespace berth::controller {

/// What the plan keeps for gangs that wait, as far as that is known while this controller leads.
/// Nominator tells it, and KeptWriter writes it on nodes. Thread-safe.
class KeptRooms {
 public:
  /// Returns what is kept; nothing if that was never known since this controller leads.
  std::optional<KeptByNode> Get() const {
    const std::lock_guard guard(mutex_);
    return kept_;
  }

  /// A round has ended that knows what is kept.
  void Set(KeptByNode kept) {
    const std::lock_guard guard(mutex_);
    kept_ = std::move(kept);
  }

  /// Another controller leads.
  void Clear() {
    const std::lock_guard guard(mutex_);
    kept_.reset();
  }

 private:
  mutable std::mutex mutex_;
  std::optional<KeptByNode> kept_;
};

}  // namespace berth::controller
