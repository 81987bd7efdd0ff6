#include "cli/pod_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "model/annotation.h"
#include "model/node.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

// The condition that repeats what kube-scheduler's events say.
constexpr std::string_view kScheduled = "PodScheduled";

std::string NodesIn(std::uint64_t count) {
  return count == 1 ? "1 node" : fmt::format("{} nodes", count);
}

// "PodScheduled is False (Unschedulable): 0/3 nodes are available".
std::string ConditionLine(const std::string& type, const PodCondition& condition,
                          bool with_message) {
  std::string line = fmt::format("{} is {}", type, condition.status);
  if (!condition.reason.empty()) line += fmt::format(" ({})", condition.reason);
  if (with_message && !condition.message.empty()) line += ": " + condition.message;
  return line;
}

std::string EventLine(const PodEvent& event) {
  return fmt::format("{}, {}: {}", event.source, event.reason, event.message);
}

Tone ToneOf(const PodCondition& condition) {
  return condition.status == "True" ? Tone::kPlain : Tone::kWaiting;
}

// Collects what has changed, subject by subject.
class Comparison {
 public:
  Comparison(const Observed& before, const Observed& after) : before_(before), after_(after) {}

  std::vector<Remark> Remarks() {
    CompareVerdicts();
    ComparePods();
    CompareConditions();
    if (before_.gang != after_.gang && !after_.gang.empty()) {
      Say(fmt::format("gang {}: {}", after_.pod.gang, after_.gang));
    }
    CompareEvents();
    return std::move(remarks_);
  }

 private:
  void Say(std::string text, Tone tone = Tone::kPlain) {
    remarks_.push_back({std::move(text), tone});
  }

  void CompareVerdicts() {
    if (!before_.verdicts || !after_.verdicts) return;
    const Verdicts& before = *before_.verdicts;
    const Verdicts& after = *after_.verdicts;
    std::set<std::string_view> reasons;
    for (const auto& [reason, unused] : before.refused) reasons.insert(reason);
    for (const auto& [reason, unused] : after.refused) reasons.insert(reason);
    for (const std::string_view reason : reasons) {
      const std::uint64_t was = CountIn(before, reason);
      const std::uint64_t is = CountIn(after, reason);
      if (is == was) continue;
      Say(fmt::format("{}: {} refused, was {}", reason, NodesIn(is), was),
          is > was ? Tone::kBad : Tone::kGood);
    }
    if (before.fitting == after.fitting) return;
    Say(fmt::format("{} {}, was {}", NodesIn(after.fitting), after.fitting == 1 ? "fits" : "fit",
                    before.fitting),
        after.fitting > before.fitting ? Tone::kGood : Tone::kBad);
  }

  static std::uint64_t CountIn(const Verdicts& verdicts, std::string_view reason) {
    const auto found = verdicts.refused.find(std::string(reason));
    return found == verdicts.refused.end() ? 0 : found->second;
  }

  void ComparePods() {
    const PodProgress& before = before_.pod;
    const PodProgress& after = after_.pod;
    for (const std::string& gate : before.gates) {
      if (std::ranges::find(after.gates, gate) == after.gates.end()) {
        Say(fmt::format("scheduling gate {} is gone", gate), Tone::kGood);
      }
    }
    // kube-scheduler clears the nomination when it binds the pod.
    if (before.nominated != after.nominated && after.node.empty()) {
      Say(after.nominated.empty() ? fmt::format("{} is no longer nominated", before.nominated)
                                  : fmt::format("{} is nominated", after.nominated),
          after.nominated.empty() ? Tone::kWaiting : Tone::kGood);
    }
    if (before.node != after.node) Say(fmt::format("bound to {}", after.node), Tone::kGood);
    if (before.waiting != after.waiting && !after.waiting.empty()) {
      Say(fmt::format("its containers wait: {}", after.waiting), Tone::kWaiting);
    }
    if (!before.ending && after.ending) Say("somebody has deleted it, and it ends", Tone::kBad);
    // That it runs or has ended is the last line.
    if (before.phase != after.phase && !EndOf(after)) Say(fmt::format("phase {}", after.phase));
  }

  void CompareConditions() {
    for (const auto& [type, condition] : after_.pod.conditions) {
      const auto found = before_.pod.conditions.find(type);
      const bool is_new = found == before_.pod.conditions.end();
      // That a pod is bound and runs is told already; its conditions say it in four lines more.
      if (condition.status == "True" && (is_new || type == kScheduled)) continue;
      const bool with_message = type != kScheduled || !after_.events;
      if (!is_new && IsSame(found->second, condition, with_message)) continue;
      Say(ConditionLine(type, condition, with_message), ToneOf(condition));
    }
  }

  static bool IsSame(const PodCondition& before, const PodCondition& after, bool with_message) {
    return before.status == after.status && before.reason == after.reason &&
           (!with_message || before.message == after.message);
  }

  void CompareEvents() {
    if (!after_.events) return;
    std::set<PodEvent> known;
    if (before_.events) known.insert(before_.events->begin(), before_.events->end());
    for (const PodEvent& event : *after_.events) {
      if (known.insert(event).second) Say(EventLine(event));
    }
  }

