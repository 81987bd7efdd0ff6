#include "policies/scheduling/health.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/annotation.h"
#include "policies/scheduling/breaker.h"
#include "policies/scheduling/health_profiles.h"
#include "policies/scheduling/max_runtime.h"

namespace berth::policies::scheduling {

namespace {

using Rules = HealthPolicy::Rules;

std::uint16_t ScoreUnder(Burden burden) {
  if (burden == Burden::kNone) return kMaxScore;
  return burden == Burden::kRecovering ? HealthPolicy::kRecoveringScore : std::uint16_t{0};
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
  const ConditionRule* rule = nullptr;
  // Pools in which the rule must not exclude nodes, by catalogue index. Empty if there is none.
  std::vector<bool> suspect_in;

  bool IsSuspect(model::AcceleratorCatalog::Index accelerator) const {
    const auto index = static_cast<std::size_t>(accelerator);
    return index < suspect_in.size() && suspect_in[index];
  }
};

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
    if (!rules_->scope.HaveNoEffect(node.digest, now_)) {
      for (const model::Condition& condition : node.node.conditions) {
        if (rules_->scope.HasNoEffect(condition, node, now_)) continue;
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

  std::shared_ptr<const Rules> rules_;
  std::vector<Applicable> applicable_;  // points into *rules_
  std::vector<std::string> resources_;  // the catalogue's resources that the pod requests
  model::Time now_;
};

bool Applies(const HealthCondition& condition, const model::Pod& pod,
             std::optional<model::Duration> max_runtime) {
  if (max_runtime && *max_runtime <= condition.max_runtime) return false;
  if (condition.resources.empty()) return true;
  return std::any_of(pod.requests.begin(), pod.requests.end(), [&](const auto& request) {
    return request.second > 0 &&
           std::any_of(condition.resources.begin(), condition.resources.end(),
                       [&](const std::string& pattern) {
                         return fnmatch(pattern.c_str(), request.first.c_str(), 0) == 0;
                       });
  });
}

ConditionRule MakeRule(const HealthCondition& condition, ReasonTable& reasons) {
  const auto intern = [&](const std::string& text, const std::string& summary) {
    return reasons.Intern({.policy = std::string(HealthPolicy::kName),
                           .text = "node(s) had condition " + condition.type + text,
                           .summary = condition.type + summary});
  };
  const bool true_is_bad = condition.bad_status == BadStatus::kTrue;
  const std::string bad = true_is_bad ? "" : " of status False";
  const std::string briefly = true_is_bad ? "" : " False";
  const std::string turned_well = true_is_bad ? " turned False recently" : " turned True recently";
  const std::string bad_before =
      true_is_bad ? " was True and is Unknown" : " was False and is Unknown";
  return {.condition = condition,
          .unhealthy = intern(bad, briefly),
          .unknown = intern(" of status Unknown", " Unknown"),
          .bad_before = intern(" that" + bad_before, bad_before),
          .distrusted = intern(bad + " until recently", briefly + " until recently"),
          .recovering = intern(" that" + turned_well, turned_well),
          .suspect =
              intern(bad + " on suspiciously many nodes", briefly + " on suspiciously many nodes")};
}

}  // namespace

std::vector<ConditionCount> CountNodesByCondition(const HealthConfig& config,
                                                  const model::ClusterView& view, model::Time now) {
  std::vector<ConditionCount> counts;
  for (const HealthCondition& entry : AllConditions(config)) {
    ConditionCount count{.condition = entry};
    for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
      const model::NodeState* node = view.At(i);
      if (node == nullptr) continue;
      const Burden worst = WorstBurden(entry, config, *node, now);
      count.excluded += worst == Burden::kExcluded ? 1 : 0;
      count.penalized += worst == Burden::kPenalized ? 1 : 0;
      count.recovering += worst == Burden::kRecovering ? 1 : 0;
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

bool Excludes(const HealthCondition& entry, const HealthConfig& config,
              const model::NodeState& node, model::Time now) {
  if (entry.effect != Effect::kExclude) return false;
  return WorstBurden(entry, config, node, now) == Burden::kExcluded;
}

bool AppliesTo(const HealthCondition& entry, const model::Pod& pod,
               std::string_view runtime_annotation) {
  return Applies(entry, pod, MaxRuntimeOf(pod, runtime_annotation));
}

HealthPolicy::HealthPolicy(const PolicyContext& context, const HealthConfig& config)
    : catalog_(context.catalog),
      runtime_annotation_(model::kMaxRuntimeAnnotation.Below(context.prefix)) {
  auto rules = std::make_shared<Rules>();
  rules->config = config;
  for (const HealthCondition& condition : AllConditions(config)) {
    rules->all.push_back(MakeRule(condition, context.reasons));
    rules->scope.Add(condition, config);
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

std::vector<std::string> HealthPolicy::Annotations() const {
  const bool spares = std::any_of(rules_->all.begin(), rules_->all.end(), [](const auto& rule) {
    return rule.condition.max_runtime.count() > 0;
  });
  return spares ? std::vector{runtime_annotation_} : std::vector<std::string>{};
}

Preparation HealthPolicy::Prepare(const model::Pod& pod, const model::ClusterView& view,
                                  model::Time now) const {
  const auto max_runtime = MaxRuntimeOf(pod, runtime_annotation_);
  std::vector<Applicable> applicable;
  for (const ConditionRule& rule : rules_->all) {
    if (!Applies(rule.condition, pod, max_runtime)) continue;
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
