#include "checks/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "model/compute_size.h"
#include "model/duration.h"
#include "model/label.h"

namespace berth::checks {

namespace {

using Errors = std::vector<model::FieldError>;

constexpr model::Duration kLeastEvery = std::chrono::minutes(1);
constexpr model::Duration kMostTimeout = std::chrono::hours(1);

// Those of Kubernetes itself, which decide about the node as a whole.
constexpr std::string_view kKubernetesConditions[] = {"Ready", "MemoryPressure", "DiskPressure",
                                                      "PIDPressure", "NetworkUnavailable"};

bool IsName(const std::string& text) {
  return text.size() <= kMaxNameLength && model::IsDnsLabel(text);
}

bool IsImage(const std::string& text) {
  return !text.empty() && text.find_first_of(" \t\r\n") == std::string::npos;
}

/// The errors of one check.
class Item {
 public:
  Item(std::size_t index, Errors& errors)
      : path_(fmt::format("controller.activeChecks[{}]", index)), errors_(errors) {}

  void Require(bool right, std::string_view field, std::string message) {
    if (!right) errors_.push_back({fmt::format("{}.{}", path_, field), std::move(message)});
  }
  void Require(const absl::Status& status, std::string_view field) {
    model::RequireOk(status, fmt::format("{}.{}", path_, field), errors_);
  }

 private:
  const std::string path_;
  Errors& errors_;
};

void ValidateWhat(const ActiveCheck& check, Item& item) {
  item.Require(IsName(check.name), "name",
               fmt::format("\"{}\" is not 1 to {} lower-case letters, digits and '-'; write one "
                           "such as vector-add",
                           check.name, kMaxNameLength));
  item.Require(IsImage(check.image), "image",
               fmt::format("\"{}\" is not the name of an image; write one such as "
                           "registry.example/vector-add:1",
                           check.image));
  const bool is_kubernetes =
      std::ranges::find(kKubernetesConditions, check.condition) != std::end(kKubernetesConditions);
  item.Require(model::IsQualifiedName(check.condition) && !is_kubernetes, "condition",
               fmt::format("\"{}\" is {}; write one such as GPURuntimeError", check.condition,
                           is_kubernetes ? "a condition of Kubernetes' own"
                                         : "not the type of a condition"));
  for (const std::string& key : check.tolerates) {
    item.Require(
        model::IsQualifiedName(key), "tolerates",
        fmt::format("\"{}\" is not the key of a taint; write one such as example.com/reserved",
                    key));
  }
}

void ValidatePace(const ActiveCheck& check, Item& item) {
  item.Require(check.every >= kLeastEvery, "every",
               fmt::format("must be at least {}, got {}; write 24h",
                           model::FormatDuration(kLeastEvery), model::FormatDuration(check.every)));
  const model::Duration second{1};
  item.Require(
      check.retry_every >= second && check.retry_every <= check.every, "retryEvery",
      fmt::format("must be from 1s to every, {}, got {}; write 30m",
                  model::FormatDuration(check.every), model::FormatDuration(check.retry_every)));
  item.Require(
      check.timeout >= second && check.timeout <= kMostTimeout, "timeout",
      fmt::format("must be from 1s to 1h, got {}; write 5m", model::FormatDuration(check.timeout)));
  item.Require(check.max_share > 0 && check.max_share <= 1, "maxShare",
               fmt::format("must be above 0 and at most 1, got {}; write 0.1 for a tenth of the "
                           "nodes of an accelerator",
                           check.max_share));
}

void ValidateSize(const ActiveCheck& check, Item& item) {
  item.Require(model::CheckCpuSize(check.cpu, "1"), "cpu");
  item.Require(model::CheckMemorySize(check.memory, "4Gi"), "memory");
  item.Require(check.run_as_user >= 0, "runAsUser",
               fmt::format("must be 0 or more, got {}; write 65534 for nobody", check.run_as_user));
}

bool ShareNodes(const ActiveCheck& a, const ActiveCheck& b) {
  if (a.accelerators.empty() || b.accelerators.empty()) return true;
  return std::ranges::any_of(a.accelerators, [&b](const std::string& name) {
    return std::ranges::find(b.accelerators, name) != b.accelerators.end();
  });
}

// Two checks of a node with one condition would contradict each other in it.
void ValidateTogether(const std::vector<ActiveCheck>& checks, std::size_t index, Item& item) {
  const ActiveCheck& check = checks[index];
  for (std::size_t before = 0; before < index; ++before) {
    const ActiveCheck& other = checks[before];
    item.Require(check.name != other.name, "name",
                 fmt::format("\"{}\" is the name of another check; write another", check.name));
    item.Require(check.condition != other.condition || !ShareNodes(check, other), "condition",
                 fmt::format("\"{}\" is that of {}, which checks the same nodes; write another "
                             "condition, or accelerators that differ",
                             check.condition, other.name));
  }
}

}  // namespace

std::vector<model::FieldError> Validate(const std::vector<ActiveCheck>& checks,
                                        const CheckPodsConfig& pods) {
  Errors errors;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    Item item(i, errors);
    ValidateWhat(checks[i], item);
    ValidatePace(checks[i], item);
    ValidateSize(checks[i], item);
    ValidateTogether(checks, i, item);
  }
  if (!model::IsDnsSubdomain(pods.priority_class)) {
    errors.push_back({"controller.checkPods.priorityClass",
                      fmt::format("\"{}\" is not the name of a PriorityClass; write one such as "
                                  "berth-checks",
                                  pods.priority_class)});
  }
  if (!model::IsDnsSubdomain(pods.scheduler)) {
    errors.push_back(
        {"controller.checkPods.scheduler",
         fmt::format("\"{}\" is not the name of a scheduler; write one such as default-scheduler",
                     pods.scheduler)});
  }
  return errors;
}

}  // namespace berth::checks
