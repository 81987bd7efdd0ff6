#include <google/protobuf/repeated_field.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/age.h"
#include "cli/explanation_output.h"
#include "placement/placement_messages.h"

namespace berth::cli {

namespace {

using google::protobuf::RepeatedPtrField;
using v1::DeviceCount;
using v1::ExplainResponse;
using v1::NodeExplanation;
using v1::PolicyOpinion;
using v1::RefusedGroup;
using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json TimeOrNull(const google::protobuf::Timestamp& timestamp) {
  const model::Time time = placement::TimeOf(timestamp);
  return time == model::kNoTime ? Json(nullptr) : Json(FormatTime(time));
}

Json JsonOf(const DeviceCount& devices) {
  return {{"resource", devices.resource()},
          {"requested", devices.requested()},
          {"listed", devices.listed()},
          {"capacity", devices.capacity()},
          {"allocatable", devices.allocatable()},
          {"used", devices.used()},
          {"free", FreeOf(devices)}};
}

Json JsonOf(const PolicyOpinion& opinion) {
  return {{"policy", opinion.policy()},
          {"mode", ModeOf(opinion)},
          {"fits", opinion.fits()},
          {"score", opinion.score()},
          {"weight", opinion.weight()},
          {"reason", TextOrNull(opinion.reason())},
          {"since", TimeOrNull(opinion.since())}};
}

Json JsonOf(const RefusedGroup& group) {
  return {{"count", group.nodes()},
          {"policy", group.policy()},
          {"reason", group.reason()},
          {"summary", group.summary()},
          {"oldest", TimeOrNull(group.oldest())},
          {"newest", TimeOrNull(group.newest())}};
}

Json JsonOf(const v1::Condition& condition) {
  return {{"type", condition.type()},
          {"status", StatusOf(condition)},
          {"lastTransitionTime", TimeOrNull(condition.last_transition())},
          {"lastHeartbeatTime", TimeOrNull(condition.last_heartbeat())}};
}

Json JsonOf(const NodeExplanation& node);

template <typename T>
Json ListOf(const RepeatedPtrField<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(JsonOf(item));
  return list;
}

Json JsonOf(const NodeExplanation& node) {
  return {{"name", node.name()},
          {"fits", node.fits()},
          {"rank", node.rank()},
          {"score", node.score()},
          {"last", node.last()},
          {"accelerator", TextOrNull(node.accelerator())},
          {"reason", TextOrNull(node.reason())},
          {"since", TimeOrNull(node.since())},
          {"devices", ListOf(node.devices())},
          {"policies", ListOf(node.policies())}};
}

Json NodesOf(const ExplainResponse& explanation, const NodeExplanation* node) {
  if (node == nullptr) return ListOf(explanation.nodes());
  Json detailed = JsonOf(*node);
  detailed["conditions"] = ListOf(node->conditions());
  return Json::array({std::move(detailed)});
}

Json RequestsOf(const ExplainResponse& explanation) {
  Json requests = Json::object();
  for (const v1::DeviceRequest& request : explanation.requests()) {
    requests[request.resource()] = request.devices();
  }
  return requests;
}

}  // namespace

std::string ExplanationJson(const ExplainResponse& explanation, const std::string& what,
                            const NodeExplanation* node, const std::string& unschedulable) {
  const bool concerned = !explanation.requests().empty();
  const std::vector<std::string> hints(explanation.hints().begin(), explanation.hints().end());
  const Json json = {{"pod", what},
                     {"time", FormatTime(placement::TimeOf(explanation.time()))},
                     {"requests", RequestsOf(explanation)},
                     {"concerned", concerned},
                     {"unschedulable", TextOrNull(unschedulable)},
                     {"refusedEverywhere", explanation.refused_everywhere()},
                     {"summary", concerned ? Json(SummaryOf(explanation)) : Json(nullptr)},
                     {"fitting", explanation.fitting()},
                     {"notShortlisted", TextOrNull(explanation.not_shortlisted())},
                     {"refused", ListOf(explanation.refused())},
                     {"hints", hints},
                     {"nodes", NodesOf(explanation, node)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace berth::cli
