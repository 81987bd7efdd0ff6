#include "checks/pod_spec.h"

#include <nlohmann/json.hpp>

namespace berth::checks {

namespace {

using Json = nlohmann::json;

constexpr char kContainer[] = "check";
constexpr char kShm[] = "shm";

Json ContainerFor(const Program& program) {
  Json resources = Json::object();
  for (const auto& [name, amount] : program.resources) resources[name] = amount;
  Json container = {
      {"name", kContainer},
      {"image", program.image},
      {"resources", {{"limits", resources}, {"requests", resources}}},
      {"securityContext",
       {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", Json::array({"ALL"})}}}}},
      {"volumeMounts", Json::array({Json{{"name", kShm}, {"mountPath", "/dev/shm"}}})}};
  if (!program.command.empty()) container["command"] = program.command;
  for (const auto& [name, value] : program.environment) {
    container["env"].push_back(Json{{"name", name}, {"value", value}});
  }
  return container;
}

}  // namespace

Json SpecOf(const Program& program, const CheckPodsConfig& pods) {
  return {{"restartPolicy", "Never"},
          {"activeDeadlineSeconds", program.timeout.count()},
          {"terminationGracePeriodSeconds", 1},
          {"priorityClassName", pods.priority_class},
          {"schedulerName", pods.scheduler},
          {"automountServiceAccountToken", false},
          {"enableServiceLinks", false},
          {"shareProcessNamespace", true},
          {"securityContext",
           {{"runAsNonRoot", program.run_as_user != 0},
            {"runAsUser", program.run_as_user},
            {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
          {"containers", Json::array({ContainerFor(program)})},
          {"volumes", Json::array({Json{{"name", kShm}, {"emptyDir", {{"medium", "Memory"}}}}})}};
}

void AddOwner(const std::optional<kube::OwnerReference>& owner, Json& metadata) {
  if (!owner) return;
  metadata["ownerReferences"] = Json::array({Json{{"apiVersion", owner->api_version},
                                                  {"kind", owner->kind},
                                                  {"name", owner->name},
                                                  {"uid", owner->uid}}});
}

std::string JsonText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::checks
