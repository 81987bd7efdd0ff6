#include "extender/placer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "model/kept_room.h"
#include "policies/fit/fit.h"
#include "policies/scheduling/best.h"
#include "policies/scheduling/rank.h"

namespace berth::extender {

using policies::scheduling::Judgement;
using policies::scheduling::Shortlisting;

namespace {

// Returns a cluster of its own for the nodes in the request, without pods, because the client may
// ask about nodes that do not exist. Null if the request contains none.
std::unique_ptr<cluster::Snapshot> GivenCluster(const ExtenderArgs& args,
                                                const cluster::Snapshot& snapshot) {
  if (!args.given) return nullptr;
  auto given = std::make_unique<cluster::Snapshot>(
      cluster::Snapshot::Options{.catalog = snapshot.shared_catalog(), .labels = {}});
  for (const model::Node& node : args.given->nodes) given->UpsertNode(node);
  for (const kube::UnreadableObject& node : args.given->unreadable) given->QuarantineNode(node);
  return given;
}

// Returns `node` as it is with `pods` in addition.
model::NodeState WithPods(model::NodeState node, const std::vector<model::Pod>& pods) {
  for (const model::Pod& pod : pods) policies::fit::Book(pod, node);
  return node;
}

std::vector<std::string_view> NamesOfFitting(const ExtenderArgs& args,
                                             std::span<const Judgement> judgements,
                                             std::size_t fitting) {
  std::vector<std::string_view> names;
  names.reserve(fitting);
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (judgements[i].fits) names.push_back(args.node_names[i]);
  }
  return names;
}

}  // namespace

Placer::Placer(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
               const cluster::Snapshot& snapshot, server::Metrics& metrics,
               std::vector<DecisionObserver*> observers,
               policies::scheduling::ShortlistConfig shortlist,
               const cluster::NominatedPods* nominated, Planning planning)
    : engine_(std::move(engine)),
      snapshot_(snapshot),
      veto_(std::move(planning)),
      metrics_(metrics, engine_->reasons()),
      judgement_metrics_(metrics),
      shortlist_metrics_(metrics),
      preemption_metrics_(metrics),
      victim_choice_(metrics),
      observers_(std::move(observers)),
      shortlist_(std::move(shortlist)),
      nominated_(nominated) {}

AssumedView Placer::ViewFor(const ExtenderArgs& args, const cluster::Snapshot::Reader& reader,
                            model::Time now) {
  if (args.given) return AssumedView(reader);
  const bool as_it_is = args.node_names.size() == 1 && !reader.LastKept(PlaceOf(args.pod));
  if (as_it_is) return assumed_.AsItIs(reader, args.pod.uid, now);
  return assumed_.Over(reader, args.pod.uid, now, nominated_);
}

Placer::Judged Placer::JudgeAll(const AssumedView& view, const model::Pod& pod,
                                std::span<const std::string_view> names, model::Time now,
                                bool remember) {
  Judged judged{engine_->Prepare(pod, view, now), {}};
  std::optional<JudgementCache::Lookup> memory;
  const bool is_usual = judged.prepared.key().size() <= JudgementCache::kMaxKey;
  if (remember && is_usual) {
    memory.emplace(cache_.Open(judged.prepared.key(), now, view.reader().Versions()));
    // What is remembered does not know of pods that are assumed or nominated.
    for (const auto& [index, node] : view.changed()) memory->Forget(index);
  }
  std::size_t remembered = 0;
  std::size_t anew = 0;
  const auto judge = [&](model::NodeIndex index) -> Judgement {
    if (index == cluster::kNoNode) {
      return Judgement{.fits = false, .reason = engine_->unknown_node()};
    }
    if (const auto known = memory ? memory->Recall(index) : std::nullopt) {
      ++remembered;
      return *known;
    }
    ++anew;
    if (const model::NodeState* const changed = view.ChangedAt(index)) {
      return judged.prepared.Judge(*changed);
    }
    const model::NodeState& node = *view.reader().At(index);
    return memory ? memory->Judge(judged.prepared, index, node) : judged.prepared.Judge(node);
  };
  judged.judgements.reserve(names.size());
  for (const model::NodeIndex index : view.reader().FindAll(names)) {
    judged.judgements.push_back(judge(index));
  }
  judgement_metrics_.OnJudged(remembered, anew);
  return judged;
}

void Placer::RefuseFullNodes(const ExtenderArgs& args, const cluster::Snapshot::Reader& reader,
                             std::vector<Judgement>& judgements) {
  const bool lately = reader.OutageLately();
  if (!lately && !reader.IsBehind()) return;
  const ExpectedPods unseen = assumed_.UnseenIn(reader, lately);
  const auto is_full = [&](model::NodeIndex index) {
    const model::NodeState& node = *reader.At(index);
    const auto more = unseen.find(index);
    if (more == unseen.end()) return lately && policies::fit::IsFull(args.pod, node);
    return policies::fit::IsFull(args.pod, WithPods(node, more->second));
  };
  const std::vector<model::NodeIndex> indices = reader.FindAll(args.node_names);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!judgements[i].fits || !is_full(indices[i])) continue;
    judgements[i] = Judgement{.fits = false, .reason = engine_->full_node()};
  }
}

std::size_t Placer::CountFitting(std::span<const Judgement> judgements) {
  std::size_t fitting = 0;
  std::vector<std::size_t> refused(engine_->reasons().size());
  std::vector<std::size_t> would_refuse(refused.size());
  for (const Judgement& judgement : judgements) {
    fitting += judgement.fits ? 1 : 0;
    ++(judgement.fits ? would_refuse[judgement.would_refuse] : refused[judgement.reason]);
  }
  metrics_.OnFiltered(refused, would_refuse);
  return fitting;
}

