#include "policies/fit/fit.h"

#include <algorithm>
#include <array>
#include <vector>

#include "model/label.h"
#include "model/node_selector.h"
#include "model/taint.h"
#include "policies/fit/trimmed_pod.h"

namespace berth::policies::fit {

using model::HostPort;
using model::Node;
using model::NodeState;
using model::Pod;

namespace {

// What kubelet's controller puts on a cordoned node; who tolerates it may run there
// (k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go).
const model::Taint& UnschedulableTaint() {
  static const model::Taint taint{
      .key = "node.kubernetes.io/unschedulable", .value = {}, .effect = "NoSchedule"};
  return taint;
}

bool KeepsOff(const model::Taint& taint, const Pod& pod) {
  return taint.effect != model::kPreferNoSchedule && !model::IsTolerated(taint, pod.tolerations);
}

bool IsTaken(const HostPort& wanted, const NodeState& node) {
  return std::ranges::any_of(node.ports,
                             [&](const HostPort& port) { return Conflict(port, wanted); });
}

// Texts, each after its length, so that no two different lists make the same text.
struct Shape {
  Shape& Add(std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
    return *this;
  }
  void End() { text += ';'; }

  std::string text;
};

void AddRequirements(const std::vector<model::NodeRequirement>& requirements, Shape& shape) {
  for (const model::NodeRequirement& requirement : requirements) {
    shape.Add(requirement.key).Add(requirement.op);
    for (const std::string& value : requirement.values) shape.Add(value);
    shape.End();
  }
  shape.End();
}

void AddTerms(const std::vector<model::NodeSelectorTerm>& terms, Shape& shape) {
  shape.Add("terms");
  for (const model::NodeSelectorTerm& term : terms) {
    AddRequirements(term.expressions, shape);
    AddRequirements(term.fields, shape);
  }
  shape.End();
}

// Whether `amount` more than what is used is there. A sum could overflow.
bool HasLeft(std::int64_t there, std::int64_t used, std::int64_t amount) {
  return used <= there && amount <= there - used;
}

bool HasResources(const Pod& pod, const NodeState& state) {
  return std::ranges::all_of(pod.requests, [&state](const model::Resources::Entry& request) {
    const auto& [name, amount] = request;
    return amount <= 0 || HasLeft(state.node.allocatable.Get(name), state.used.Get(name), amount);
  });
}

bool IsFeature(std::string_view label) { return label.starts_with(model::kNodeFeaturePrefix); }

bool NamesFeature(const model::NodeSelectorTerm& term) {
  return std::ranges::any_of(term.expressions,
                             [](const auto& requirement) { return IsFeature(requirement.key); });
}

bool NamesFeature(const model::NodeNeeds& needs) {
  const auto is_feature = [](const auto& label) { return IsFeature(label.first); };
  if (std::ranges::any_of(needs.selector, is_feature)) return true;
  return needs.terms && std::ranges::any_of(*needs.terms, [](const model::NodeSelectorTerm& term) {
           return NamesFeature(term);
         });
}

}  // namespace

Unknown UnknownNeed(const Pod& pod) {
  if (!ExcessOf(pod).empty()) return Unknown::kTooLarge;
  if (pod.scored.claims) return Unknown::kClaims;
  if (pod.attached_volumes) return Unknown::kVolumes;
  if (pod.scored.pod_affinity) return Unknown::kPodAffinity;
  if (pod.scored.hard_spread) return Unknown::kSpread;
  return NamesFeature(pod.needs) ? Unknown::kNodeFeatures : Unknown::kNone;
}

std::string_view NameOf(Unknown unknown) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "none", "too_large", "claims", "volumes", "pod_affinity", "spread", "node_features"};
  return kNames[static_cast<std::size_t>(unknown)];
}

std::string ShapeOf(const Pod& pod) {
  Shape shape;
  for (const auto& [name, amount] : pod.requests) shape.Add(name).Add(std::to_string(amount));
  shape.End();
  for (const model::Toleration& each : pod.tolerations) {
    shape.Add(each.key).Add(each.op).Add(each.value).Add(each.effect);
  }
  shape.End();
  for (const auto& [name, value] : pod.needs.selector) shape.Add(name).Add(value);
  shape.End();
  if (pod.needs.terms) AddTerms(*pod.needs.terms, shape);
  for (const HostPort& port : pod.host_ports) {
    shape.Add(port.protocol).Add(port.ip).Add(std::to_string(port.port));
  }
  return shape.text;
}

void Book(const Pod& pod, NodeState& node) {
  node.used.Add(pod.requests);
  ++node.pods;
  node.ports.insert(node.ports.end(), pod.host_ports.begin(), pod.host_ports.end());
}

Misfit JudgeNode(const Pod& pod, const Node& node) {
  if (node.unschedulable && KeepsOff(UnschedulableTaint(), pod)) return Misfit::kUnschedulable;
  const auto keeps_off = [&pod](const model::Taint& taint) { return KeepsOff(taint, pod); };
  if (std::ranges::any_of(node.taints, keeps_off)) return Misfit::kTaint;
  return model::Meets(pod.needs, node.labels, node.name) ? Misfit::kNone : Misfit::kSelector;
}

Misfit JudgeRoom(const Pod& pod, const NodeState& node) {
  const auto taken = [&node](const HostPort& port) { return IsTaken(port, node); };
  if (std::ranges::any_of(pod.host_ports, taken)) return Misfit::kPort;
  if (!HasLeft(node.node.allocatable.Get("pods"), node.pods, 1)) return Misfit::kPods;
  return HasResources(pod, node) ? Misfit::kNone : Misfit::kResource;
}

bool IsFull(const Pod& pod, const NodeState& node) {
  if (JudgeRoom(pod, node) == Misfit::kNone) return false;
  NodeState empty;
  empty.node.allocatable = node.node.allocatable;
  return JudgeRoom(pod, empty) == Misfit::kNone;
}

std::int64_t RoomFor(const Pod& pod, const NodeState& node, std::int64_t most) {
  if (JudgeRoom(pod, node) != Misfit::kNone) return 0;
  // Another pod like it asks for the same port.
  if (!pod.host_ports.empty()) return std::min<std::int64_t>(most, 1);
  std::int64_t room = std::min(most, node.node.allocatable.Get("pods") - node.pods);
  for (const auto& [name, amount] : pod.requests) {
    if (amount <= 0) continue;
    room = std::min(room, (node.node.allocatable.Get(name) - node.used.Get(name)) / amount);
  }
  return room;
}

}  // namespace berth::policies::fit
