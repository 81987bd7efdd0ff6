#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "controller/object_client.h"
#include "controller/owner.h"
#include "controller/write_observer.h"
#include "kube/permission.h"

namespace berth::controller {

/// What OwnerKeeper asks of the API server: for the owner by its name, and for the leases by
/// theirs, all in one namespace.
inline constexpr kube::Permission kOwnerPermissions[] = {{"", "configmaps", "get"}};
inline constexpr kube::Permission kOwnedLeasePermissions[] = {
    {"coordination.k8s.io", "leases", "get"}, {"coordination.k8s.io", "leases", "patch"}};

/// Finds out who the owner is, and has Leases that other programs make belong to it. Not
/// thread-safe, but for what `owner` says.
class OwnerKeeper {
 public:
  struct Options {
    std::string namespace_name;
    /// A ConfigMap; empty: nobody owns anything.
    std::string config_map;
    std::vector<std::string> leases;
    /// Asked right before each write.
    std::function<bool()> may_write;
  };

  /// Everything must outlive this.
  OwnerKeeper(Options options, ObjectClient* client, Owner* owner, WriteObserver* observer);

  /// One look, and the writes that follow from it, which the observer is told. The first error of
  /// a look, but for what does not exist: without the ConfigMap there is no owner, and a Lease may
  /// be made later.
  absl::Status Pass();

 private:
  absl::Status LookForOwner();
  absl::Status Adopt(const std::string& lease, const kube::OwnerReference& owner);

  const Options options_;
  ObjectClient* const client_;
  Owner* const owner_;
  WriteObserver* const observer_;
};

}  // namespace berth::controller
