#include "policies/scheduling/config.h"

#include <utility>

namespace berth::policies::scheduling {

namespace {

constexpr model::EnumName<Mode> kModeNames[] = {{Mode::kEnforce, "Enforce"},
                                                {Mode::kObserve, "Observe"}};

}  // namespace

std::span<const model::EnumName<Mode>> EnumNames(Mode) { return kModeNames; }

std::vector<model::FieldError> Validate(const SchedulingConfig& config) {
  std::vector<model::FieldError> errors;
  ForEachPolicy(config.policies, [&]<typename Policy>(const PolicySettings<Policy>& settings) {
    if (settings.weight < 0 || settings.weight > kMaxWeight) {
      errors.push_back({"scheduling.policies." + std::string(Policy::kName) + ".weight",
                        "must be from 0 to " + std::to_string(kMaxWeight) + ", got " +
                            std::to_string(settings.weight)});
    }
    for (model::FieldError& error : Validate(settings.config)) {
      error.path = std::string(Policy::kConfigKey) + "." + error.path;
      errors.push_back(std::move(error));
    }
  });
  return errors;
}

}  // namespace berth::policies::scheduling
