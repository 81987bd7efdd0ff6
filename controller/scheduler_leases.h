#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "controller/lease_store.h"
#include "kube/permission.h"
#include "kube/transport.h"
#include "model/namespaced_name.h"

namespace berth::controller {

/// What SchedulerLeases needs at the API server, for each Lease by its name.
inline constexpr kube::Permission kSchedulerLeasePermissions[] = {
    {"coordination.k8s.io", "leases", "get"}};

/// Which processes of kube-scheduler lead. A plain value.
struct SchedulerTerm {
  /// "<holder>/<transitions>" of each Lease that exists: planner::GangFacts::lease. Empty if none
  /// does, as where leader election is off.
  std::string text = {};
  /// Whether it is known of all Leases who holds them, or that they do not exist. If not, `text` is
  /// as they were last read.
  bool is_certain = true;
};

/// Reads which processes lead of the kube-schedulers for whose pods gangs are planned.
///
/// A kube-scheduler up to 1.36 that starts takes no nominations of gated pods over until these pods
/// change (moveToActiveQ in k8s.io/kubernetes/pkg/scheduler/backend/queue/scheduling_queue.go,
/// v1.36.3). Each of its processes has an identity of its own in the Lease
/// (cmd/kube-scheduler/app/options/options.go), so a nomination that names the holder shows which
/// process it was written for. It reads pods before it competes for the Lease, unless its
/// configuration has delayCacheUntilActive (cmd/kube-scheduler/app/server.go).
///
/// Not thread-safe.
class SchedulerLeases {
 public:
  /// `leases` as in `planner.gangs.schedulerLeases`. `transport` must outlive this.
  SchedulerLeases(const std::vector<model::NamespacedName>& leases, kube::Transport* transport);

  /// Reads each Lease, one request after the other. Logs when a Lease is missing or cannot be read,
  /// and when it can be read again. That one is missing is believed when the API server has said so
  /// kBelieved times in a row: one that starts may say so, too, and the holder of a Lease that
  /// somebody deletes creates it again at once.
  SchedulerTerm Read();

  static constexpr std::size_t kBelieved = 3;

 private:
  enum class Fate : std::uint8_t { kRead, kMissing, kUnreadable };

  struct Known {
    std::string name;  // "<namespace>/<name>"
    ApiLeaseStore store;
    // As it was last read; empty: never, or it is missing.
    std::string term = {};
    // How often in a row the API server said that there is none.
    std::size_t missing = 0;
    Fate fate = Fate::kRead;
  };

  static void Read(Known& known);
  // Logs what has become of the Lease, if that is new.
  static void Report(Known& known, Fate fate, const absl::Status& status);

  std::vector<Known> leases_;
};

}  // namespace berth::controller
