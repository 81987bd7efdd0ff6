#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "kube/api_object.h"

namespace berth::controller {

/// Who owns what the controller makes, as far as is known: it may become known, or become another,
/// at any time. Thread-safe.
class Owner {
 public:
  std::optional<kube::OwnerReference> Get() const {
    const std::lock_guard guard(mutex_);
    return reference_;
  }

  void Set(std::optional<kube::OwnerReference> reference) {
    const std::lock_guard guard(mutex_);
    reference_ = std::move(reference);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<kube::OwnerReference> reference_;
};

}  // namespace berth::controller
