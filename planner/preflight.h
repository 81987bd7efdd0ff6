#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/past_status.h"
#include "model/resources.h"
#include "model/time.h"
#include "planner/config.h"

namespace berth::planner {

/// A node of a gang, and what the pods of the gang that are nominated there ask for together. A
/// plain value.
struct PreflightPlace {
  std::string node;
  /// Of the node; empty if the view has none.
  std::string node_uid;
  model::Resources requests;

  friend bool operator==(const PreflightPlace&, const PreflightPlace&) = default;
};

/// A gang that holds its nodes and would be released now. A plain value.
struct PreflightRequest {
  /// "<namespace>/<name>".
  std::string gang;
  /// Equal for the same pods on the same nodes, in all processes.
  std::uint64_t run = 0;
  /// How long ago the round of planning before this one was.
  std::chrono::steady_clock::duration pace = {};
  /// What its pods say; see model::Gang::preflight.
  std::optional<bool> said = {};
  /// The nodes where its pods ask for accelerators, each once, by the first of their pods.
  std::vector<PreflightPlace> places = {};
};

/// What a gang that asks for its release is told. A plain value.
struct PreflightAnswer {
  enum class Word : std::uint8_t { kGo, kWait, kRest };
  Word word = Word::kGo;
  /// A clause that follows the name of the gang (kWait), or "because" (kRest).
  std::string reason = {};

  friend bool operator==(const PreflightAnswer&, const PreflightAnswer&) = default;
};

/// Asks whether a gang may be released. Called in each round in which it could be.
using AskPreflight = std::function<PreflightAnswer(const PreflightRequest&)>;

/// How far a pod of a preflight is.
enum class PreflightOutcome : std::uint8_t {
  kOpen,
  kPassed,
  /// The container ended by itself with another exit code than 0.
  kFailed,
  /// It ended and tells nothing.
  kNotRun,
};

/// A pod of a preflight as it was read last. A plain value.
struct PreflightPod {
  std::string name;
  std::string uid;
  std::string gang;
  std::uint64_t run = 0;
  std::size_t rank = 0;
  /// status.podIP; empty until kubelet says it.
  std::string address;
  model::Time created = model::kNoTime;
  PreflightOutcome outcome = PreflightOutcome::kOpen;
  /// Of kFailed.
  std::int64_t exit_code = 0;
  /// Of kNotRun: a word of Kubernetes' such as "Evicted"; may be empty.
  std::string reason;

  friend bool operator==(const PreflightPod&, const PreflightPod&) = default;
};

/// How a preflight has ended.
enum class PreflightResult : std::uint8_t {
  kPassed,
  /// It is known on which nodes the fault is.
  kFailed,
  /// It failed, and nobody can say where.
  kUnclear,
  /// It could not run to its end.
  kNotRun,
  /// The gang has other nodes by now, or none, or is gone.
  kDropped,
};
inline constexpr std::size_t kPreflightResults = 5;

/// A word for metrics and the log: "passed", "failed", "unclear", "not_run", "dropped".
std::string_view NameOf(PreflightResult result);

/// The preflights of gangs: before a gang is released, one pod on each of its nodes runs the same
/// program, and all of them together.
///
///   begins -> runs -> concluded -> its pods are gone -> the gang is released, or not
///
/// The pod of the first node comes first. The others begin when its address is known, which they
/// get. It is concluded when all have ended, or after `timeout`; or kSettle after a pod has said
/// that its node is at fault, or could not run to its end, because its peers may wait for it for
/// ever. Then the nodes at fault are known (PlacesAtFault()):
/// - those whose pods have ended with nodeFaultCode;
/// - else, if all pods have ended by themselves, those that failed;
/// - but none if that were more than half of the gang's nodes. What fails everywhere is as likely
///   the program, and one fault makes the peers fail.
///
/// A node at fault gets a condition, and the plan finds another node. If it does not within
/// kMoves, because Berth does not exclude the node, the gang rests. It rests, too, if it is not
/// known where the fault is; WhenUnknown says what follows if the pods told nothing.
///
/// All that has to survive a restart stands in the pods. A leader that starts goes on with those
/// whose gang still has the same nodes, and deletes the others after kForgotten. A preflight of
/// which the first pod is missing, and others are there, begins anew.
///
/// No I/O, no clock. Not thread-safe.
class Preflights {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kSettle{10};
  static constexpr std::chrono::seconds kMoves{10};
  /// How long nobody may ask for a preflight before it is dropped, and for how long a pod that
  /// nobody knows is kept. Where rounds of planning are slow, it is kRounds of them, up to
  /// kMostForgotten.
  static constexpr std::chrono::seconds kForgotten{15};
  static constexpr int kRounds = 3;
  static constexpr std::chrono::seconds kMostForgotten{300};
  /// How long after its timeout a pod that another leader has begun is given up: only its
  /// creationTimestamp tells how old it is, by the clock of the API server, which may differ.
  static constexpr model::Duration kOverdue = model::kClockError + std::chrono::seconds(30);
  /// For how long it is tried to write the conditions of the nodes at fault.
  static constexpr std::chrono::seconds kWrites{60};
  /// How many pods are created or deleted in one step.
  static constexpr std::size_t kMost = 64;

