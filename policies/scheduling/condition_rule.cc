#include "policies/scheduling/condition_rule.h"

#include <algorithm>

#include "model/past_status.h"

namespace berth::policies::scheduling {

namespace {

using model::ConditionHealth;
using model::SaturatingAdd;

ConditionHealth HealthBy(const HealthCondition& entry, const model::Condition& condition) {
  return model::HealthOf(condition.status, BadStatusOf(entry));
}

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

// The fault of the entry's type that Berth has seen begin or end on the node, and that lasts or has
// ceased; null if none. While the condition is Unknown, what it had before counts as lasting.
const model::PastStatus* SeenBad(const HealthCondition& entry, const model::NodeState& node,
                                 bool lasts) {
  const auto seen = std::find_if(node.past.begin(), node.past.end(), [&](const auto& past) {
    return past.status == BadStatusOf(entry) && past.lasts == lasts && past.type == entry.type;
  });
  return seen != node.past.end() ? &*seen : nullptr;
}

// The same, of a condition that is not bad now, if it was bad for too long for a slip of the
// detector; else null.
const model::PastStatus* SeenBadForLong(const HealthCondition& entry, const model::NodeState& node,
                                        bool lasts) {
  const model::PastStatus* const seen = SeenBad(entry, node, lasts);
  const bool is_long = seen != nullptr && model::LastedFor(*seen) >= LongBad(entry);
  return is_long ? seen : nullptr;
}

// Since when the condition, which is bad, has been so, by the node's clock. A detector that
// restarts may say well before it has looked, or writes the time anew.
model::Time BadSince(const HealthCondition& entry, const model::Condition& condition,
                     const model::NodeState& node) {
  const model::PastStatus* const seen = SeenBad(entry, node, true);
  return seen != nullptr ? std::min(seen->since, condition.last_transition)
                         : condition.last_transition;
}

// From when on minDuration of the condition, which is bad, counts. By the clock of a node that is
// minutes behind it would be over at once, and by one that is ahead it would take longer.
model::Time CountsFrom(const HealthCondition& entry, const model::Condition& condition,
                       const model::NodeState& node) {
  const model::PastStatus* const seen = SeenBad(entry, node, true);
  const bool seen_begin = seen != nullptr && seen->noticed_since != model::kNoTime;
  return seen_begin ? model::BeganBefore(*seen) : BadSince(entry, condition, node);
}

Finding JudgeBad(const ConditionRule& rule, const model::Condition& condition,
                 const model::NodeState& node, model::Time now) {
  const HealthCondition& entry = rule.condition;
  // Without a transition time nobody knows when the condition began, so assume long ago.
  if (entry.min_duration.count() > 0 && condition.last_transition != model::kNoTime) {
    const model::Time begins =
        SaturatingAdd(CountsFrom(entry, condition, node), entry.min_duration);
    if (now < begins) return {.valid_until = begins};
  }
  return {.burden = BurdenOf(entry.effect),
          .reason = rule.unhealthy,
          .since = condition.last_transition,
          .began = BadSince(entry, condition, node)};
}

// When the condition ceased to be bad. Where Berth knows that by its own clock, that of the node
// does not matter: by one that is minutes behind, the time to look would be over at once.
model::Time CeasedAt(const model::PastStatus& seen, const model::Condition& condition) {
  if (seen.noticed != model::kNoTime) return seen.noticed;
  return std::min(seen.until, condition.last_transition);
}

// A condition that is no longer bad keeps its effect for a while if Berth has seen it bad for long:
// a detector that restarts may not have looked yet.
Finding JudgeKept(const ConditionRule& rule, const model::Condition& condition,
                  const model::NodeState& node, const HealthConfig& config, model::Time now) {
  if (config.keep_for.count() == 0 || condition.last_transition == model::kNoTime) return {};
  const model::PastStatus* const seen = SeenBadForLong(rule.condition, node, false);
  if (seen == nullptr) return {};
  const model::Time kept_until = SaturatingAdd(CeasedAt(*seen, condition), config.keep_for);
  if (now >= kept_until) return {};
  return {.burden = BurdenOf(rule.condition.effect),
          .reason = rule.distrusted,
          .since = condition.last_transition,
          .valid_until = kept_until,
          .began = seen->since};
}

Finding JudgeRecovering(const ConditionRule& rule, const model::Condition& condition,
                        const model::NodeState& node, model::Time now) {
  const model::Duration recovery = rule.condition.recovery;
  if (recovery.count() == 0 || condition.last_transition == model::kNoTime) return {};
  const model::Time recovered = SaturatingAdd(condition.last_transition, recovery);
  if (now >= recovered) return {};
  const model::PastStatus* const seen = SeenBadForLong(rule.condition, node, false);
  const model::Time distrusted_until =
      seen != nullptr ? SaturatingAdd(seen->until, recovery) : model::kNoTime;
  const bool distrusted = now < distrusted_until;
  return {.burden = distrusted ? Burden::kPenalized : Burden::kRecovering,
          .reason = distrusted ? rule.distrusted : rule.recovering,
          .since = condition.last_transition,
          .valid_until = distrusted ? std::min(distrusted_until, recovered) : recovered};
}

Finding JudgeWell(const ConditionRule& rule, const model::Condition& condition,
                  const model::NodeState& node, const HealthConfig& config, model::Time now) {
  const Finding kept = JudgeKept(rule, condition, node, config, now);
  const Finding recovering = JudgeRecovering(rule, condition, node, now);
  return kept.burden > recovering.burden ? kept : recovering;
}

// The first moment at which the condition is stale; kForever if it never is.
model::Time StaleFrom(const HealthCondition& entry, const model::Condition& condition,
                      const HealthConfig& config) {
  const model::Duration stale_after = StaleAfter(entry, config);
  if (stale_after.count() == 0 || condition.last_heartbeat == model::kNoTime) {
    return model::kForever;
  }
  return SaturatingAdd(SaturatingAdd(condition.last_heartbeat, stale_after), model::Duration{1});
}

Finding FindUnknown(const ConditionRule& rule, const model::Condition& condition,
                    const HealthConfig& config) {
  const Effect effect = EffectOfUnknown(rule.condition, config);
  if (effect == Effect::kIgnore) return {};
  const bool is_stale = HealthBy(rule.condition, condition) != ConditionHealth::kUnknown;
  return {
      .burden = BurdenOf(effect),
      .reason = rule.unknown,
      .since = condition.last_transition,
      .began = is_stale ? StaleFrom(rule.condition, condition, config) : condition.last_transition};
}

// Nobody knows the present state of the condition, which is not bad as far as anybody said.
Finding JudgeDoubtful(const ConditionRule& rule, const model::Condition& condition,
                      const model::NodeState& node, const HealthConfig& config, model::Time now) {
  const Finding kept = JudgeKept(rule, condition, node, config, now);
  const Finding unknown = FindUnknown(rule, condition, config);
  return kept.burden > unknown.burden ? kept : unknown;
}

// A condition that was bad for long when it became Unknown is taken to be bad until its detector
// says that it is well: the detector may have lost its means by the very fault, or by an upgrade.
Finding JudgeBadBefore(const ConditionRule& rule, const model::Condition& condition,
                       const model::NodeState& node) {
  const model::PastStatus* const seen = SeenBadForLong(rule.condition, node, true);
  if (seen == nullptr) return {};
  return {.burden = BurdenOf(rule.condition.effect),
          .reason = rule.bad_before,
          .since = condition.last_transition,
          .began = seen->since};
}

Finding JudgeUnknown(const ConditionRule& rule, const model::Condition& condition,
                     const model::NodeState& node, const HealthConfig& config, model::Time now) {
  const Finding before = JudgeBadBefore(rule, condition, node);
  const Finding doubtful = JudgeDoubtful(rule, condition, node, config, now);
  const bool was_bad = before.burden != Burden::kNone;
  return was_bad && before.burden >= doubtful.burden ? before : doubtful;
}

Finding JudgeStale(const ConditionRule& rule, const model::Condition& condition,
                   const model::NodeState& node, const HealthConfig& config, model::Time now) {
  if (HealthBy(rule.condition, condition) != ConditionHealth::kBad) {
    return JudgeDoubtful(rule, condition, node, config, now);
  }
  Finding finding = FindUnknown(rule, condition, config);
  // The detector may have died of the very fault that it reported, so the worse finding counts. The
  // condition's minDuration goes on without heartbeats.
  const Finding of_bad = JudgeBad(rule, condition, node, now);
  if (of_bad.burden >= finding.burden) return of_bad;
  finding.valid_until = of_bad.valid_until;
  return finding;
}

}  // namespace

Finding JudgeCondition(const ConditionRule& rule, const model::Condition& condition,
                       const model::NodeState& node, const HealthConfig& config, model::Time now) {
  const ConditionHealth health = HealthBy(rule.condition, condition);
  if (health == ConditionHealth::kUnknown) return JudgeUnknown(rule, condition, node, config, now);
  const model::Time stale_from = StaleFrom(rule.condition, condition, config);
  if (now >= stale_from) return JudgeStale(rule, condition, node, config, now);
  const bool is_bad = health == ConditionHealth::kBad;
  Finding finding =
      is_bad ? JudgeBad(rule, condition, node, now) : JudgeWell(rule, condition, node, config, now);
  const bool outlasts_heartbeats = is_bad && finding.burden != Burden::kNone;
  if (!outlasts_heartbeats) finding.valid_until = std::min(finding.valid_until, stale_from);
  return finding;
}

std::optional<model::Time> ExcludedSince(const HealthCondition& entry, const HealthConfig& config,
                                         const model::NodeState& node, model::Time now) {
  if (entry.effect != Effect::kExclude) return std::nullopt;
  RuleScope scope;
  scope.Add(entry, config);
  if (scope.HaveNoEffect(node.digest, now)) return std::nullopt;
  const ConditionRule rule{.condition = entry};
  std::optional<model::Time> since;
  for (const model::Condition& condition : node.node.conditions) {
    if (condition.type != entry.type) continue;
    const Finding finding = JudgeCondition(rule, condition, node, config, now);
    if (finding.burden != Burden::kExcluded) continue;
    since = since ? std::min(*since, finding.began) : finding.began;
  }
  return since;
}

Burden WorstBurden(const HealthCondition& entry, const HealthConfig& config,
                   const model::NodeState& node, model::Time now) {
  RuleScope scope;
  scope.Add(entry, config);
  if (scope.HaveNoEffect(node.digest, now)) return Burden::kNone;
  const ConditionRule rule{.condition = entry};
  Burden worst = Burden::kNone;
  for (const model::Condition& condition : node.node.conditions) {
    if (condition.type != entry.type) continue;
    worst = std::max(worst, JudgeCondition(rule, condition, node, config, now).burden);
  }
  return worst;
}

void RuleScope::Add(const HealthCondition& entry, const HealthConfig& config) {
  const bool true_is_bad =
      model::HealthOf(model::ConditionStatus::kTrue, BadStatusOf(entry)) == ConditionHealth::kBad;
  (true_is_bad ? bad_if_true_ : bad_if_false_) |= model::MarkOf(entry.type);
  longest_recovery_ = std::max({longest_recovery_, entry.recovery, config.keep_for});
  ages_ = ages_ || StaleAfter(entry, config).count() > 0;
}

}  // namespace berth::policies::scheduling
