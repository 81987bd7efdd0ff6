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

/// The rights that OwnerKeeper needs at the API server: for the owner, and for the Leases, each by
/// its name. All are in one namespace.
inline constexpr kube::Permission kOwnerPermissions[] = {{"", "configmaps", "get"}};
inline constexpr kube::Permission kOwnedLeasePermissions[] = {
    {"coordination.k8s.io", "leases", "get"}, {"coordination.k8s.io", "leases", "patch"}};

/// Looks up the owner (see Owner), and makes Leases that other programs create belong to it.
/// Controller owns it, and CertificateKeeper calls it in each round. Not thread-safe; `owner` may
/// be read on any thread.
class OwnerKeeper {
 public:
  /// Who the owner is, and of what.
  struct Options {
    /// Namespace of the ConfigMap and the Leases.
    std::string namespace_name;

    /// Name of the ConfigMap that is the owner. Empty: there is no owner, and Pass() does nothing.
    std::string config_map;
    /// Names of the Leases.
    std::vector<std::string> leases;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
  };

  /// Everything must outlive this.
  OwnerKeeper(Options options, ObjectClient* client, Owner* owner, WriteObserver* observer);

  /// Reads the ConfigMap, then each Lease, and patches the Leases that do not have the owner.
  /// Blocks for one request after the other.
  ///
  /// Returns the first error of reading. It is not an error if an object does not exist: without
  /// the ConfigMap there is no owner, and a Lease may be created later. If the ConfigMap cannot be
  /// read, the former owner stays. Writes and their errors go to the observer only.
  absl::Status Pass();

 private:
  // Sets the owner.
  absl::Status LookForOwner();
  // Makes one Lease belong to the owner.
  absl::Status Adopt(const std::string& lease, const kube::OwnerReference& owner);

  const Options options_;
  ObjectClient* const client_;
  Owner* const owner_;
  WriteObserver* const observer_;
};

}  // namespace berth::controller
