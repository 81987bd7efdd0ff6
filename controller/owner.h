#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "kube/api_object.h"

namespace berth::controller {

/// The object that owns what the controller makes (Secrets, its Lease, and other Leases by name),
/// as far as it is known. Kubernetes' garbage collector deletes the owned objects when the owner is
/// gone. OwnerKeeper finds it out; it may become known, or become another one, at any time.
/// Thread-safe.
class Owner {
 public:
  /// Returns the owner; nothing if there is none, or none is known yet.
  std::optional<kube::OwnerReference> Get() const {
    const std::lock_guard guard(mutex_);
    return reference_;
  }

  /// Changes the owner; nothing: there is none.
  void Set(std::optional<kube::OwnerReference> reference) {
    const std::lock_guard guard(mutex_);
    reference_ = std::move(reference);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<kube::OwnerReference> reference_;
};

}  // namespace berth::controller
