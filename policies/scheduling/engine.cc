#include "policies/scheduling/engine.h"

#include <algorithm>
#include <utility>

#include "model/accelerator_requests.h"

namespace berth::policies::scheduling {

namespace {

// Stands in the engine's own reasons in place of a policy's name.
constexpr std::string_view kEngine = "engine";

}  // namespace

DatedJudgement PreparedPod::Judge(const model::NodeState& node) const noexcept {
  DatedJudgement judgement;
  judgement.reason = refused_everywhere_;
  if (judgement.reason == kNoReason && node.quarantined) judgement.reason = unreadable_node_;
  if (judgement.reason != kNoReason) {
    judgement.fits = false;
    return judgement;
  }
  for (const Part& part : parts_) {
    const Verdict verdict = part.evaluator->Evaluate(node);
    judgement.valid_until = std::min(judgement.valid_until, verdict.valid_until);
    if (part.mode == Mode::kObserve) {
      if (!verdict.fits && judgement.would_refuse == kNoReason) {
        judgement.would_refuse = verdict.reason;
      }
      continue;
    }
    if (!verdict.fits) {
      return {{.fits = false, .reason = verdict.reason}, verdict.since, judgement.valid_until};
    }
    judgement.last = judgement.last || (verdict.last && part.weight > 0);
    judgement.score += static_cast<std::uint32_t>(part.weight) * verdict.score;
  }
  return judgement;
}

std::vector<PolicyVerdict> PreparedPod::JudgeEach(const model::NodeState& node) const {
  std::vector<PolicyVerdict> verdicts;
  verdicts.reserve(parts_.size() + 1);
  if (node.quarantined && unreadable_node_ != kNoReason) {
    const Verdict refused{.fits = false, .score = 0, .reason = unreadable_node_};
    verdicts.push_back({kEngine, Mode::kEnforce, 0, refused});
  }
  for (const Part& part : parts_) {
    verdicts.push_back({part.policy, part.mode, part.weight, part.evaluator->Evaluate(node)});
  }
  return verdicts;
}

namespace {

// The length goes before the text, so that no two sequences of texts have the same spelling.
void AppendText(std::string& key, std::string_view text) {
  key.append(std::to_string(text.size())).append(1, ':').append(text);
}

// Stands for a policy in Observe that refuses the pod everywhere.
class RefuseEveryNode : public NodeEvaluator {
 public:
  explicit RefuseEveryNode(ReasonId reason) : reason_(reason) {}

  std::string ViewKey() const override { return "refused" + std::to_string(reason_); }

  Verdict Evaluate(const model::NodeState&) const noexcept override {
    return {.fits = false, .score = 0, .reason = reason_};
  }

 private:
  ReasonId reason_;
};

}  // namespace

SchedulingEngine::SchedulingEngine(std::shared_ptr<const model::AcceleratorCatalog> catalog,
                                   std::string prefix, const SchedulingConfig& config)
    : catalog_(std::move(catalog)),
      prefix_(std::move(prefix)),
      unknown_node_(reasons_.Intern({.policy = std::string(kEngine),
                                     .text = "node(s) were unknown to Berth",
                                     .summary = "unknown to Berth"})),
      unreadable_node_(reasons_.Intern({.policy = std::string(kEngine),
                                        .text = "node(s) could not be read by Berth",
                                        .summary = "cannot be read"})),
      // kube-scheduler believes that the pod fits as it is, so it would find nobody there to evict.
      full_node_(reasons_.Intern(
          {.policy = std::string(kEngine),
           .text = "node(s) were full of pods that kube-scheduler may have lost in an outage",
           .summary = "full since an outage of the API server"})) {
  const PolicyContext context{*catalog_, prefix_, reasons_};
  ForEachPolicy(config.policies, [&]<typename Policy>(const PolicySettings<Policy>& settings) {
    members_.push_back({Policy::kName, settings.mode, settings.weight,
                        std::make_unique<Policy>(context, settings.config)});
    for (std::string& name : members_.back().policy->Annotations()) {
      annotations_.push_back(std::move(name));
    }
  });
  std::sort(annotations_.begin(), annotations_.end());
}

PreparedPod SchedulingEngine::Prepare(const model::Pod& pod, const model::ClusterView& view,
                                      model::Time now) const {
  PreparedPod prepared;
  prepared.key_ = ShapeOf(pod) + "|view";
  if (model::AcceleratorRequests(pod, *catalog_).empty()) return prepared;
  prepared.unreadable_node_ = unreadable_node_;
  for (const Member& member : members_) {
    Preparation preparation = member.policy->Prepare(pod, view, now);
    std::unique_ptr<NodeEvaluator> evaluator;
    if (const auto* refused = std::get_if<RefusedEverywhere>(&preparation)) {
      if (member.mode == Mode::kEnforce) {
        prepared.refused_everywhere_ = refused->reason;
        AppendText(prepared.key_, "refused" + std::to_string(refused->reason));
        return prepared;
      }
      evaluator = std::make_unique<RefuseEveryNode>(refused->reason);
    } else if (auto* made = std::get_if<std::unique_ptr<NodeEvaluator>>(&preparation)) {
      evaluator = std::move(*made);
    }
    AppendText(prepared.key_, evaluator == nullptr ? "" : evaluator->ViewKey());
    if (evaluator == nullptr) continue;
    prepared.parts_.push_back({member.name, member.mode, member.weight, std::move(evaluator)});
  }
  return prepared;
}

std::string SchedulingEngine::ShapeOf(const model::Pod& pod) const {
  std::string shape;
  const auto append = [&shape](std::string_view text) { AppendText(shape, text); };
  for (const auto& [resource, amount] : pod.requests) {
    if (amount <= 0) continue;
    append(resource);
    append(catalog_->HasResource(resource) ? std::to_string(amount) : "");
  }
  shape += '|';  // a resource may be named like an annotation
  for (const auto& [name, value] : pod.annotations) {
    if (!IsInShape(name)) continue;
    append(name);
    append(value);
  }
  shape += '|';
  for (const model::Toleration& toleration : pod.tolerations) {
    // No policy reads taints of other effects.
    if (!toleration.effect.empty() && toleration.effect != model::kPreferNoSchedule) continue;
    for (const std::string& text : {toleration.key, toleration.op, toleration.value}) append(text);
  }
  return shape;
}

bool SchedulingEngine::IsInShape(std::string_view annotation) const {
  return std::binary_search(annotations_.begin(), annotations_.end(), annotation);
}

}  // namespace berth::policies::scheduling
