#include "policies/scheduling/health.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/accelerator_requests.h"
#include "policies/scheduling/breaker.h"

namespace berth::policies::scheduling {

namespace {

using model::ConditionStatus;
using model::SaturatingAdd;
using Rule = HealthPolicy::Rule;
using Rules = HealthPolicy::Rules;

// The effect of a finding on the node, in ascending order of severity.
enum class Burden : std::uint8_t { kNone, kRecovering, kPenalized, kExcluded };

Burden BurdenOf(Effect effect) {
  switch (effect) {
    case Effect::kIgnore:
      return Burden::kNone;
    case Effect::kPenalize:
      return Burden::kPenalized;
    case Effect::kExclude:
      return Burden::kExcluded;
  }
  return Burden::kNone;
}

std::uint16_t ScoreUnder(Burden burden) {
  if (burden == Burden::kNone) return kMaxScore;
  return burden == Burden::kRecovering ? HealthPolicy::kRecoveringScore : std::uint16_t{0};
}

// What one rule finds in one condition of its type, or in a device count.
struct Finding {
  Burden burden = Burden::kNone;
  ReasonId reason = kNoReason;
  model::Time since = model::kNoTime;
  model::Time valid_until = model::kForever;
};

Finding JudgeTrue(const Rule& rule, const model::Condition& condition, model::Time now) {
  const HealthCondition& config = rule.condition;
  // Without a transition time nobody knows when the condition began, so assume long ago.
  if (config.min_duration.count() > 0 && condition.last_transition != model::kNoTime) {
    const model::Time begins = SaturatingAdd(condition.last_transition, config.min_duration);
    if (now < begins) return {.valid_until = begins};
  }
  return {.burden = BurdenOf(config.effect),
          .reason = rule.unhealthy,
          .since = condition.last_transition};
}

// Until when the node is distrusted because the rule's condition was True for long; kNoTime if it
// was not.
model::Time DistrustedUntil(const Rule& rule, const model::NodeState& node) {
  const HealthCondition& config = rule.condition;
  const model::Duration is_long = std::max(HealthPolicy::kLongTrue, config.min_duration);
  for (const model::PastTrue& past : node.past) {
    if (past.type != config.type) continue;
    const bool was_long = SaturatingAdd(past.since, is_long) <= past.until;
    return was_long ? SaturatingAdd(past.until, config.recovery) : model::kNoTime;
  }
  return model::kNoTime;
}

Finding JudgeFalse(const Rule& rule, const model::Condition& condition,
                   const model::NodeState& node, model::Time now) {
  const model::Duration recovery = rule.condition.recovery;
  if (recovery.count() == 0 || condition.last_transition == model::kNoTime) return {};
  const model::Time recovered = SaturatingAdd(condition.last_transition, recovery);
  if (now >= recovered) return {};
  const model::Time distrusted_until = DistrustedUntil(rule, node);
  const bool distrusted = now < distrusted_until;
  return {.burden = distrusted ? Burden::kPenalized : Burden::kRecovering,
          .reason = distrusted ? rule.distrusted : rule.recovering,
          .since = condition.last_transition,
          .valid_until = distrusted ? std::min(distrusted_until, recovered) : recovered};
}

Finding JudgeUnknown(const Rule& rule, const model::Condition& condition,
                     const HealthConfig& config) {
  const Effect effect = EffectOfUnknown(rule.condition, config);
  if (effect == Effect::kIgnore) return {};
  return {.burden = BurdenOf(effect), .reason = rule.unknown, .since = condition.last_transition};
}

// The first moment at which the condition is stale; kForever if it never is.
model::Time StaleFrom(const model::Condition& condition, const HealthConfig& config) {
  if (config.stale_after.count() == 0 || condition.last_heartbeat == model::kNoTime) {
    return model::kForever;
  }
  return SaturatingAdd(SaturatingAdd(condition.last_heartbeat, config.stale_after),
                       model::Duration{1});
}

Finding JudgeStale(const Rule& rule, const model::Condition& condition, const HealthConfig& config,
                   model::Time now) {
  Finding finding = JudgeUnknown(rule, condition, config);
  if (condition.status != ConditionStatus::kTrue) return finding;
  // The detector may have died of the very fault that it reported, so the worse finding counts. The
  // condition's minDuration goes on without heartbeats.
  const Finding of_true = JudgeTrue(rule, condition, now);
  if (of_true.burden >= finding.burden) return of_true;
  finding.valid_until = of_true.valid_until;
  return finding;
}

Finding JudgeCondition(const Rule& rule, const model::Condition& condition,
                       const model::NodeState& node, const HealthConfig& config, model::Time now) {
  if (condition.status == ConditionStatus::kUnknown) return JudgeUnknown(rule, condition, config);
  const model::Time stale_from = StaleFrom(condition, config);
  if (now >= stale_from) return JudgeStale(rule, condition, config, now);
  const bool is_true = condition.status == ConditionStatus::kTrue;
  Finding finding = is_true ? JudgeTrue(rule, condition, now)  //
                            : JudgeFalse(rule, condition, node, now);
  const bool outlasts_heartbeats = is_true && finding.burden != Burden::kNone;
  if (!outlasts_heartbeats) finding.valid_until = std::min(finding.valid_until, stale_from);
  return finding;
}

bool HasLostDevices(const model::NodeState& node, std::string_view resource) {
  // A node that does not list the resource serves it by other means (DRA), or not at all.
  const std::int64_t* capacity = node.node.capacity.Find(resource);
  if (capacity == nullptr) return false;
  const std::int64_t allocatable = node.node.allocatable.Get(resource);
  if (*capacity > allocatable) return true;
  return resource == "nvidia.com/gpu" && node.gpu.count.value_or(0) > allocatable;
}

// A rule that applies to the pod.
struct Applicable {
  const Rule* rule = nullptr;
  // Pools in which the rule must not exclude nodes, by catalogue index. Empty if there is none.
  std::vector<bool> suspect_in;

