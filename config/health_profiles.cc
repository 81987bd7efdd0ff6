#include "config/health_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "config/config.h"
#include "config/schema.h"
#include "config/writer.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::config {

namespace {

namespace scheduling = policies::scheduling;

constexpr std::string_view kProfilesHead =
    "# What each name in health.profiles stands for. What a later profile says about a type\n"
    "# replaces what earlier ones say, and health.conditions replaces both.\n";

const ConfigField& FieldNamed(const std::vector<ConfigField>& fields, std::string_view key) {
  return *std::ranges::find(fields, key, &ConfigField::key);
}

// The conditions as the file lists them.
ConfigValue ListOf(const std::vector<scheduling::HealthCondition>& conditions) {
  using Health = scheduling::PolicySettings<scheduling::HealthPolicy>;
  BerthConfiguration config;
  std::get<Health>(config.scheduling.policies.all).config.conditions = conditions;
  const std::vector<ConfigField> fields = Describe(config);
  return FieldNamed(FieldNamed(fields, "health").fields, "conditions").value;
}

}  // namespace

std::string HealthProfilesYaml() {
  std::string text(kProfilesHead);
  for (const scheduling::HealthProfileSpec& spec : scheduling::HealthProfiles()) {
    text += fmt::format("\n# Of {}.\n", spec.detector);
    if (!spec.note.empty()) text += fmt::format("# {}.\n", spec.note);
    text += fmt::format("# Source: {}.\n{}:\n", spec.source, scheduling::NameOf(spec.profile));
    for (const ConfigValue& entry : ListOf(spec.conditions).items) {
      text += "  - " + WriteInline(entry) + "\n";
    }
  }
  return text;
}

}  // namespace berth::config
