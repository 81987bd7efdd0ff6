#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace berth::kube {

/// What candidates write into a coordination.k8s.io/v1 Lease, as client-go does it
/// (k8s.io/client-go/tools/leaderelection/resourcelock/leaselock.go).
struct LeaseRecord {
  /// Empty: nobody holds it.
  std::string holder;
  std::chrono::seconds duration{0};
  /// v1.MicroTime, by the holder's clock: for people, nothing is decided by them.
  std::string acquired;
  std::string renewed;
  std::int64_t transitions = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// A Lease of the API server.
struct Lease {
  LeaseRecord record;
  /// Its metadata as JSON text, resourceVersion included: written back as it came.
  std::string metadata;

  friend bool operator==(const Lease&, const Lease&) = default;
};

/// Errors: InvalidArgument.
absl::StatusOr<Lease> LeaseFromJson(std::string_view text);

/// The body of a PUT, which the server refuses where somebody has written since `lease` was read.
std::string LeaseToJson(const Lease& lease);

/// The body of the POST that creates it.
std::string NewLeaseToJson(std::string_view namespace_name, std::string_view name,
                           const LeaseRecord& record);

}  // namespace berth::kube
