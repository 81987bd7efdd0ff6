#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace berth::kube {

/// What candidates write into a coordination.k8s.io/v1 Lease, in the same way as client-go
/// (k8s.io/client-go/tools/leaderelection/resourcelock/leaselock.go). A plain value.
struct LeaseRecord {
  /// The identity of the leader. Empty if there is none.
  std::string holder;
  /// How long others wait after they last saw the Lease change before they take it over.
  std::chrono::seconds duration{0};
  /// When the holder took the Lease over and when it last renewed it: v1.MicroTime by the holder's
  /// clock. They are for people; no decision depends on them.
  std::string acquired;
  std::string renewed;
  /// How often the holder has changed.
  std::int64_t transitions = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// A Lease as read from the API server: its record and what must be written back with it. A plain
/// value. To renew it, change the record and PUT the result:
///
///   absl::StatusOr<Lease> lease = LeaseFromJson(reply);
///   if (!lease.ok()) return lease.status();
///   lease->record.renewed = now;
///   Put(LeaseToJson(*lease));  // Aborted (409) if another candidate was faster
struct Lease {
  LeaseRecord record;
  /// The metadata as JSON text, with resourceVersion. It is written back as it came.
  std::string metadata;

  friend bool operator==(const Lease&, const Lease&) = default;
};

/// Parses a Lease. Returns InvalidArgument if `text` is not JSON, if a field has the wrong type, or
/// if resourceVersion is missing.
absl::StatusOr<Lease> LeaseFromJson(std::string_view text);

/// Returns the body of a PUT. The server rejects it (409) if somebody has written since `lease` was
/// read. `lease.metadata` must be valid JSON.
std::string LeaseToJson(const Lease& lease);

/// Returns the body of the POST that creates a Lease.
std::string NewLeaseToJson(std::string_view namespace_name, std::string_view name,
                           const LeaseRecord& record);

}  // namespace berth::kube