  /// A pod to create. A plain value.
  struct Order {
    std::string gang;
    std::uint64_t run = 0;
    std::size_t rank = 0;
    /// How many pods the preflight has.
    std::size_t size = 0;
    /// Of the pod of rank 0. Empty for itself.
    std::string master;
    PreflightPlace place;
  };
  /// A condition to write. A plain value.
  struct Fault {
    std::string gang;
    std::uint64_t run = 0;
    std::string node;
    std::string node_uid;
    std::int64_t exit_code = 0;
  };
  /// A preflight that has come to its end. A plain value.
  struct Ended {
    std::string gang;
    PreflightResult result = PreflightResult::kDropped;
    /// A clause.
    std::string detail;
    std::size_t nodes = 0;
  };
  /// What to do now. A plain value.
  struct Step {
    std::vector<Order> orders = {};
    std::vector<Fault> faults = {};
    /// In the order in which to delete them. They point into the list of pods.
    std::vector<const PreflightPod*> deletions = {};
    std::vector<Ended> ended = {};
  };

  explicit Preflights(PreflightConfig config) : config_(std::move(config)) {}

  /// See AskPreflight.
  PreflightAnswer Ask(const PreflightRequest& request, Clock::time_point now);

  /// Decides by the pods that there are. `time` is compared with times in the API.
  Step Decide(const std::vector<PreflightPod>& pods, model::Time time, Clock::time_point now);

  /// The condition is written, or never will be: somebody else writes it, or the node is gone.
  void OnWritten(const Fault& fault);

  /// Another controller leads. Forgets everything.
  void Forget();

  /// How many run.
  std::size_t size() const { return runs_.size(); }

 private:
  enum class Phase : std::uint8_t {
    kRuns,
    // It is concluded: conditions are written, and pods deleted.
    kEnds,
    // Its pods are gone.
    kOver,
  };
  using Pods = std::vector<const PreflightPod*>;  // by rank; null: there is none

  struct Run {
    std::uint64_t id = 0;
    std::vector<PreflightPlace> places = {};
    Clock::time_point begun = {};
    Clock::time_point asked = {};
    Phase phase = Phase::kRuns;
    std::size_t passed = 0;
    // The ranks whose pods were there. One that is gone has told nothing.
    std::set<std::size_t> seen = {};
    // The ranks whose pods this process has ordered. `begun` tells how old these are at most.
    std::set<std::size_t> ordered = {};
    // When a pod first ended in a way for which its peers may wait in vain.
    std::optional<Clock::time_point> disturbed = {};
    // What follows is of kEnds and kOver.
    PreflightResult result = PreflightResult::kDropped;
    std::string detail = {};
    Clock::time_point since = {};
    bool told = false;
    // The conditions that are not written yet.
    std::vector<Fault> faults = {};

    bool HasVanished(std::size_t rank, const Pods& pods) const {
      return pods[rank] == nullptr && seen.contains(rank);
    }
  };

  bool Wants(const PreflightRequest& request) const;
  // How long nobody may ask.
  Clock::duration Patience() const;
  PreflightAnswer AnswerOf(const Run& run, Clock::time_point now) const;
  // Returns the pods of the run, and has others of its gang deleted, for which it waits.
  static Pods PodsOf(const Run& run, const std::vector<const PreflightPod*>& of_gang,
                     std::vector<const PreflightPod*>& others);
  void Advance(const std::string& gang, Run& run, const Pods& pods, model::Time time,
               Clock::time_point now, Step& step) const;
  // Takes notice of what the pods have come to.
  void Observe(Run& run, const Pods& pods, Clock::time_point now) const;
  bool HasEnded(const Run& run, const Pods& pods, model::Time time, Clock::time_point now) const;
  void Conclude(const std::string& gang, Run& run, const Pods& pods, Clock::time_point now) const;
  std::string DetailOf(const Run& run, const Pods& pods) const;
  static void End(Run& run, PreflightResult result, std::string detail, Clock::time_point now);
  // Goes on with one that ends.
  static void Finish(const std::string& gang, Run& run, const Pods& pods, Clock::time_point now,
                     Step& step);

  const PreflightConfig config_;
  std::map<std::string, Run> runs_;  // by gang
  // Of the last request.
  Clock::duration pace_ = {};
  // Since when pods are known that belong to no preflight, by UID.
  std::map<std::string, Clock::time_point> strays_;
};

/// The ranks of the places that are at fault; see Preflights. `pods` has one for each rank.
std::vector<std::size_t> PlacesAtFault(const std::vector<const PreflightPod*>& pods,
                                       std::int64_t node_fault_code);

}  // namespace berth::planner
