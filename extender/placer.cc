#include "extender/placer.h"

#include <memory>
#include <optional>
#include <utility>

namespace berth::extender {

using scheduling::Judgement;

namespace {

// A cluster of its own, of the nodes that the request brings and without pods: whoever asks so may
// ask about nodes that do not exist. Null where it brings none.
std::unique_ptr<cluster::Snapshot> GivenCluster(const ExtenderArgs& args,
                                                const cluster::Snapshot& snapshot) {
  if (!args.given) return nullptr;
  auto given = std::make_unique<cluster::Snapshot>(
      cluster::Snapshot::Options{.catalog = snapshot.shared_catalog(), .labels = {}});
  for (const model::Node& node : args.given->nodes) given->UpsertNode(node);
  return given;
}

}  // namespace

Placer::Placer(std::shared_ptr<const scheduling::SchedulingEngine> engine,
               const cluster::Snapshot& snapshot, server::Metrics& metrics,
               std::vector<DecisionObserver*> observers)
    : engine_(std::move(engine)),
      snapshot_(snapshot),
      metrics_(metrics, engine_->reasons()),
      observers_(std::move(observers)) {}

Placer::Judged Placer::JudgeAll(const cluster::Snapshot::Reader& view, const model::Pod& pod,
                                std::span<const std::string_view> names, model::Time now,
                                bool remember) {
  Judged judged{engine_->Prepare(pod, view, now), {}};
  std::optional<JudgementCache::Lookup> memory;
  if (remember) memory.emplace(cache_.Open(judged.prepared.key(), now, view.EndIndex()));
  const auto judge = [&](std::string_view name) {
    const auto index = view.Find(name);
    if (!index) return Judgement{.fits = false, .reason = engine_->unknown_node()};
    const model::NodeState& node = *view.At(*index);
    return memory ? memory->Judge(judged.prepared, *index, node) : judged.prepared.Judge(node);
  };
  judged.judgements.reserve(names.size());
  for (const std::string_view name : names) judged.judgements.push_back(judge(name));
  return judged;
}

FilterResult Placer::Filter(const ExtenderArgs& args, model::Time now) {
  DecisionReport report(observers_);
  const auto given = GivenCluster(args, snapshot_);
  const cluster::Snapshot::Reader view = given ? given->Read() : snapshot_.Read();
  const auto [prepared, judgements] = JudgeAll(view, args.pod, args.node_names, now, !given);
  FilterResult result;
  result.node_names.reserve(judgements.size());
  std::vector<std::size_t> refused(engine_->reasons().size());
  std::vector<std::size_t> would_refuse(refused.size());
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (judgements[i].fits) {
      result.node_names.push_back(args.node_names[i]);
      ++would_refuse[judgements[i].would_refuse];
    } else {
      ++refused[judgements[i].reason];
    }
  }
  metrics_.OnFiltered(refused, would_refuse);
  // With more to choose from, prioritize decides.
  if (result.node_names.size() <= 1 && report.Wanted()) {
    const std::vector<std::int64_t> ranks = scheduling::Rank(judgements);
    report.Set(Decide({Verb::kFilter, args.pod, now, args.node_names, judgements, ranks}, prepared,
                      view, engine_->reasons()));
  }
  // With a node to go to nobody reads them, and kube-scheduler spends milliseconds decoding them.
  if (!result.node_names.empty()) return result;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const scheduling::Reason& reason = engine_->reasons()[judgements[i].reason];
    (reason.curable_by_preemption ? result.failed : result.unresolvable)
        .push_back({args.node_names[i], reason.text});
  }
  return result;
}

std::vector<std::int64_t> Placer::Prioritize(const ExtenderArgs& args, model::Time now) {
  DecisionReport report(observers_);
  const auto given = GivenCluster(args, snapshot_);
  const cluster::Snapshot::Reader view = given ? given->Read() : snapshot_.Read();
  const auto [prepared, judgements] = JudgeAll(view, args.pod, args.node_names, now, !given);
  std::vector<std::int64_t> ranks = scheduling::Rank(judgements);
  if (report.Wanted()) {
    report.Set(Decide({Verb::kPrioritize, args.pod, now, args.node_names, judgements, ranks},
                      prepared, view, engine_->reasons()));
  }
  return ranks;
}

std::vector<NodeVictims> Placer::Preempt(const PreemptionArgs& args, model::Time now) {
  std::vector<std::string_view> names;
  names.reserve(args.nodes.size());
  for (const NodeVictims& node : args.nodes) names.push_back(node.name);
  const cluster::Snapshot::Reader view = snapshot_.Read();
  const std::vector<Judgement> judgements = JudgeAll(view, args.pod, names, now, true).judgements;
  std::vector<NodeVictims> kept;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const scheduling::Reason& reason = engine_->reasons()[judgements[i].reason];
    const bool helps = judgements[i].fits || reason.curable_by_preemption;
    // A node that needs no victim is no candidate, and an error to kube-scheduler
    // (pkg/scheduler/framework/preemption, callExtenders).
    if (helps && !args.nodes[i].uids.empty()) kept.push_back(args.nodes[i]);
  }
  return kept;
}

}  // namespace berth::extender
