#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/config_field.h"
#include "model/quantity.h"
#include "model/time.h"

namespace berth::checks {

/// A check that runs in a pod on nodes whose devices are idle: an item of
/// `controller.activeChecks`. A plain value. The texts in VisitFields() explain each field; the
/// generated docs/configuration.md has them, too.
struct ActiveCheck {
  /// At most kMaxNameLength characters: a part of the names of pods.
  std::string name;
  std::string image;
  /// Empty: what the image starts by itself.
  std::vector<std::string> command;
  /// Names of the catalogue; empty: all.
  std::vector<std::string> accelerators;
  std::string condition = "GPURuntimeError";
  /// At least a minute.
  model::Duration every = std::chrono::hours(24);
  /// From a second to `every`.
  model::Duration retry_every = std::chrono::minutes(30);
  /// From a second to an hour.
  model::Duration timeout = std::chrono::minutes(5);
  /// Above 0, at most 1.
  double max_share = 0.1;
  /// Both are set and within the limits of model/compute_size.h.
  std::optional<model::Quantity> cpu = model::Quantity::OfMilli(1000);
  std::optional<model::Quantity> memory = model::Quantity::OfBytes(std::int64_t{4} << 30);
  /// 0 to 2147483647.
  std::int32_t run_as_user = 65534;
  /// Keys of taints.
  std::vector<std::string> tolerates;

  friend bool operator==(const ActiveCheck&, const ActiveCheck&) = default;
};

inline constexpr std::size_t kMaxNameLength = 30;

template <typename Visitor>
void VisitFields(Visitor& visit, ActiveCheck& check) {
  visit.Required("name", check.name,
                 "Name of the check, at most 30 characters; a part of the names of its pods");
  visit.Required("image", check.image, "Image of the check");
  visit("command", check.command,
        "Command with its arguments. Exit code 0: the node passed; any other: it failed. Empty: "
        "what the image starts");
  visit("accelerators", check.accelerators,
        "Entries of the catalogue whose nodes are checked; empty: all");
  visit("condition", check.condition,
        "Type of the node condition that tells of a failure. health has to know it, with "
        "staleAfter 0s or above every. Where somebody else writes a condition of the type, the "
        "node is not checked");
  visit("every", check.every,
        "A node that passed is checked again after this long, when it is idle; at least 1m");
  visit("retryEvery", check.retry_every,
        "A node that failed, or on which the check could not run to its end, is checked again "
        "after this long; 1s to every");
  visit("timeout", check.timeout,
        "A check that takes longer is ended, and tells nothing: let the command itself give up "
        "what hangs, and fail. 1s to 1h");
  visit("maxShare", check.max_share,
        "At most this share of the nodes of an accelerator is checked at once, but always one; "
        "above 0, at most 1");
  visit("cpu", check.cpu, "Cores of the pod, at least 1m; request and limit");
  visit("memory", check.memory,
        "Memory of the pod, /dev/shm included, at least 1Mi; request and limit");
  visit("runAsUser", check.run_as_user,
        "User that the check runs as; 0 is root, which namespaces that enforce the restricted Pod "
        "Security Standard forbid");
  visit("tolerates", check.tolerates,
        "Keys of taints that do not keep the check off a node, besides the resource of the devices "
        "and Berth's own taint");
}

/// What the pods of all checks have in common: `controller.checkPods`. A plain value.
struct CheckPodsConfig {
  std::string scheduler = "default-scheduler";
  std::string priority_class = "berth-checks";

  friend bool operator==(const CheckPodsConfig&, const CheckPodsConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, CheckPodsConfig& config) {
  visit("scheduler", config.scheduler,
        "The kube-scheduler that places them: the one that places the pods which want the same "
        "devices");
  visit("priorityClass", config.priority_class,
        "Their PriorityClass: below all others, with preemptionPolicy Never");
}

/// Returns everything that is wrong with the checks; nothing if they can be used. The paths begin
/// at the top of the file ("controller.activeChecks[0].name"), and each message says what to write
/// instead.
std::vector<model::FieldError> Validate(const std::vector<ActiveCheck>& checks,
                                        const CheckPodsConfig& pods);

}  // namespace berth::checks
