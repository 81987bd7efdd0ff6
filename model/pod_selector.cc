#include "model/pod_selector.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace berth::model {
namespace {

bool Lists(const LabelRequirement& requirement, std::string_view value) {
  return std::find(requirement.values.begin(), requirement.values.end(), value) !=
         requirement.values.end();
}

bool MayMeet(const LabelRequirement& requirement, const StringMap& labels) {
  const std::optional<std::string_view> value = Find(labels, requirement.key);
  if (requirement.op == "In") return value && Lists(requirement, *value);
  if (requirement.op == "NotIn") return !value || !Lists(requirement, *value);
  if (requirement.op == "Exists") return value.has_value();
  return requirement.op != "DoesNotExist" || !value;
}

}  // namespace

bool MayMeet(std::span<const LabelRequirement> requirements, const StringMap& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const LabelRequirement& each) { return MayMeet(each, labels); });
}

bool HasAll(const StringMap& labels, const StringMap& selector) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& entry) {
    return Find(labels, entry.first) == std::string_view(entry.second);
  });
}

}  // namespace berth::model
