#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// The block admission.policies.schedulerName.
struct SchedulerNameConfig {
  /// Empty if pods keep their scheduler.
  std::string name;

  friend bool operator==(const SchedulerNameConfig&, const SchedulerNameConfig&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, SchedulerNameConfig& config) {
  visit("name", config.name,
        "schedulerName for pods that ask for accelerators and have default-scheduler; empty: they "
        "keep that");
}

/// Returns every error in `config`, with paths below the block; empty if it is valid.
std::vector<model::FieldError> Validate(const SchedulerNameConfig& config);

/// Assigns pods that ask for accelerators to another kube-scheduler, the one that asks Berth's
/// extender. Leaves pods alone that name a scheduler of their own or already have a node.
class SchedulerNamePolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "scheduler-name";
  static constexpr std::string_view kConfigKey = "schedulerName";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp = "Which scheduler places pods that ask for accelerators";
  using Config = SchedulerNameConfig;

  /// With an empty `config.name` the policy does nothing.
  SchedulerNamePolicy(const PolicyContext& context, const SchedulerNameConfig& config);

  /// Returns true if the configured scheduler will place the pod.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

 private:
  const model::AcceleratorCatalog& catalog_;
  std::string name_;
};

}  // namespace berth::policies::admission
