#include "cli/explanation_json.h"

#include <nlohmann/json.hpp>

#include "cli/age.h"
#include "cli/explanation_text.h"

namespace berth::cli {

namespace {

using placement::DeviceCount;
using placement::Explanation;
using placement::NodeExplanation;
using placement::PolicyOpinion;
using placement::RefusedGroup;
using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json TimeOrNull(model::Time time) {
  return time == model::kNoTime ? Json(nullptr) : Json(FormatTime(time));
}

Json JsonOf(const DeviceCount& devices) {
  return {{"resource", devices.resource},
          {"requested", devices.requested},
          {"listed", devices.listed},
          {"capacity", devices.capacity},
          {"allocatable", devices.allocatable},
          {"used", devices.used},
          {"free", devices.Free()}};
}

Json JsonOf(const PolicyOpinion& opinion) {
  return {{"policy", opinion.policy},
          {"mode", opinion.observed ? "Observe" : "Enforce"},
          {"fits", opinion.fits},
          {"score", opinion.score},
          {"weight", opinion.weight},
          {"reason", TextOrNull(opinion.reason)},
          {"since", TimeOrNull(opinion.since)}};
}

Json JsonOf(const RefusedGroup& group) {
  return {{"count", group.count},
          {"policy", group.policy},
          {"reason", group.reason},
          {"summary", group.summary},
          {"oldest", TimeOrNull(group.oldest)},
          {"newest", TimeOrNull(group.newest)}};
}

Json JsonOf(const model::Condition& condition) {
  const Json status = condition.status == model::ConditionStatus::kTrue    ? "True"
                      : condition.status == model::ConditionStatus::kFalse ? "False"
                                                                           : "Unknown";
  return {{"type", condition.type},
          {"status", status},
          {"lastTransitionTime", TimeOrNull(condition.last_transition)},
          {"lastHeartbeatTime", TimeOrNull(condition.last_heartbeat)}};
}

Json JsonOf(const NodeExplanation& node);

template <typename T>
Json ListOf(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(JsonOf(item));
  return list;
}

Json JsonOf(const NodeExplanation& node) {
  return {{"name", node.name},
          {"fits", node.fits},
          {"rank", node.rank},
          {"score", node.score},
          {"last", node.last},
          {"accelerator", TextOrNull(node.accelerator)},
          {"reason", TextOrNull(node.reason)},
          {"since", TimeOrNull(node.since)},
          {"devices", ListOf(node.devices)},
          {"policies", ListOf(node.policies)}};
}

Json NodesOf(const Explanation& explanation, const NodeExplanation* node) {
  if (node == nullptr) return ListOf(explanation.nodes);
  Json detailed = JsonOf(*node);
  detailed["conditions"] = ListOf(node->conditions);
  return Json::array({std::move(detailed)});
}

Json RequestsOf(const Explanation& explanation) {
  Json requests = Json::object();
  for (const auto& [resource, amount] : explanation.requests) requests[resource] = amount;
  return requests;
}

}  // namespace

std::string ExplanationJson(const Explanation& explanation, const std::string& what,
                            const NodeExplanation* node) {
  const bool concerned = !explanation.requests.empty();
  const Json json = {{"pod", what},
                     {"time", FormatTime(explanation.now)},
                     {"requests", RequestsOf(explanation)},
                     {"concerned", concerned},
                     {"refusedEverywhere", explanation.refused_everywhere},
                     {"summary", concerned ? Json(SummaryOf(explanation)) : Json(nullptr)},
                     {"fitting", explanation.fitting},
                     {"notShortlisted", TextOrNull(explanation.not_shortlisted)},
                     {"refused", ListOf(explanation.groups)},
                     {"hints", explanation.hints},
                     {"nodes", NodesOf(explanation, node)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::cli