bool Placer::IsShortlisted(const model::Pod& pod, const cluster::Snapshot::Reader& reader,
                           std::size_t fitting, model::Time now) {
  if (shortlist_.size == 0) return false;
  Shortlisting outcome = Shortlisting::kFew;
  if (fitting > static_cast<std::size_t>(shortlist_.size)) {
    outcome = policies::scheduling::JudgeShortlisting(pod, reader, engine_->catalog(), shortlist_);
  }
  // In an outage the binding fails on whatever node. A pod that gets one node is assumed there, and
  // only then its place is not given to another one; see RefuseFullNodes().
  const bool outage = reader.IsBehind() || reader.OutageLately();
  if (outcome == Shortlisting::kShort && !outage && shortlisted_.AskedAgain(pod.uid, now)) {
    outcome = Shortlisting::kAskedAgain;
  }
  shortlist_metrics_.OnFiltered(outcome);
  return outcome == Shortlisting::kShort;
}

FilterResult Placer::Filter(const ExtenderArgs& args, model::Time now) {
  DecisionReport report(observers_);
  const auto given = GivenCluster(args, snapshot_);
  const cluster::Snapshot::Reader reader = given ? given->Read() : snapshot_.Read();
  const AssumedView view = ViewFor(args, reader, now);
  Judged judged = JudgeAll(view, args.pod, args.node_names, now, !given);
  RefuseFullNodes(args, reader, judged.judgements);
  const std::vector<Judgement>& judgements = judged.judgements;
  const std::size_t fitting = CountFitting(judgements);
  FilterResult result;
  // A client that sends whole nodes is not a kube-scheduler that is configured for Berth. It may be
  // an autoscaler, which wants to know about all nodes.
  std::optional<std::size_t> chosen;
  if (!given && IsShortlisted(args.pod, reader, fitting, now)) {
    const auto best = policies::scheduling::Best(judgements, args.node_names, args.pod.uid,
                                                 static_cast<std::size_t>(shortlist_.size));
    for (const std::size_t place : best) result.node_names.push_back(args.node_names[place]);
    chosen = best.front();
    if (best.size() == 1) shortlisted_.SetOnlyNode(args.pod.uid, result.node_names.front());
  } else {
    result.node_names = NamesOfFitting(args, judgements, fitting);
  }
  if (!given && result.node_names.size() == 1) {
    assumed_.Assume(args.pod, result.node_names.front(), engine_->catalog(), now);
  }
  // If there is a choice, prioritize decides.
  if (result.node_names.size() <= 1 && report.Wanted()) {
    report.Set(Decide({Verb::kFilter, args.pod, now, args.node_names, judgements, chosen},
                      judged.prepared, view, engine_->reasons()));
  }
  // If a node fits, nobody reads the reasons, and kube-scheduler needs milliseconds to decode them.
  if (fitting > 0) return result;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const policies::scheduling::Reason& reason = engine_->reasons()[judgements[i].reason];
    (reason.curable_by_preemption ? result.failed : result.unresolvable)
        .push_back({args.node_names[i], reason.text});
  }
  return result;
}

std::vector<std::int64_t> Placer::Prioritize(const ExtenderArgs& args, model::Time now) {
  DecisionReport report(observers_);
  const auto given = GivenCluster(args, snapshot_);
  const cluster::Snapshot::Reader reader = given ? given->Read() : snapshot_.Read();
  const AssumedView view = ViewFor(args, reader, now);
  auto [prepared, judgements] = JudgeAll(view, args.pod, args.node_names, now, !given);
  for (const std::size_t place : shortlisted_.PlacesThatFailed(args.pod.uid, args.node_names)) {
    judgements[place].last = true;
  }
  std::vector<std::int64_t> ranks = policies::scheduling::Rank(judgements);
  if (report.Wanted()) {
    report.Set(Decide({Verb::kPrioritize, args.pod, now, args.node_names, judgements}, prepared,
                      view, engine_->reasons()));
  }
  return ranks;
}

bool Placer::IsVetoed(const model::Pod& pod, const cluster::Snapshot::Reader& reader,
                      model::Time now) {
  PreemptionOutcome outcome = veto_.Judge(pod, engine_->catalog(), now);
  if (outcome == PreemptionOutcome::kVetoed) {
    const ExpectedPods expected = assumed_.ExpectedFor(pod, reader, now, nominated_);
    if (!FitsSomewhere(pod, reader, expected, *engine_, now)) outcome = PreemptionOutcome::kNoRoom;
  }
  preemption_metrics_.OnPreempted(outcome);
  if (outcome != PreemptionOutcome::kVetoed) return false;
  veto_.OnVetoed(pod.uid, now);
  return true;
}

std::vector<NodeVictims> Placer::Preempt(const PreemptionArgs& args, model::Time now) {
  std::vector<std::string_view> names;
  names.reserve(args.nodes.size());
  for (const NodeVictims& node : args.nodes) names.push_back(node.name);
  const cluster::Snapshot::Reader reader = snapshot_.Read();
  if (IsVetoed(args.pod, reader, now)) return {};
  const std::vector<Judgement> judgements =
      JudgeAll(AssumedView(reader), args.pod, names, now, true).judgements;
  std::vector<NodeVictims> kept;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const policies::scheduling::Reason& reason = engine_->reasons()[judgements[i].reason];
    const bool helps = judgements[i].fits || reason.curable_by_preemption;
    // A node without victims is not a candidate, and is an error to kube-scheduler
    // (pkg/scheduler/framework/preemption, callExtenders).
    if (helps && !args.nodes[i].uids.empty()) kept.push_back(args.nodes[i]);
  }
  return victim_choice_.Choose(std::move(kept), reader, now);
}

}  // namespace berth::extender
