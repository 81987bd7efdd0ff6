#include "planner/config.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "model/duration.h"
#include "model/label.h"

namespace berth::planner {

std::span<const model::EnumName<WhenUnknown>> EnumNames(WhenUnknown) {
  static constexpr std::array<model::EnumName<WhenUnknown>, 2> kNames = {{
      {WhenUnknown::kRelease, "Release"},
      {WhenUnknown::kRest, "Rest"},
  }};
  return kNames;
}

namespace {

void ValidateLeases(const std::vector<model::NamespacedName>& leases,
                    std::vector<model::FieldError>& errors) {
  for (std::size_t i = 0; i < leases.size(); ++i) {
    const auto before = leases.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(leases.begin(), before, leases[i]) == before) continue;
    errors.push_back({"planner.gangs.schedulerLeases[" + std::to_string(i) + "]",
                      "\"" + leases[i].text() + "\" is listed twice; remove one"});
  }
}

// Of one that runs. Its condition is judged with what health knows.
void ValidatePreflight(const PreflightConfig& config, std::vector<model::FieldError>& errors) {
  const auto require = [&errors](bool right, const char* field, const std::string& message) {
    if (!right) errors.push_back({std::string("planner.gangs.preflight.") + field, message});
  };
  constexpr model::Duration kMostTimeout = std::chrono::hours(1);
  require(config.image.find_first_of(" \t\r\n") == std::string::npos, "image",
          "\"" + config.image +
              "\" is not the name of an image; write one such as registry.example/all-reduce:1");
  require(config.enabled() || config.command.empty(), "image",
          "is empty, so the command never runs; write the image of the command");
  require(config.min_nodes >= 2, "minNodes",
          "must be at least 2, got " + std::to_string(config.min_nodes) +
              "; single nodes are what controller.activeChecks is for");
  require(model::IsQualifiedName(config.condition), "condition",
          "\"" + config.condition +
              "\" is not the type of a condition; write one such as GPURuntimeError");
  require(config.node_fault_code >= 1 && config.node_fault_code <= 255, "nodeFaultCode",
          "must be from 1 to 255, got " + std::to_string(config.node_fault_code) + "; write 3");
  require(config.timeout >= model::Duration(1) && config.timeout <= kMostTimeout, "timeout",
          "must be from 1s to 1h, got " + model::FormatDuration(config.timeout) + "; write 5m");
  require(config.port >= 1 && config.port <= 65535, "port",
          "must be from 1 to 65535, got " + std::to_string(config.port) + "; write 29500");
  require(
      config.run_as_user >= 0, "runAsUser",
      "must be 0 or more, got " + std::to_string(config.run_as_user) + "; write 65534 for nobody");
}

void ValidateGangs(const GangsConfig& config, std::vector<model::FieldError>& errors) {
  // A pod that replaces one of a gang that runs waits for 10 s before it is planned
  // (Gangs::kReplacement), and a node that failed is left alone for as long (WaitingPod::kBackoff).
  constexpr model::Duration kLeastTimeout{30};
  if (config.timeout < kLeastTimeout) {
    errors.push_back({"planner.gangs.timeout",
                      "must be at least 30s, or the gang would be evicted before a pod that is "
                      "replaced gets a node; write 5m for five minutes"});
  }
  if (!(config.max_share >= 0 && config.max_share <= 1)) {
    errors.push_back({"planner.gangs.maxShare", "must be from 0 to 1; write 0.5 for one half"});
  }
  if (config.backfill < model::Duration::zero()) {
    errors.push_back({"planner.gangs.backfill", "must not be negative; write 0s for never"});
  }
  if (config.ungate_after < model::Duration::zero()) {
    errors.push_back({"planner.gangs.ungateAfter", "must not be negative; write 0s for never"});
  }
  ValidateLeases(config.scheduler_leases, errors);
  ValidatePreflight(config.preflight, errors);
}

void ValidateTopology(const std::vector<TopologyLevel>& levels,
                      std::vector<model::FieldError>& errors) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string path = "planner.topology[" + std::to_string(i) + "].label";
    const auto before = levels.begin() + static_cast<std::ptrdiff_t>(i);
    if (levels[i].label.empty()) {
      errors.push_back({path,
                        "must not be empty; write the name of a node label, such as "
                        "topology.kubernetes.io/zone"});
    } else if (std::find(levels.begin(), before, levels[i]) != before) {
      errors.push_back({path, "\"" + levels[i].label + "\" is listed twice; remove one"});
    }
  }
}

}  // namespace

std::vector<model::FieldError> Validate(const PlannerConfig& config) {
  constexpr std::int32_t kMostPods = 10000;
  std::vector<model::FieldError> errors;
  const auto& schedulers = config.schedulers;
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    const std::string path = "planner.schedulers[" + std::to_string(i) + "]";
    const auto before = schedulers.begin() + static_cast<std::ptrdiff_t>(i);
    if (schedulers[i].empty()) {
      errors.push_back({path,
                        "must not be empty; write the schedulerName of a profile, such as "
                        "berth"});
    } else if (std::find(schedulers.begin(), before, schedulers[i]) != before) {
      errors.push_back({path, "\"" + schedulers[i] + "\" is listed twice; remove one"});
    }
  }
  if (config.backlog.pods < 0 || config.backlog.pods > kMostPods) {
    errors.push_back({"planner.backlog.pods",
                      "must be from 0 to 10000, got " + std::to_string(config.backlog.pods)});
  }
  ValidateGangs(config.gangs, errors);
  ValidateTopology(config.topology, errors);
  return errors;
}

}  // namespace berth::planner
