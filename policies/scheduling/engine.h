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

namespace berth::policies::scheduling {

/// What all policies together say of one node. Those in Observe have no part in it but in
/// `would_refuse`.
struct Judgement {
  bool fits = true;
  /// The first refusing policy's reason; kNoReason where the node fits.
  ReasonId reason = kNoReason;
  /// Why a policy in Observe would refuse a node that fits; kNoReason where none would, and where
  /// the node is refused anyway. So it tells what enforcing that policy would change.
  ReasonId would_refuse = kNoReason;
  /// Sum over the enforced policies of weight x score. Compares nodes of one request only.
  std::uint32_t score = 0;
  /// Whether it comes behind every fitting node of which this is not said, whatever the scores.
  bool last = false;
};

/// A judgement that was just made.
struct DatedJudgement : Judgement {
  /// When what `reason` names began, or kNoTime.
  model::Time since = model::kNoTime;
  /// The first moment at which time alone may change this judgement, as long as PreparedPod::key()
  /// stays what it is.
  model::Time valid_until = model::kForever;
};

/// What one policy said, for people.
struct PolicyVerdict {
  std::string_view policy;
  Mode mode = Mode::kEnforce;
  std::int32_t weight = 0;
  Verdict verdict;
};

/// All policies prepared for one pod as of one moment. Must not outlive its engine.
/// Thread-compatible.
class PreparedPod {
 public:
  /// The policies' common verdict.
  DatedJudgement Judge(const model::NodeState& node) const noexcept;

  /// Every policy's own verdict, in the order of the list, those without opinion left out. Judge()
  /// follows from these alone.
  std::vector<PolicyVerdict> JudgeEach(const model::NodeState& node) const;

  /// The reason for which no node at all will do, or kNoReason.
  ReasonId refused_everywhere() const { return refused_everywhere_; }

  /// The pod's shape and what the policies took from the view: of a node that is the same at a
  /// time that is the same, prepared pods with equal keys say the same.
  const std::string& key() const { return key_; }

 private:
  friend class SchedulingEngine;

  struct Part {
    std::string_view policy;
    Mode mode;
    std::int32_t weight;
    std::unique_ptr<NodeEvaluator> evaluator;
  };

  std::vector<Part> parts_;
  ReasonId refused_everywhere_ = kNoReason;
  /// Of nodes in quarantine; kNoReason where the pod is not Berth's.
  ReasonId unreadable_node_ = kNoReason;
  std::string key_;
};

/// The only caller of the policies: filter, prioritize and explain all ask it, so they cannot
/// disagree. Immutable, so thread-safe.
class SchedulingEngine {
 public:
  /// `config` has passed Validate.
  SchedulingEngine(std::shared_ptr<const model::AcceleratorCatalog> catalog, std::string prefix,
                   const SchedulingConfig& config);
  SchedulingEngine(const SchedulingEngine&) = delete;
  SchedulingEngine& operator=(const SchedulingEngine&) = delete;

  /// Prepares all policies for `pod`. A pod that asks for no resource of the catalogue is not
  /// Berth's: every node fits it equally.
  PreparedPod Prepare(const model::Pod& pod, const model::ClusterView& view, model::Time now) const;

  /// What Prepare reads of `pod`, as text: pods of the same shape get the same judgements in the
  /// same view at the same time.
  std::string ShapeOf(const model::Pod& pod) const;

  const ReasonTable& reasons() const { return reasons_; }

  /// For a node of which the view knows nothing.
  ReasonId unknown_node() const { return unknown_node_; }

  /// For a node in quarantine: what is known of it may no longer hold.
  ReasonId unreadable_node() const { return unreadable_node_; }

  const model::AcceleratorCatalog& catalog() const { return *catalog_; }

  /// Of Berth's labels and annotations.
  const std::string& prefix() const { return prefix_; }

 private:
  struct Member {
    std::string_view name;
    Mode mode;
    std::int32_t weight;
    std::unique_ptr<SchedulingPolicy> policy;
  };

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::string prefix_;
  ReasonTable reasons_;
  std::vector<Member> members_;
  std::vector<std::string> annotations_;  // that members read; ascending
  ReasonId unknown_node_;
  ReasonId unreadable_node_;
};

}  // namespace berth::policies::scheduling
