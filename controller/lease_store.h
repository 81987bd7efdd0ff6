#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "controller/owner.h"
#include "kube/lease.h"
#include "kube/permission.h"
#include "kube/transport.h"

namespace berth::controller {

/// The Lease that candidates compete for, wherever it is kept. Errors as of kube::CallJson; those
/// that decide are NotFound (it does not exist) and Aborted (somebody else wrote first).
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  virtual absl::StatusOr<kube::Lease> Get() = 0;
  virtual absl::StatusOr<kube::Lease> Create(const kube::LeaseRecord& record) = 0;
  /// Writes what was read, with another record.
  virtual absl::StatusOr<kube::Lease> Update(const kube::Lease& lease) = 0;
};

/// What ApiLeaseStore asks of the API server, in the Lease's namespace.
inline constexpr kube::Permission kLeasePermissions[] = {
    {"coordination.k8s.io", "leases", "create"},
    {"coordination.k8s.io", "leases", "get"},
    {"coordination.k8s.io", "leases", "update"}};

/// At an API server. Not thread-safe.
class ApiLeaseStore final : public LeaseStore {
 public:
  /// `transport` and `owner` must outlive this. Each update makes the Lease belong to the owner, if
  /// there is one; nullptr: there never is.
  ApiLeaseStore(kube::Transport* transport, std::string namespace_name, std::string name,
                const Owner* owner = nullptr);

  absl::StatusOr<kube::Lease> Get() override;
  absl::StatusOr<kube::Lease> Create(const kube::LeaseRecord& record) override;
  absl::StatusOr<kube::Lease> Update(const kube::Lease& lease) override;

 private:
  absl::StatusOr<kube::Lease> Call(kube::HttpMethod method, const std::string& target,
                                   std::string body);

  kube::Transport* const transport_;
  const std::string namespace_;
  const std::string name_;
  const std::string collection_;
  const Owner* const owner_;
};

}  // namespace berth::controller
