#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/snapshot.h"
#include "extender/assumed_pods.h"
#include "extender/decision.h"
#include "extender/extender_metrics.h"
#include "extender/judgement_cache.h"
#include "extender/shortlisted_pods.h"
#include "extender/wire.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/shortlist.h"
#include "server/metrics.h"

namespace berth::extender {

/// Answers kube-scheduler's questions from one engine and one snapshot; a changed configuration
/// makes another one. Never calls the API server. Thread-safe.
class Placer {
 public:
  /// `snapshot`, `metrics` and the observers, who hear of decisions, must outlive this.
  Placer(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
         const cluster::Snapshot& snapshot, server::Metrics& metrics,
         std::vector<DecisionObserver*> observers = {},
         policies::scheduling::ShortlistConfig shortlist = {});

  /// The nodes of `args` that fit, in their order: all, or with a shortlist the best of them, where
  /// kube-scheduler would have no other opinion, and the pod was not given a shortlist before. A
  /// pod for which one node is answered is assumed to go there. Where none fits, every one of them
  /// with its reason: those not listed would become unresolvable without a word.
  FilterResult Filter(const ExtenderArgs& args, model::Time now);

  /// A rank for every name of `args`; 0 for nodes that do not fit or are unknown by now. A node
  /// that was the pod's only one before, and to which it did not get, comes last.
  std::vector<std::int64_t> Prioritize(const ExtenderArgs& args, model::Time now);

  /// The nodes of `args` on which evicting the victims helps: those that filter would not refuse
  /// afterwards all the same. Victims are as they were.
  std::vector<NodeVictims> Preempt(const PreemptionArgs& args, model::Time now);

  const policies::scheduling::SchedulingEngine& engine() const { return *engine_; }
  const cluster::Snapshot& snapshot() const { return snapshot_; }
  const policies::scheduling::ShortlistConfig& shortlist() const { return shortlist_; }

 private:
  // What is said of every name of one request.
  struct Judged {
    policies::scheduling::PreparedPod prepared;
    std::vector<policies::scheduling::Judgement> judgements;
  };

  // `remember`: whether `view` is of the snapshot, where judgements may be used again.
  Judged JudgeAll(const AssumedView& view, const model::Pod& pod,
                  std::span<const std::string_view> names, model::Time now, bool remember);

  // Counts why nodes are refused, and tells how many are not.
  std::size_t CountFitting(std::span<const policies::scheduling::Judgement> judgements);

  bool IsShortlisted(const model::Pod& pod, const cluster::Snapshot::Reader& reader,
                     std::size_t fitting, model::Time now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const cluster::Snapshot& snapshot_;
  JudgementCache cache_;
  AssumedPods assumed_;
  ShortlistedPods shortlisted_;
  RejectionMetrics metrics_;
  JudgementMetrics judgement_metrics_;
  ShortlistMetrics shortlist_metrics_;
  const std::vector<DecisionObserver*> observers_;
  const policies::scheduling::ShortlistConfig shortlist_;
};

}  // namespace berth::extender
