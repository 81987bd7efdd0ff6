#include "board/details.h"

#include <absl/strings/ascii.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "board/json_text.h"
#include "policies/admission/wording.h"

namespace berth::board {

namespace {

using Json = nlohmann::json;

Json SecondsOf(model::Time time) { return time.time_since_epoch().count(); }

Json JsonOfResources(const model::Resources& resources) {
  Json json = Json::object();
  for (const auto& [name, amount] : resources) json[name] = amount;
  return json;
}

Json JsonOfPod(const PodTable::Entry& entry, const model::GangNames& names) {
  const model::Pod& pod = entry.pod;
  Json json = {{"namespace", pod.namespace_},
               {"name", pod.name},
               {"owner", entry.owner},
               {"node", pod.node_name},
               {"nominated", pod.nominated_node},
               {"created", SecondsOf(pod.created)},
               {"deleted", SecondsOf(pod.deleted)},
               {"priority", pod.priority},
               {"requests", JsonOfResources(pod.requests)},
               {"gates", pod.gates},
               {"scheduler", pod.scheduler},
               {"unschedulable", pod.unschedulable},
               {"gangWaits",
                policies::admission::OneLine(model::WhyGangIsHeld(pod), model::kMostGangMessage)}};
  const auto gang = model::GangOf(pod.annotations, names);
  if (gang.ok() && *gang) json["gang"] = {{"name", (*gang)->name}, {"size", (*gang)->size}};
  return json;
}

Json JsonOfPods(const std::vector<PodTable::Entry>& pods, const model::GangNames& names) {
  Json json = Json::array();
  for (const PodTable::Entry& pod : pods) json.push_back(JsonOfPod(pod, names));
  return json;
}

Json JsonOfConditions(const std::vector<model::Condition>& conditions) {
  static const std::map<model::ConditionStatus, std::string> names = {
      {model::ConditionStatus::kTrue, "True"},
      {model::ConditionStatus::kFalse, "False"},
      {model::ConditionStatus::kUnknown, "Unknown"}};
  Json json = Json::array();
  for (const model::Condition& condition : conditions) {
    json.push_back({{"type", condition.type},
                    {"status", names.at(condition.status)},
                    {"since", SecondsOf(condition.last_transition)},
                    {"heartbeat", SecondsOf(condition.last_heartbeat)}});
  }
  return json;
}

Json JsonOfOpinion(const placement::PolicyOpinion& opinion) {
  return {{"policy", opinion.policy}, {"observed", opinion.observed},     {"fits", opinion.fits},
          {"score", opinion.score},   {"weight", opinion.weight},         {"last", opinion.last},
          {"reason", opinion.reason}, {"since", SecondsOf(opinion.since)}};
}

Json JsonOfVerdict(const placement::NodeExplanation& node) {
  Json policies = Json::array();
  for (const placement::PolicyOpinion& opinion : node.policies) {
    policies.push_back(JsonOfOpinion(opinion));
  }
  Json json = {{"name", node.name},
               {"fits", node.fits},
               {"rank", node.rank},
               {"score", node.score},
               {"accelerator", node.accelerator},
               {"reason", node.reason},
               {"since", SecondsOf(node.since)},
               {"policies", std::move(policies)}};
  if (!node.devices.empty()) json["free"] = node.devices.front().Free();
  return json;
}

Json JsonOfGroups(const std::vector<placement::RefusedGroup>& groups) {
  Json json = Json::array();
  for (const placement::RefusedGroup& group : groups) {
    json.push_back({{"nodes", group.count},
                    {"policy", group.policy},
                    {"reason", group.reason},
                    {"oldest", SecondsOf(group.oldest)},
                    {"newest", SecondsOf(group.newest)}});
  }
  return json;
}

std::string TextOfFound(const PodTable::Entries& found) {
  Json rows = Json::array();
  std::set<std::string_view> nodes;
  for (const auto& [key, entry] : found) {
    const std::string& node = entry->Waits() ? entry->pod.nominated_node : entry->pod.node_name;
    if (!node.empty()) nodes.insert(node);
    if (rows.size() == kMostFound) continue;
    rows.push_back({{"namespace", entry->pod.namespace_},
                    {"name", entry->pod.name},
                    {"owner", entry->owner},
                    {"node", entry->pod.node_name},
                    {"nominated", entry->pod.nominated_node}});
  }
  return TextOf({{"total", found.size()}, {"pods", std::move(rows)}, {"nodes", nodes}});
}

}  // namespace

std::string NodeDetails(const NodeRow& row, const std::vector<model::Condition>& conditions,
                        const std::vector<PodTable::Entry>& bound,
                        const std::vector<PodTable::Entry>& planned,
                        const placement::Explanation& explanation, const std::string& judged_for,
                        const model::GangNames& names) {
  Json json = {{"name", row.name},
               {"pool", row.pool},
               {"rack", row.rack},
               {"status", static_cast<int>(row.status)},
               {"reason", row.reason},
               {"since", SecondsOf(row.since)},
               {"held", HeldDevices(row)},
               {"planned", PlannedDevices(row)},
               {"free", row.free},
               {"broken", row.broken},
               {"conditions", JsonOfConditions(conditions)},
               {"pods", JsonOfPods(bound, names)},
               {"plannedPods", JsonOfPods(planned, names)},
               {"judgedFor", judged_for}};
  for (const placement::NodeExplanation& node : explanation.nodes) {
    if (node.name == row.name) json["verdict"] = JsonOfVerdict(node);
  }
  return TextOf(json);
}

std::string PodDetails(const PodTable::Entry& entry, const placement::Explanation& explanation,
                       const model::GangNames& names) {
  Json json = JsonOfPod(entry, names);
  json["judged"] = !explanation.requests.empty();
  json["fitting"] = explanation.fitting;
  json["nodesInAll"] = explanation.nodes.size();
  json["refusedEverywhere"] = explanation.refused_everywhere;
  json["groups"] = JsonOfGroups(explanation.groups);
  json["hints"] = explanation.hints;
  json["nodes"] = Json::array();
  for (std::size_t i = 0; i < explanation.nodes.size() && i < kMostVerdicts; ++i) {
    json["nodes"].push_back(JsonOfVerdict(explanation.nodes[i]));
  }
  return TextOf(json);
}

std::string FoundPods(const PodTable& pods, const std::string& text) {
  const std::string sought = absl::AsciiStrToLower(text);
  const auto has = [&](const std::string& name) {
    return absl::AsciiStrToLower(name).find(sought) != std::string::npos;
  };
  PodTable::Entries found;
  for (const auto& [key, entry] : pods.entries()) {
    if (has(key) || has(entry.owner)) found.emplace(key, &entry);
  }
  return TextOfFound(found);
}

std::string PodsOfOwner(const PodTable& pods, const std::string& owner) {
  PodTable::Entries found;
  for (const auto& [key, entry] : pods.entries()) {
    if (entry.owner == owner) found.emplace(key, &entry);
  }
  return TextOfFound(found);
}

}  // namespace berth::board
