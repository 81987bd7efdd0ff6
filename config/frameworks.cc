#include "config/frameworks.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "policies/admission/framework_profiles.h"

namespace berth::config {

namespace {

namespace admission = policies::admission;

constexpr std::string_view kHead =
    "# What each name in admission.frameworks stands for. Controllers are the service accounts of "
    "the\n"
    "# framework's own manifests; list others in admission.controllers. Rules are what the "
    "validating\n"
    "# webhook has to be asked about, on CREATE and UPDATE; the chart adds them.\n";

std::string EntryLine(const admission::ControllerSpec& spec) {
  return fmt::format("{{user: \"{}\", owner: {}}}", spec.user, spec.owner);
}

// A member of a map in flow style; empty for an empty list.
std::string Listed(std::string_view key, const std::vector<std::string>& items) {
  return items.empty() ? "" : fmt::format(", {}: [{}]", key, fmt::join(items, ", "));
}

std::string EntryLine(const admission::TemplateSpec& spec) {
  const std::string_view of = spec.of == admission::TemplateOf::kJobs ? ", of: Jobs" : "";
  return fmt::format("{{group: {}, kind: {}, path: {}{}{}{}{}}}", spec.group, spec.kind, spec.path,
                     of, Listed("replicas", spec.replicas),
                     spec.gang_size.empty() ? "" : ", gangSize: " + spec.gang_size,
                     Listed("inTurn", spec.in_turn));
}

std::string EntryLine(const admission::ResourceRule& rule) {
  return fmt::format("{{apiGroups: [{}], apiVersions: [{}], resources: [{}]}}", rule.group,
                     rule.version, fmt::join(rule.resources, ", "));
}

template <typename T>
std::string KeyedList(std::string_view key, const std::vector<T>& items) {
  if (items.empty()) return fmt::format("  {}: []\n", key);
  std::string text = fmt::format("  {}:\n", key);
  for (const T& item : items) text += "  - " + EntryLine(item) + "\n";
  return text;
}

}  // namespace

std::string FrameworksYaml() {
  std::string text(kHead);
  for (const admission::FrameworkProfile& profile : admission::FrameworkProfiles()) {
    text += fmt::format("\n{}:\n", admission::NameOf(profile.framework));
    text += KeyedList("controllers", profile.controllers);
    text += KeyedList("templates", profile.templates);
    text += KeyedList("rules", profile.rules);
  }
  return text;
}

}  // namespace berth::config
