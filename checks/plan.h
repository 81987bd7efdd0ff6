#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checks/check_pod.h"
#include "checks/claimants.h"
#include "checks/config.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/past_status.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::checks {

/// Decides which checks run where, and which have to go.
///
/// A check begins on a node if all of this holds:
/// - the node is due: never checked, or its condition's heartbeat, which is the time of the last
///   check that told something, is older than `every`, or than `retryEvery` where the check failed;
///   and no check has begun there within `retryEvery`;
/// - the node is Ready, not cordoned and readable, and no pod uses a device of it;
/// - Berth lets pods run there, or the check itself has failed there: then it may take that back;
/// - no pod that waits wants the node, and no other check is there;
/// - the pool's share and kMost leave room.
///
/// What was checked when stands in the nodes' conditions, so another leader goes on with it. It
/// knows nothing of checks that told nothing, and tries these nodes at once.
///
/// Runner owns it. No I/O, no clock. Not thread-safe.
class Plan {
 public:
  using Clock = std::chrono::steady_clock;

  /// The most checks at once, in all pools.
  static constexpr std::size_t kMost = 32;
  /// How long after its deadline a check is given up that no kubelet has ended: it waits for
  /// kube-scheduler, or its node is lost. It counts from when this process began the check or first
  /// saw it. Of those that another leader has begun, the creationTimestamp may say that they are
  /// older, by the clock of the API server: there it is kClockError longer.
  static constexpr std::chrono::seconds kOverdue{30};

  /// From one look for a node to the next, each of which begins one check at most.
  static constexpr std::chrono::seconds kPace{1};
  /// How many nodes that are due are judged at one look, so that looks stay short, and how long
  /// those that no check may begin on are left out of the next looks. After that they come behind
  /// all others, however many they are.
  static constexpr std::size_t kLooks = 20;
  static constexpr std::chrono::seconds kLeftOut{10};

  /// What to do with a pod. A plain value.
  struct Ending {
    /// The place in the list of pods.
    std::size_t pod = 0;
    /// "<namespace>/<name>" of the pod for which it has to go; empty if it is given up.
    std::string for_pod;
    /// Why it is given up: a few words for the log.
    std::string why;
  };
  /// What to do now. A plain value.
  struct Round {
    std::vector<Ending> endings;
    std::optional<Order> order;
  };

  /// `checks` must have passed Validate(), and the catalogue must be that of all views.
  Plan(std::vector<ActiveCheck> checks,
       std::shared_ptr<const policies::scheduling::SchedulingEngine> engine, Names names);

  /// The pods that wait; tell it of them.
  Claimants& claimants() { return claimants_; }

  /// Decides by the checks that are under way. `time` is compared with times in the API, `now` with
  /// that of earlier calls. Only open pods are ended: the others are the caller's.
  Round Decide(const model::ClusterView& view, const std::vector<CheckPod>& pods, model::Time time,
               Clock::time_point now);

  /// Returns the check of that name; null if there is none.
  const ActiveCheck* Find(const std::string& name) const;

  /// The pod of a check was created by this process.
  void OnCreated(const std::string& uid, Clock::time_point now);
  /// A check has begun on the node, or could not, or has told nothing: it is not tried again there
  /// within `retryEvery`, and other nodes come first.
  void OnTried(const std::string& check, const std::string& node, Clock::time_point now);
  /// Somebody else writes the condition there: the check is not tried again within `every`.
  void OnStoodBack(const std::string& check, const std::string& node, Clock::time_point now);

 private:
  // A node that is due. The one that was tried the longest ago comes first, or else the one that
  // was judged or was checked the longest ago: nodes on which no check ever tells anything, or may
  // begin, hold up no others.
  struct Candidate {
    Clock::time_point tried = Clock::time_point::min();
    Clock::time_point judged = Clock::time_point::min();
    model::Time due = model::kNoTime;
    std::size_t check = 0;
    model::NodeIndex node = 0;
    bool failed = false;
  };
  // Names of a check and of a node.
  using Pair = std::pair<std::string, std::string>;
  // By catalogue entry.
  using Counts = std::map<model::AcceleratorCatalog::Index, std::size_t>;

  // Since when this process knows a pod, and whether it has created it.
  struct Acquaintance {
    Clock::time_point since = {};
    bool is_own = false;
  };

  // Takes notice of new pods, and forgets those that are gone.
  void Meet(const std::vector<CheckPod>& pods, Clock::time_point now);
  // Why the pod is to be given up; empty: it is not.
  std::string WhyGivenUp(const model::ClusterView& view, const CheckPod& pod, model::Time time,
                         Clock::time_point now) const;
  std::optional<Order> Next(const model::ClusterView& view, const std::vector<CheckPod>& pods,
                            model::Time time, Clock::time_point now);
  std::vector<Candidate> Due(const model::ClusterView& view, const std::vector<CheckPod>& pods,
                             model::Time time, Clock::time_point now) const;
  // Forgets what does not matter any more.
  void Prune(Clock::time_point now);
  // Returns since when the check has been due on the node; nothing if it is not.
  std::optional<Candidate> DueOn(const ActiveCheck& check, const model::NodeState& node,
                                 model::Time time, Clock::time_point now) const;
  bool Checks(const ActiveCheck& check, const model::NodeState& node) const;
  bool IsIdle(const model::NodeState& node) const;
  // Returns the order for that node; nothing if a pod of the check cannot run there now, or would
  // be in somebody's way.
  std::optional<Order> OrderFor(const Candidate& candidate, const model::ClusterView& view,
                                model::Time time, Clock::time_point now) const;

  const std::vector<ActiveCheck> checks_;
  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const Names names_;
  Claimants claimants_;
  // By the UIDs of pods.
  std::map<std::string, Acquaintance> known_;
  // Until when no check begins: it was tried, or the node would not do.
  std::map<Pair, Clock::time_point> paused_;
  // When it was tried last, and when the node was judged last and would not do; for as long as that
  // matters.
  std::map<Pair, Clock::time_point> tried_;
  std::map<Pair, Clock::time_point> judged_;
  // When to look for a node again.
  Clock::time_point next_look_{};
};

}  // namespace berth::checks
