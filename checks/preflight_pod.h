#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/check_pod.h"
#include "checks/config.h"
#include "kube/api_object.h"
#include "kube/json_value.h"
#include "model/resources.h"
#include "model/time.h"

// A pod of the preflight of a gang: one on each of its nodes, which run the same program together.

namespace berth::checks {

/// A pod that is to run on a node. A plain value.
struct PreflightOrder {
  std::string image;
  /// Empty: what the image starts by itself.
  std::vector<std::string> command;
  model::Duration timeout{};
  std::int32_t run_as_user = 0;
  std::int32_t port = 0;
  /// "<namespace>/<name>".
  std::string gang;
  /// The same for all pods of the preflight.
  std::uint64_t run = 0;
  std::size_t rank = 0;
  /// How many pods there are.
  std::size_t size = 0;
  /// The address of the pod of rank 0. Empty for that pod.
  std::string master;
  std::string node;
  /// Of the node.
  std::string node_uid;
  /// What the pod gets: as much as the gang's pods on the node ask for.
  model::Resources requests;
};

/// The label of the pods, whose value PreflightRunText() gives: "berth.dev/preflight".
std::string PreflightLabel(const Names& names);
std::string PreflightRunText(std::uint64_t run);

/// The name of the pod: one for each run and rank, so that two controllers cannot start both.
std::string PreflightPodName(std::uint64_t run, std::size_t rank);

/// Whether the name is that of a pod of a preflight, in the namespace of `names`.
bool IsPreflightPod(const std::string& namespace_name, const std::string& name, const Names& names);

/// The pod as JSON, for a POST; see SpecOf() in checks/pod_spec.h. It has the node's name, because
/// kube-scheduler would not let it where pods of the gang are nominated, and tolerates all taints,
/// as the gang's pods do where they are planned. Its environment is the one that
/// torch.distributed reads (https://pytorch.org/docs/stable/distributed.html, "Environment variable
/// initialization"): RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT. Rank 0 gets its own address by the
/// downward API.
std::string PreflightPodJson(const PreflightOrder& order, const CheckPodsConfig& pods,
                             const Names& names, const std::optional<kube::OwnerReference>& owner);

/// What is known of such a pod. A plain value.
struct PreflightPodRead {
  /// Without CheckPod::check.
  CheckPod pod;
  std::string gang;
  std::uint64_t run = 0;
  std::size_t rank = 0;
  /// status.podIP.
  std::string address;
};

/// Reads a v1.Pod. A field that cannot be read is reported in the document's error.
PreflightPodRead ReadPreflightPod(const kube::JsonValue& pod, const Names& names);

}  // namespace berth::checks
