#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// The block admission.policies.schedulerName.
struct SchedulerNameConfig {
  std::string name;
};

template <typename Visitor>
void VisitFields(Visitor& visit, SchedulerNameConfig& config) {
  visit("name", config.name,
        "schedulerName of pods that ask for accelerators and have default-scheduler's; empty: they "
        "keep it");
}

/// Everything that is wrong with `config`.
std::vector<model::FieldError> Validate(const SchedulerNameConfig& config);

/// Gives pods that ask for accelerators, and name no scheduler of their own, to another
/// kube-scheduler, the one that asks Berth's extender.
class SchedulerNamePolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "scheduler-name";
  static constexpr std::string_view kConfigKey = "schedulerName";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp = "Which scheduler places pods that ask for accelerators";
  using Config = SchedulerNameConfig;

  SchedulerNamePolicy(const PolicyContext& context, const SchedulerNameConfig& config);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

 private:
  const model::AcceleratorCatalog& catalog_;
  std::string name_;
};

}  // namespace berth::policies::admission