  bool IsSuspect(model::AcceleratorCatalog::Index accelerator) const {
    const auto index = static_cast<std::size_t>(accelerator);
    return index < suspect_in.size() && suspect_in[index];
  }
};

// Whether no condition of the node has an effect by rules for the types in `marks`, whose longest
// recovery is `longest_recovery`. Looks at the digest alone, because comparing the conditions'
// types takes most of the time and on most nodes every condition has been False for long.
bool HaveNoEffect(const std::optional<model::ConditionDigest>& digest, std::uint64_t marks,
                  model::Duration longest_recovery, const HealthConfig& config, model::Time now) {
  return digest && (digest->marks & marks) == 0 && config.stale_after.count() == 0 &&
         now - digest->last_turned_false >= longest_recovery;
}

// The worst burden that the rule lays on the node.
Burden WorstBurden(const Rule& rule, const model::NodeState& node, const HealthConfig& config,
                   model::Time now) {
  Burden worst = Burden::kNone;
  for (const model::Condition& condition : node.node.conditions) {
    if (condition.type != rule.condition.type) continue;
    worst = std::max(worst, JudgeCondition(rule, condition, node, config, now).burden);
  }
  return worst;
}

class HealthEvaluator : public NodeEvaluator {
 public:
  HealthEvaluator(std::shared_ptr<const Rules> rules, std::vector<Applicable> applicable,
                  std::vector<std::string> resources, model::Time now)
      : rules_(std::move(rules)),
        applicable_(std::move(applicable)),
        resources_(std::move(resources)),
        now_(now) {}

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    Finding worst;
    model::Time valid_until = model::kForever;
    const auto consider = [&](const Finding& finding) {
      valid_until = std::min(valid_until, finding.valid_until);
      if (finding.burden > worst.burden) worst = finding;
    };
    if (!HaveNoEffect(node.digest, rules_->marks, rules_->longest_recovery, rules_->config, now_)) {
      for (const model::Condition& condition : node.node.conditions) {
        if (HasNoEffect(condition)) continue;
        for (const Applicable& each : applicable_) {
          if (each.rule->condition.type != condition.type) continue;
          consider(Judge(each, condition, node));
        }
      }
    }
    for (const std::string& resource : resources_) {
      if (!HasLostDevices(node, resource)) continue;
      consider({.burden = Burden::kPenalized, .reason = rules_->devices_lost});
    }
    return {.fits = worst.burden != Burden::kExcluded,
            .score = ScoreUnder(worst.burden),
            .reason = worst.reason,
            .since = worst.since,
            .valid_until = valid_until};
  }

  std::string ViewKey() const override {
    std::string key;
    for (const Applicable& each : applicable_) {
      for (const bool suspect : each.suspect_in) key += suspect ? '1' : '0';
      key += ';';
    }
    return key.find('1') == std::string::npos ? "" : key;
  }

 private:
  Finding Judge(const Applicable& each, const model::Condition& condition,
                const model::NodeState& node) const {
    Finding finding = JudgeCondition(*each.rule, condition, node, rules_->config, now_);
    if (finding.burden == Burden::kExcluded && each.IsSuspect(node.accelerator)) {
      finding.burden = Burden::kPenalized;
      finding.reason = each.rule->suspect;
    }
    return finding;
  }

  // The same for one condition, on a node whose digest does not suffice.
  bool HasNoEffect(const model::Condition& condition) const {
    return condition.status == model::ConditionStatus::kFalse &&
           rules_->config.stale_after.count() == 0 &&
           now_ - condition.last_transition >= rules_->longest_recovery;
  }

