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
#include "policies/scheduling/reason.h"

namespace berth::policies::scheduling {

/// The best score that one policy gives.
inline constexpr std::uint16_t kMaxScore = 1000;

/// What one policy says of one node.
struct Verdict {
  bool fits = true;
  /// How good the node is, 0..kMaxScore. Meaningless where it does not fit.
  std::uint16_t score = kMaxScore;
  /// Whether it comes behind every node of which no policy says so, whatever the scores.
  bool last = false;
  /// Why it does not fit, or why its score is low or it comes last; kNoReason where there is
  /// nothing to say.
  ReasonId reason = kNoReason;
  /// When what `reason` names began, or kNoTime.
  model::Time since = model::kNoTime;
  /// The first moment at which time alone may change this verdict.
  model::Time valid_until = model::kForever;
};

/// A policy prepared for one pod at one moment. Thread-compatible.
class NodeEvaluator {
 public:
  virtual ~NodeEvaluator() = default;

  /// Judges one node. No I/O, no clock.
  virtual Verdict Evaluate(const model::NodeState& node) const noexcept = 0;

  /// What of the view, besides the node that is judged, the verdicts depend on, as text. Of a pod
  /// of the same shape at the same time, evaluators with the same text say the same of a node.
  virtual std::string ViewKey() const { return {}; }
};

/// The policy does not care about this pod.
struct NoOpinion {};

/// No node will do for this pod, whatever its state.
struct RefusedEverywhere {
  ReasonId reason = kNoReason;
};

using Preparation = std::variant<NoOpinion, RefusedEverywhere, std::unique_ptr<NodeEvaluator>>;

/// What a policy is made from, besides its own config. Lives as long as the policy.
struct PolicyContext {
  const model::AcceleratorCatalog& catalog;
  /// Prefix of Berth's labels and annotations, "berth.dev".
  const std::string& prefix;
  /// Where the policy interns its reasons while it is made.
  ReasonTable& reasons;
};

/// One way to judge nodes for pods that ask for accelerators. Immutable once made, so thread-safe.
///
/// Besides this interface a policy has, for the list in policies.h:
///   static constexpr std::string_view kName        its key under scheduling.policies
///   static constexpr std::int32_t kDefaultWeight   of its score in the sum
///   static constexpr std::string_view kConfigKey   its block in the configuration, "" for none
///   struct Config                                  with VisitFields and Validate beside it
///   a constructor from (const PolicyContext&, const Config&)
class SchedulingPolicy {
 public:
  virtual ~SchedulingPolicy() = default;

  /// Prepares for `pod`, which asks for at least one resource of the catalogue, as of `now`. `view`
  /// is not kept: it may change after the call. Of the pod only what judgements are remembered by
  /// may be read (SchedulingEngine::ShapeOf): how much it asks for of the catalogue's resources,
  /// whether it asks for others, its tolerations, and the annotations of Annotations().
  virtual Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                              model::Time now) const = 0;

  /// The full names of the annotations that Prepare reads.
  virtual std::vector<std::string> Annotations() const { return {}; }
};

/// The resources of the catalogue that `pod` asks for, ascending.
std::vector<model::Resources::Entry> AcceleratorRequests(const model::Pod& pod,
                                                         const model::AcceleratorCatalog& catalog);

/// The config of a policy that has none.
struct NoConfig {};

template <typename Visitor>
void VisitFields(Visitor&, NoConfig&) {}

inline std::vector<model::FieldError> Validate(const NoConfig&) { return {}; }

}  // namespace berth::policies::scheduling
