#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/policy_list.h"
#include "policies/scheduling/reason.h"

// The interface of scheduling policies. For each pod that asks for accelerators, the engine calls
// SchedulingPolicy::Prepare() once, and then NodeEvaluator::Evaluate() for each candidate node. The
// first refusal excludes the node; scores are multiplied by the policy's weight and summed.

namespace berth::policies::scheduling {

/// The best score that one policy can give.
inline constexpr std::uint16_t kMaxScore = 1000;

/// The verdict of one policy on one node.
struct Verdict {
  bool fits = true;
  /// How good the node is, 0..kMaxScore. Has no meaning if the node does not fit.
  std::uint16_t score = kMaxScore;
  /// Whether the node comes behind every node for which no policy sets this, whatever the scores.
  bool last = false;
  /// Why the node does not fit, has a low score or comes last; kNoReason if there is nothing to
  /// say.
  ReasonId reason = kNoReason;
  /// When the state that `reason` names began; kNoTime if nobody knows.
  model::Time since = model::kNoTime;
  /// The first moment at which time alone may change this verdict.
  model::Time valid_until = model::kForever;
};

/// A policy, prepared for one pod at one moment. It may refer to its policy and to the catalogue,
/// which must outlive it. Thread-compatible; const functions may run on several threads at the same
/// time.
class NodeEvaluator {
 public:
  virtual ~NodeEvaluator() = default;

  /// Judges one node. Must not do I/O, read a clock or block.
  virtual Verdict Evaluate(const model::NodeState& node) const noexcept = 0;

  /// What the verdicts depend on in the view besides the node itself, as text. For pods of the same
  /// shape at the same time, evaluators with equal texts must give equal verdicts on the same node.
  /// Empty if the verdicts depend on nothing else.
  virtual std::string ViewKey() const { return {}; }
};

/// The policy does not judge nodes for this pod.
struct NoOpinion {};

/// No node is fit for this pod, whatever its state.
struct RefusedEverywhere {
  ReasonId reason = kNoReason;
};

/// What SchedulingPolicy::Prepare decides about a pod.
using Preparation = std::variant<NoOpinion, RefusedEverywhere, std::unique_ptr<NodeEvaluator>>;

/// What a policy is made from, besides its own config. Everything in it outlives the policy.
struct PolicyContext {
  const model::AcceleratorCatalog& catalog;
  /// The prefix of Berth's labels and annotations, "berth.dev".
  const std::string& prefix;
  /// The table in which the policy interns its reasons. Policies write to it only in their
  /// constructors.
  ReasonTable& reasons;
};

/// One way to judge nodes for pods that ask for accelerators. Owned by a SchedulingEngine.
/// Immutable after construction, so thread-safe.
///
/// Besides this interface, the list in policies.h requires of a policy:
///   static constexpr std::string_view kName        its key under scheduling.policies
///   static constexpr std::int32_t kDefaultWeight   default factor of its score in the sum
///   static constexpr std::string_view kConfigKey   its block in the configuration, "" for none
///   static constexpr std::string_view kHelp        describes the policy in the documentation
///   struct Config                                  with VisitFields and Validate beside it
///   a constructor from (const PolicyContext&, const Config&)
class SchedulingPolicy {
 public:
  virtual ~SchedulingPolicy() = default;

  /// Prepares the policy for `pod` as of `now`. The engine calls it only for pods that request at
  /// least one resource of the catalogue. The result must not refer to `view`, which may change
  /// after the call.
  ///
  /// Judgements are kept by the pod's shape (SchedulingEngine::ShapeOf), so Prepare may read no
  /// more of the pod than that: the requested amounts of the catalogue's resources, which other
  /// resources it requests, its tolerations, and the annotations that Annotations() names. What it
  /// reads besides has to be in ViewKey().
  virtual Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                              model::Time now) const = 0;

  /// The full names of the annotations that Prepare reads.
  virtual std::vector<std::string> Annotations() const { return {}; }
};

}  // namespace berth::policies::scheduling
