#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/check_pod.h"
#include "checks/config.h"
#include "kube/api_object.h"
#include "model/time.h"

// What the pods of all checks have in common.

namespace berth::checks {

/// What a pod runs, and what it gets. A plain value.
struct Program {
  std::string image;
  /// Empty: what the image starts by itself.
  std::vector<std::string> command;
  /// Names and values.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Requests and limits: names of resources and quantities.
  std::vector<std::pair<std::string, std::string>> resources;
  /// kubelet ends it after this long.
  model::Duration timeout{};
  std::int32_t run_as_user = 0;
};

/// The spec of a pod, which says neither where it runs nor what it tolerates. The pod
/// - is Guaranteed, if the resources have cpu and memory;
/// - meets the restricted Pod Security Standard, unless it runs as root;
/// - ends at once on SIGTERM, whatever runs in it: its processes share the PID namespace with the
///   pause container, and only the first process of a PID namespace is spared.
nlohmann::json SpecOf(const Program& program, const CheckPodsConfig& pods);

/// Makes the pod its owner's, if there is one.
void AddOwner(const std::optional<kube::OwnerReference>& owner, nlohmann::json& metadata);

/// The text of JSON. What is not UTF-8 is replaced.
std::string JsonText(const nlohmann::json& json);

}  // namespace berth::checks
