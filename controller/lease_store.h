#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "controller/owner.h"
#include "kube/lease.h"
#include "kube/permission.h"
#include "kube/transport.h"

namespace berth::controller {

/// Where the Lease is kept for which candidates compete: a seam for tests. Errors are those of
/// kube::CallJson(). LeaderElection decides by two of them: NotFound, the Lease does not exist, and
/// Aborted, somebody else wrote first. Methods block, and are called by one thread.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  /// Returns the Lease as it is now.
  virtual absl::StatusOr<kube::Lease> Get() = 0;

  /// Creates the Lease, and returns it as it was stored. Aborted if it exists already.
  virtual absl::StatusOr<kube::Lease> Create(const kube::LeaseRecord& record) = 0;

  /// Writes `lease`, which was read before and has got another record. Returns it as it was stored.
  /// Aborted if somebody has written since it was read.
  virtual absl::StatusOr<kube::Lease> Update(const kube::Lease& lease) = 0;
};

/// The rights that ApiLeaseStore needs at the API server, in the Lease's namespace.
inline constexpr kube::Permission kLeasePermissions[] = {
    {"coordination.k8s.io", "leases", "create"},
    {"coordination.k8s.io", "leases", "get"},
    {"coordination.k8s.io", "leases", "update"}};

/// Keeps the Lease at an API server. Not thread-safe.
class ApiLeaseStore final : public LeaseStore {
 public:
  /// The Lease has this `name` in this namespace. If `owner` is not null, each Update() adds the
  /// owner that is known then. `transport` and `owner` must outlive this.
  ApiLeaseStore(kube::Transport* transport, std::string namespace_name, std::string name,
                const Owner* owner = nullptr);

  absl::StatusOr<kube::Lease> Get() override;
  absl::StatusOr<kube::Lease> Create(const kube::LeaseRecord& record) override;
  absl::StatusOr<kube::Lease> Update(const kube::Lease& lease) override;

 private:
  // Sends one request, and reads the Lease from its reply.
  absl::StatusOr<kube::Lease> Call(kube::HttpMethod method, const std::string& target,
                                   std::string body);

  kube::Transport* const transport_;
  const std::string namespace_;
  const std::string name_;
  // Path of the namespace's Leases.
  const std::string collection_;
  // Null: the Lease never has an owner.
  const Owner* const owner_;
};

}  // namespace berth::controller
