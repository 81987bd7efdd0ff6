#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/config.h"
#include "policies/scheduling/policy.h"

// The engine of the scheduling policies. A request takes three steps:
// 1. SchedulingEngine::Prepare() asks every policy once about the pod and returns a PreparedPod.
// 2. PreparedPod::Judge() returns one Judgement for each candidate node.
// 3. rank.h and best.h compare the judgements of the nodes that fit.
//
// A caller may remember judgements between requests: under PreparedPod::key(), for a node that has
// not changed, until DatedJudgement::valid_until. Policies have no I/O, no clock and no globals, so
// the engine would make a remembered judgement again, on every replica.

namespace berth::policies::scheduling {

/// The common verdict of all policies on one node. Policies in Observe affect only `would_refuse`.
struct Judgement {
  /// Whether no enforced policy refuses the node.
  bool fits = true;
  /// The reason of the first policy that refuses the node; kNoReason if the node fits.
  ReasonId reason = kNoReason;
  /// Why a policy in Observe would refuse the node. kNoReason if none would, and if the node is
  /// refused anyway. So it shows what enforcing that policy would change.
  ReasonId would_refuse = kNoReason;
  /// Sum over the enforced policies of weight x score; 0 if the node does not fit. Scores are
  /// comparable only within one request.
  std::uint32_t score = 0;
  /// Whether the node comes behind every fitting node without this flag, whatever the scores. Set
  /// by policies with a weight above 0.
  bool last = false;
};

/// A new judgement, with the times that a cache and an explanation need.
struct DatedJudgement : Judgement {
  /// When the state that `reason` names began; kNoTime if nobody knows.
  model::Time since = model::kNoTime;
  /// The first moment at which time alone may change this judgement, provided that the node and
  /// PreparedPod::key() stay the same.
  model::Time valid_until = model::kForever;
};

/// The verdict of one policy, for `berth explain`.
struct PolicyVerdict {
  /// Name of the policy; "engine" for the engine's own verdict on a node in quarantine.
  std::string_view policy;
  Mode mode = Mode::kEnforce;
  /// The configured weight; 0 for the engine's own verdict.
  std::int32_t weight = 0;
  /// What the policy said; its `score` is not yet multiplied by the weight.
  Verdict verdict;
};

/// All policies, prepared for one pod at one moment. Created by SchedulingEngine::Prepare, and
/// movable. Must not outlive its engine. Judge() and JudgeEach() do not change it, so several
/// threads may call them at the same time.
class PreparedPod {
 public:
  /// The common verdict of the policies on `node`. Stops at the first enforced policy that refuses.
  /// Nodes in quarantine are refused with unreadable_node(). Does no I/O and never blocks.
  DatedJudgement Judge(const model::NodeState& node) const noexcept;

  /// The verdicts of the policies one by one, in the order of the list. Policies without an opinion
  /// on the pod are left out. Together with refused_everywhere(), these verdicts determine the
  /// result of Judge().
  std::vector<PolicyVerdict> JudgeEach(const model::NodeState& node) const;

  /// The reason for which no node is fit for the pod, whatever its state; kNoReason if there is
  /// none.
  ReasonId refused_everywhere() const { return refused_everywhere_; }

  /// Identifies the pod's shape and what the policies read of the view. Two prepared pods with
  /// equal keys give equal judgements for the same state of a node at the same time, so judgements
  /// may be kept under this key.
  const std::string& key() const { return key_; }

 private:
  friend class SchedulingEngine;

  // The evaluator of one policy for this pod.
  struct Part {
    std::string_view policy;
    Mode mode;
    std::int32_t weight;
    std::unique_ptr<NodeEvaluator> evaluator;
  };

  // Policies without an opinion have no part.
  std::vector<Part> parts_;
  ReasonId refused_everywhere_ = kNoReason;
  /// Reason to refuse nodes in quarantine; kNoReason if the pod asks for no accelerator.
  ReasonId unreadable_node_ = kNoReason;
  std::string key_;
};

/// The only caller of the scheduling policies. Filter, prioritize and explain all use it, so they
/// cannot disagree. Owns the policies and their reasons. Immutable, so thread-safe.
class SchedulingEngine {
 public:
  /// Creates every policy from its settings. `prefix` is the prefix of Berth's labels and
  /// annotations, "berth.dev". `config` must have passed Validate.
  SchedulingEngine(std::shared_ptr<const model::AcceleratorCatalog> catalog, std::string prefix,
                   const SchedulingConfig& config);
  SchedulingEngine(const SchedulingEngine&) = delete;
  SchedulingEngine& operator=(const SchedulingEngine&) = delete;

  /// Prepares all policies for `pod` as of `now`. Reads `view` only during the call, so the view
  /// must not change meanwhile. A pod that requests no resource of the catalogue is not Berth's
  /// business: every node fits it, with score 0.
  PreparedPod Prepare(const model::Pod& pod, const model::ClusterView& view, model::Time now) const;

  /// The part of `pod` that policies read, as text. Pods of the same shape get the same judgements
  /// in the same view at the same time. The shape consists of the requested resources (with amounts
  /// for those of the catalogue), the annotations that policies read, and the tolerations that may
  /// tolerate PreferNoSchedule taints.
  std::string ShapeOf(const model::Pod& pod) const;

  /// Whether the value of that annotation belongs to the shape.
  bool IsInShape(std::string_view annotation) const;

  /// All reasons that judgements may refer to.
  const ReasonTable& reasons() const { return reasons_; }

  /// The reason for a node that the view does not contain.
  ReasonId unknown_node() const { return unknown_node_; }

  /// The reason for a node in quarantine: what Berth knows about it may no longer be true.
  ReasonId unreadable_node() const { return unreadable_node_; }

  /// The reason for a node that is full, although kube-scheduler, which knows less after an outage
  /// of the API server, believes that the pod fits. No judgement of the engine has it; callers give
  /// it.
  ReasonId full_node() const { return full_node_; }

  /// The catalogue that the engine was made with. Lives as long as the engine.
  const model::AcceleratorCatalog& catalog() const { return *catalog_; }

  /// The prefix of Berth's labels and annotations.
  const std::string& prefix() const { return prefix_; }

 private:
  // A policy with its settings.
  struct Member {
    std::string_view name;
    Mode mode;
    std::int32_t weight;
    std::unique_ptr<SchedulingPolicy> policy;
  };

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::string prefix_;
  // Filled by the constructor; must outlive the policies.
  ReasonTable reasons_;
  // In the order of the list in policies.h.
  std::vector<Member> members_;
  std::vector<std::string> annotations_;  // that the policies read; ascending
  ReasonId unknown_node_;
  ReasonId unreadable_node_;
  ReasonId full_node_;
};

}  // namespace berth::policies::scheduling
