#include "placement/explanation.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/accelerator_requests.h"
#include "placement/explanation_hints.h"
#include "policies/scheduling/rank.h"

namespace berth::placement {

namespace {

using policies::scheduling::PolicyVerdict;
using policies::scheduling::PreparedPod;
using policies::scheduling::ReasonId;
using policies::scheduling::SchedulingEngine;

DeviceCount CountDevices(const model::NodeState& node, const model::Resources::Entry& request) {
  const std::string& resource = request.first;
  return {.resource = resource,
          .requested = request.second,
          .listed = node.node.capacity.Has(resource) || node.node.allocatable.Has(resource),
          .capacity = node.node.capacity.Get(resource),
          .allocatable = node.node.allocatable.Get(resource),
          .used = node.used.Get(resource)};
}

PolicyOpinion OpinionOf(const PolicyVerdict& said,
                        const policies::scheduling::ReasonTable& reasons) {
  const policies::scheduling::Reason& reason = reasons[said.verdict.reason];
  return {.policy = std::string(said.policy),
          .observed = said.mode == policies::scheduling::Mode::kObserve,
          .fits = said.verdict.fits,
          .score = said.verdict.score,
          .last = said.verdict.last,
          .weight = said.weight,
          .reason = reason.text,
          .summary = reason.summary,
          .since = said.verdict.since};
}

// Judges the nodes one by one, and groups the refusals.
class Explainer {
 public:
  Explainer(const SchedulingEngine& engine, const PreparedPod& prepared, Explanation& explanation)
      : engine_(engine), prepared_(prepared), explanation_(explanation) {}

  void Add(const model::NodeState& node) {
    const policies::scheduling::DatedJudgement judgement = prepared_.Judge(node);
    judgements_.push_back(judgement);
    NodeExplanation& said = explanation_.nodes.emplace_back();
    said.name = node.node.name;
    said.fits = judgement.fits;
    said.score = judgement.score;
    said.last = judgement.last;
    explanation_.fitting += judgement.fits ? 1 : 0;
    if (node.accelerator != model::AcceleratorCatalog::kNone) {
      said.accelerator = engine_.catalog()[node.accelerator].name;
    }
    for (const auto& request : explanation_.requests) {
      said.devices.push_back(CountDevices(node, request));
    }
    for (const PolicyVerdict& verdict : prepared_.JudgeEach(node)) {
      said.policies.push_back(OpinionOf(verdict, engine_.reasons()));
    }
    said.conditions = node.node.conditions;
    if (judgement.fits) return;
    said.reason = engine_.reasons()[judgement.reason].text;
    said.summary = engine_.reasons()[judgement.reason].summary;
    said.since = judgement.since;
    AddToGroup(judgement.reason, judgement.since);
  }

  // Call it after the last node, because ranks are relative.
  void Rank() {
    const std::vector<std::int64_t> ranks = policies::scheduling::Rank(judgements_);
    for (std::size_t i = 0; i < ranks.size(); ++i) explanation_.nodes[i].rank = ranks[i];
  }

  void SortGroups() {
    for (auto& [id, group] : groups_) explanation_.groups.push_back(std::move(group));
    std::sort(explanation_.groups.begin(), explanation_.groups.end(),
              [](const RefusedGroup& a, const RefusedGroup& b) {
                return std::tie(b.count, a.summary) < std::tie(a.count, b.summary);
              });
  }

 private:
  void AddToGroup(ReasonId id, model::Time since) {
    RefusedGroup& group = groups_[id];
    ++group.count;
    group.policy = engine_.reasons()[id].policy;
    group.reason = engine_.reasons()[id].text;
    group.summary = engine_.reasons()[id].summary;
    if (since == model::kNoTime) return;
    group.newest = std::max(group.newest, since);
    group.oldest = group.oldest == model::kNoTime ? since : std::min(group.oldest, since);
  }

  const SchedulingEngine& engine_;
  const PreparedPod& prepared_;
  Explanation& explanation_;
  std::vector<policies::scheduling::Judgement> judgements_;
  std::map<ReasonId, RefusedGroup> groups_;
};

void SortNodes(Explanation& explanation) {
  const auto group_of = [&](const NodeExplanation& node) {
    const auto group =
        std::find_if(explanation.groups.begin(), explanation.groups.end(),
                     [&](const RefusedGroup& each) { return each.reason == node.reason; });
    return group - explanation.groups.begin();
  };
  std::map<std::string, std::ptrdiff_t> position;
  for (const NodeExplanation& node : explanation.nodes) {
    if (!node.fits) position.emplace(node.reason, group_of(node));
  }
  const auto key = [&](const NodeExplanation& node) {
    const std::ptrdiff_t group = node.fits ? -1 : position.at(node.reason);
    return std::tuple(group, node.last, -std::int64_t{node.score}, std::string_view(node.name));
  };
  std::sort(explanation.nodes.begin(), explanation.nodes.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace

Explanation Explain(const model::Pod& pod, const model::ClusterView& view,
                    const SchedulingEngine& engine, model::Time now) {
  Explanation explanation;
  explanation.now = now;
  explanation.requests = model::AcceleratorRequests(pod, engine.catalog());
  if (explanation.requests.empty()) return explanation;
  const PreparedPod prepared = engine.Prepare(pod, view, now);
  explanation.refused_everywhere = prepared.refused_everywhere() != policies::scheduling::kNoReason;
  Explainer explainer(engine, prepared, explanation);
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    if (const model::NodeState* node = view.At(i)) explainer.Add(*node);
  }
  explainer.Rank();
  explainer.SortGroups();
  SortNodes(explanation);
  explanation.hints = HintsFor(pod, explanation, engine);
  for (std::string& hint : RepairHints(pod, view)) explanation.hints.push_back(std::move(hint));
  return explanation;
}

Explanation Explain(const model::Pod& pod, const cluster::Snapshot& snapshot,
                    const SchedulingEngine& engine,
                    const policies::scheduling::ShortlistConfig& shortlist, model::Time now) {
  const cluster::Snapshot::Reader view = snapshot.Read();
  Explanation explanation = Explain(pod, view, engine, now);
  if (explanation.requests.empty()) return explanation;
  for (std::string& hint : QuarantineHints(view)) explanation.hints.push_back(std::move(hint));
  const bool asked = shortlist.size > 0 && pod.node_name.empty();
  if (!asked) return explanation;
  explanation.not_shortlisted = policies::scheduling::ReasonOf(
      policies::scheduling::JudgeShortlisting(pod, view, engine.catalog(), shortlist));
  return explanation;
}

}  // namespace berth::placement
