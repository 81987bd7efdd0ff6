#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checks/check_pod.h"
#include "kube/unreadable_object.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::checks {

/// The pods that wait and may want a node on which a check runs, or is to run.
///
/// A pod wants a node if all of this holds:
/// - it asks for devices of the catalogue, of which the node has enough, whoever uses them;
/// - Berth's policies, its node affinity and its tolerations let it run there;
/// - it is nominated for no other node;
/// - it is not too large to be judged (policies/fit/trimmed_pod.h);
/// - it waits for a scheduler. A pod whose only gate is that of gangs does, because the planner
///   looks for its node; one that somebody else holds back does not;
/// - it has not waited for longer than kPatience, unless its gang waits or it is nominated for the
///   node: a pod that has had so many tries with the node idle lacks something else, such as a
///   volume. kube-scheduler evicts the check for it, should it find what it lacks.
///
/// No I/O, no clock. Not thread-safe.
class Claimants {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long kube-scheduler has for a new pod before a check has to go for it: most pods find
  /// their node in less, and need no check's. A pod that kube-scheduler has refused does not wait.
  static constexpr std::chrono::milliseconds kHeadStart{250};
  /// How long after a check went for a pod none goes for the same pod.
  static constexpr std::chrono::seconds kPerClaim{5};
  /// See above.
  static constexpr std::chrono::minutes kPatience{10};

  /// A node whose check may have to go. A plain value.
  struct Place {
    const model::NodeState* node = nullptr;
    /// By which the caller knows it.
    std::size_t id = 0;
  };
  /// A pod, and the place that it gets. A plain value.
  struct Claim {
    std::size_t place = 0;
    /// "<namespace>/<name>".
    std::string pod;
  };

  /// The pods of checks, which `names` tells from others, want nothing.
  Claimants(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine, Names names);

  /// An unassigned pod, new or changed, as the list-and-watch reports it.
  void Upsert(const model::Pod& pod, Clock::time_point now);
  /// The pod is gone. Has no effect if another pod has its name by now.
  void Remove(const model::Pod& pod);
  /// The pod cannot be read; it waits on as it was last known.
  void Keep(const kube::UnreadableObject& pod);
  /// A full list begins, and has ended: the pods that were not in it are removed.
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// Gives places to pods that want them, at most one to each pod, and counts the pods as served.
  std::vector<Claim> Serve(const model::ClusterView& view, std::vector<Place> places,
                           model::Time time, Clock::time_point now);

  /// Returns whether any pod wants the node, also one that has been served or is new.
  bool Want(const model::ClusterView& view, const model::NodeState& node, model::Time time,
            Clock::time_point now) const;

  /// How many pods wait.
  std::size_t size() const { return waiting_.size(); }

 private:
  // A pod that waits.
  struct Entry {
    model::Pod pod;
    Clock::time_point seen;
    std::optional<Clock::time_point> served;
    std::uint32_t epoch = 0;
  };

  bool IsWaiting(const model::Pod& pod) const;
  // Whether a check may have to go for the pod now.
  bool IsDue(const Entry& entry, Clock::time_point now) const;
  bool HasPatience(const Entry& entry, Clock::time_point now) const;
  // Whether the pod would run on the node if no check did, policies aside.
  bool CouldUse(const Entry& entry, const model::NodeState& node, Clock::time_point now) const;

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const Names names_;
  const std::string check_label_;
  const std::string gang_gate_;
  std::map<std::string, Entry> waiting_;  // by "<namespace>/<name>"
  std::uint32_t epoch_ = 0;               // counts lists
};

}  // namespace berth::checks