  std::shared_ptr<const Rules> rules_;
  std::vector<Applicable> applicable_;  // points into *rules_
  std::vector<std::string> resources_;  // the catalogue's resources that the pod requests
  model::Time now_;
};

bool Applies(const HealthCondition& condition, const model::Pod& pod) {
  if (condition.resources.empty()) return true;
  return std::any_of(pod.requests.begin(), pod.requests.end(), [&](const auto& request) {
    return request.second > 0 &&
           std::any_of(condition.resources.begin(), condition.resources.end(),
                       [&](const std::string& pattern) {
                         return fnmatch(pattern.c_str(), request.first.c_str(), 0) == 0;
                       });
  });
}

Rule MakeRule(const HealthCondition& condition, ReasonTable& reasons) {
  const auto intern = [&](const std::string& text, const std::string& summary) {
    return reasons.Intern({.policy = std::string(HealthPolicy::kName),
                           .text = "node(s) had condition " + condition.type + text,
                           .summary = condition.type + summary});
  };
  return {.condition = condition,
          .unhealthy = intern("", ""),
          .unknown = intern(" of status Unknown", " Unknown"),
          .distrusted = intern(" until recently", " until recently"),
          .recovering = intern(" that turned False recently", " turned False recently"),
          .suspect = intern(" on suspiciously many nodes", " on suspiciously many nodes")};
}

}  // namespace

std::vector<ConditionCount> CountNodesByCondition(const HealthConfig& config,
                                                  const model::ClusterView& view, model::Time now) {
  std::vector<ConditionCount> counts;
  for (const HealthCondition& entry : config.conditions) {
    const Rule rule{.condition = entry};
    ConditionCount count{.condition = &entry};
    const std::uint64_t mark = model::MarkOf(entry.type);
    for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
      const model::NodeState* node = view.At(i);
      if (node == nullptr) continue;
      if (HaveNoEffect(node->digest, mark, entry.recovery, config, now)) continue;
      const Burden worst = WorstBurden(rule, *node, config, now);
      count.excluded += worst == Burden::kExcluded ? 1 : 0;
      count.penalized += worst == Burden::kPenalized ? 1 : 0;
      count.recovering += worst == Burden::kRecovering ? 1 : 0;
    }
    counts.push_back(count);
  }
  return counts;
}

bool Excludes(const HealthCondition& entry, const HealthConfig& config,
              const model::NodeState& node, model::Time now) {
  if (entry.effect != Effect::kExclude) return false;
  if (HaveNoEffect(node.digest, model::MarkOf(entry.type), entry.recovery, config, now)) {
    return false;
  }
  return WorstBurden({.condition = entry}, node, config, now) == Burden::kExcluded;
}

HealthPolicy::HealthPolicy(const PolicyContext& context, const HealthConfig& config)
    : catalog_(context.catalog) {
  auto rules = std::make_shared<Rules>();
  rules->config = config;
  for (const HealthCondition& condition : config.conditions) {
    rules->all.push_back(MakeRule(condition, context.reasons));
    rules->marks |= model::MarkOf(condition.type);
    rules->longest_recovery = std::max(rules->longest_recovery, condition.recovery);
  }
  rules->devices_lost =
      context.reasons.Intern({.policy = std::string(kName),
                              .text = "node(s) had fewer accelerators allocatable than installed",
                              .summary = "with devices missing"});
  rules_ = std::move(rules);
}

std::vector<bool> HealthPolicy::SuspectIn(const HealthCondition& entry,
                                          const model::PoolStats& pools, model::Time now) const {
  const HealthConfig& config = rules_->config;
  if (config.breaker.action != BreakerAction::kPenalize || entry.effect != Effect::kExclude) {
    return {};
  }
  std::vector<bool> suspect(catalog_.size());
  for (std::size_t i = 0; i < suspect.size(); ++i) {
    const auto accelerator = static_cast<model::AcceleratorCatalog::Index>(i);
    suspect[i] = IsTripped(entry, config, pools, accelerator, now);
  }
  return suspect;
}

Preparation HealthPolicy::Prepare(const model::Pod& pod, const model::ClusterView& view,
                                  model::Time now) const {
  std::vector<Applicable> applicable;
  for (const Rule& rule : rules_->all) {
    if (!Applies(rule.condition, pod)) continue;
    applicable.push_back({&rule, SuspectIn(rule.condition, view.Pools(), now)});
  }
  std::vector<std::string> resources;
  for (const auto& [resource, amount] : model::AcceleratorRequests(pod, catalog_)) {
    resources.push_back(resource);
  }
  return std::make_unique<HealthEvaluator>(rules_, std::move(applicable), std::move(resources),
                                           now);
}

}  // namespace berth::policies::scheduling
