#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/nominated_pods.h"
#include "cluster/snapshot.h"
#include "extender/assumed_pods.h"
#include "extender/decision.h"
#include "extender/extender_metrics.h"
#include "extender/judgement_cache.h"
#include "extender/preemption_veto.h"
#include "extender/shortlisted_pods.h"
#include "extender/victim_choice.h"
#include "extender/wire.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/shortlist.h"
#include "server/metrics.h"

namespace berth::extender {

/// Answers kube-scheduler's questions with one engine and one snapshot. It remembers judgements,
/// and some of its own answers: pods that were given a shortlist, and pods that are assumed to go
/// to a node.
///
/// A request is answered in these steps, with the snapshot held still:
/// - count the devices of assumed and of nominated pods as used (AssumedPods);
/// - have the engine prepare the pod;
/// - judge each node, or recall its judgement (JudgementCache);
/// - filter: during and after an outage of the API server, refuse nodes that are full;
/// - filter: choose the best nodes if there is a shortlist (ShortlistedPods), and list reasons if
///   no node fits;
/// - prioritize: rank the nodes within the request;
/// - report the decision to the observers that want it, after the snapshot is released.
///
/// Never calls the API server, and waits for nothing but the snapshot's lock and other requests for
/// pods of the same shape. If the configuration changes, a new placer takes its place
/// (Extender::Use()). Thread-safe.
class Placer {
 public:
  /// `observers` are notified of decisions. `shortlist` says how many nodes filter answers; by
  /// default all that fit. `nominated` has the pods that wait for a nominated node; null: none are
  /// known. With `planning.controller_leads`, preempt may be vetoed, and the snapshot must have
  /// whole pods (Snapshot::Options). Everything referred to must outlive this.
  Placer(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
         const cluster::Snapshot& snapshot, server::Metrics& metrics,
         std::vector<DecisionObserver*> observers = {},
         policies::scheduling::ShortlistConfig shortlist = {},
         const cluster::NominatedPods* nominated = nullptr, Planning planning = {});

  /// Answers filter: which nodes of `args` fit the pod at `now`.
  ///
  /// If nodes fit, the result names them, in the order of `args`, and no others. With a shortlist
  /// it names only the best of them, unless kube-scheduler's own scoring has an influence on the
  /// pod, or the pod was given a shortlist before and there was no outage of the API server. If the
  /// result is a single node, the pod is assumed to go there.
  ///
  /// If `args` have a single node, kube-scheduler usually asks about the one that is nominated for
  /// the pod, and asks about others in the same attempt if the answer is no (evaluateNominatedNode
  /// in k8s.io/kubernetes/pkg/scheduler/schedule_one.go, v1.36.3). So that is no shortlist.
  ///
  /// After an outage of the API server (Snapshot::Reader::OutageLately()), nodes are refused, too,
  /// on which bound pods and those that are assumed leave no room. Neither suffices: kube-scheduler
  /// may not know all bound pods yet, and the snapshot not those that it is about to bind. At all
  /// other times kube-scheduler knows better than the snapshot which pods have left. While the
  /// snapshot is behind, nodes are refused on which pods may have been bound just before
  /// (AssumedPods::UnseenIn()). Only a snapshot of whole pods can tell.
  ///
  /// If no node fits, the result names every node with its reason, because kube-scheduler takes
  /// nodes that are not listed for unresolvable, without a reason.
  ///
  /// The texts in the result point into `args` and into engine().
  FilterResult Filter(const ExtenderArgs& args, model::Time now);

  /// Answers prioritize: a rank from 0 to 10 for every node of `args`, in the same order. Nodes
  /// that do not fit, or are unknown by now, get 0. A node that was the pod's only one in an
  /// earlier shortlist, and to which it did not get, comes last.
  std::vector<std::int64_t> Prioritize(const ExtenderArgs& args, model::Time now);

  /// Answers preempt: the nodes of `args` on which it helps to evict the victims, with the victims
  /// unchanged, less those that VictimChoice spares. It does not help if filter would refuse the
  /// node afterwards all the same, or if the node has no victims. None helps while some node of the
  /// cluster fits the pod as it is, and the controller can be expected to nominate it
  /// (PreemptionVeto).
  std::vector<NodeVictims> Preempt(const PreemptionArgs& args, model::Time now);

  /// What this placer was made from.
  const policies::scheduling::SchedulingEngine& engine() const { return *engine_; }
  /// The cluster; its Synced() says whether this placer can answer.
  const cluster::Snapshot& snapshot() const { return snapshot_; }
  /// How many nodes filter answers.
  const policies::scheduling::ShortlistConfig& shortlist() const { return shortlist_; }

 private:
  // The judgements of all nodes of one request, in the order of their names, and the pod that was
  // prepared for them.
  struct Judged {
    policies::scheduling::PreparedPod prepared;
    std::vector<policies::scheduling::Judgement> judgements;
  };

  // Returns the cluster for which a request is answered.
  AssumedView ViewFor(const ExtenderArgs& args, const cluster::Snapshot::Reader& reader,
                      model::Time now);

  // Judges all nodes of a request. `remember` says whether the cache may be used: not if `view` is
  // of nodes that the request contains. Unknown nodes are refused.
  Judged JudgeAll(const AssumedView& view, const model::Pod& pod,
                  std::span<const std::string_view> names, model::Time now, bool remember);

  // Refuses the nodes of a request that kube-scheduler may not know to be full, because of an
  // outage.
  void RefuseFullNodes(const ExtenderArgs& args, const cluster::Snapshot::Reader& reader,
                       std::vector<policies::scheduling::Judgement>& judgements);

  // Counts the reasons of refusals in the metrics. Returns how many nodes fit.
  std::size_t CountFitting(std::span<const policies::scheduling::Judgement> judgements);

  // Decides whether to answer with the best nodes only, and counts the decision.
  bool IsShortlisted(const model::Pod& pod, const cluster::Snapshot::Reader& reader,
                     std::size_t fitting, model::Time now);

  // Decides whether to answer preempt with no node at all, and counts the decision.
  bool IsVetoed(const model::Pod& pod, const cluster::Snapshot::Reader& reader, model::Time now);

  const std::shared_ptr<const policies::scheduling::SchedulingEngine> engine_;
  const cluster::Snapshot& snapshot_;
  // What is remembered from one request to the next, about the pods and nodes of snapshot_.
  JudgementCache cache_;
  AssumedPods assumed_;
  ShortlistedPods shortlisted_;
  PreemptionVeto veto_;
  RejectionMetrics metrics_;
  JudgementMetrics judgement_metrics_;
  ShortlistMetrics shortlist_metrics_;
  PreemptionMetrics preemption_metrics_;
  VictimChoice victim_choice_;
  const std::vector<DecisionObserver*> observers_;
  const policies::scheduling::ShortlistConfig shortlist_;
  const cluster::NominatedPods* const nominated_;
};

}  // namespace berth::extender