  const Observed& before_;
  const Observed& after_;
  std::vector<Remark> remarks_;
};

// What a container waits for, or what it waits for to be started again: "CrashLoopBackOff".
std::string WaitingIn(const JsonValue& status) {
  std::string waiting;
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    status.Field(list).ForEachItem([&](const JsonValue& container) {
      const JsonValue state = container.Field("state");
      const std::string reason = state.Field("waiting").Field("reason").Text();
      // Containers wait for those that initialise the pod: that says nothing by itself.
      if (waiting.empty() && reason != "PodInitializing") waiting = reason;
    });
  }
  return waiting;
}

}  // namespace

PodProgress PodProgressOf(const JsonValue& pod, const std::string& gang_annotation) {
  const JsonValue metadata = pod.Field("metadata");
  const JsonValue spec = pod.Field("spec");
  const JsonValue status = pod.Field("status");
  PodProgress progress{.uid = metadata.Field("uid").Text(),
                       .phase = status.Field("phase").Text(),
                       .node = spec.Field("nodeName").Text(),
                       .nominated = status.Field("nominatedNodeName").Text(),
                       .waiting = WaitingIn(status),
                       .reason = status.Field("reason").Text(),
                       .ending = !metadata.Field("deletionTimestamp").absent()};
  const model::StringMap annotations = metadata.Field("annotations").StringMap();
  progress.gang = std::string(model::Trim(model::Find(annotations, gang_annotation).value_or("")));
  spec.Field("schedulingGates").ForEachItem([&](const JsonValue& gate) {
    progress.gates.push_back(gate.Field("name").Text());
  });
  status.Field("conditions").ForEachItem([&](const JsonValue& condition) {
    progress.conditions[condition.Field("type").Text()] = {
        .status = condition.Field("status").Text(),
        .reason = condition.Field("reason").Text(),
        .message = condition.Field("message").Text()};
  });
  return progress;
}

PodEvent PodEventOf(const JsonValue& event) {
  // Events of events.k8s.io have the first field, older ones the second.
  std::string source = event.Field("reportingComponent").Text();
  if (source.empty()) source = event.Field("source").Field("component").Text();
  return {.source = source.empty() ? "event" : std::move(source),
          .reason = event.Field("reason").Text(),
          .message = event.Field("message").Text()};
}

Verdicts VerdictsOf(const v1::ExplainResponse& explanation) {
  Verdicts verdicts{.fitting = explanation.fitting()};
  for (const v1::RefusedGroup& group : explanation.refused()) {
    verdicts.refused[group.summary()] += group.nodes();
  }
  return verdicts;
}

std::vector<Remark> StateOf(const Observed& observed) {
  const PodProgress& pod = observed.pod;
  std::vector<Remark> remarks;
  if (!pod.node.empty()) {
    remarks.push_back({fmt::format("bound to {}, phase {}", pod.node, pod.phase), Tone::kGood});
  } else if (!pod.nominated.empty()) {
    remarks.push_back({fmt::format("not bound; {} is nominated", pod.nominated), Tone::kWaiting});
  } else {
    remarks.push_back({"not bound, and no node is nominated", Tone::kWaiting});
  }
  for (const std::string& gate : pod.gates) {
    remarks.push_back({fmt::format("scheduling gate {}", gate), Tone::kWaiting});
  }
  if (!observed.gang.empty()) {
    remarks.push_back({fmt::format("gang {}: {}", pod.gang, observed.gang)});
  }
  if (!pod.waiting.empty()) {
    remarks.push_back({fmt::format("its containers wait: {}", pod.waiting), Tone::kWaiting});
  }
  const bool has_events = observed.events && !observed.events->empty();
  for (const auto& [type, condition] : pod.conditions) {
    if (condition.status == "True") continue;
    const bool with_message = type != kScheduled || !has_events;
    remarks.push_back({ConditionLine(type, condition, with_message), ToneOf(condition)});
  }
  if (!has_events) return remarks;
  for (const PodEvent& event : std::set(observed.events->begin(), observed.events->end())) {
    remarks.push_back({EventLine(event)});
  }
  return remarks;
}

std::vector<Remark> ChangesBetween(const Observed& before, const Observed& after) {
  return Comparison(before, after).Remarks();
}

std::optional<PodEnd> EndOf(const PodProgress& pod) {
  if (pod.phase == "Running" && !pod.ending) {
    return PodEnd{{fmt::format("it runs on {}", pod.node), Tone::kGood}, true};
  }
  if (pod.phase == "Succeeded") {
    return PodEnd{{fmt::format("it has succeeded on {}", pod.node), Tone::kGood}, true};
  }
  if (pod.phase != "Failed") return std::nullopt;
  const std::string why = pod.reason.empty() ? "" : fmt::format(": {}", pod.reason);
  return PodEnd{{"it has failed" + why, Tone::kBad}, false};
}

}  // namespace berth::cli
