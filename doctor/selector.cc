#include "doctor/selector.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace berth::doctor {

namespace {

bool IsAmong(std::string_view value, const std::vector<std::string>& values) {
  return std::ranges::find(values, value) != values.end();
}

std::optional<std::int64_t> NumberOf(std::string_view text) {
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &number)) return std::nullopt;
  return number;
}

bool Compares(std::string_view value, const model::NodeRequirement& requirement) {
  if (requirement.values.size() != 1) return false;
  const auto left = NumberOf(value);
  const auto right = NumberOf(requirement.values.front());
  if (!left || !right) return false;
  return requirement.op == "Gt" ? *left > *right : *left < *right;
}

bool Meets(const model::StringMap& node_labels, const model::NodeSelectorTerm& term) {
  const auto matches = [&node_labels](const model::NodeRequirement& requirement) {
    return Matches(requirement, node_labels);
  };
  return !term.empty() && std::ranges::all_of(term.expressions, matches);
}

bool HasAll(const model::StringMap& labels, const model::StringMap& wanted) {
  return std::ranges::all_of(wanted, [&labels](const auto& entry) {
    return model::Find(labels, entry.first) == std::string_view(entry.second);
  });
}

}  // namespace

bool Matches(const model::NodeRequirement& requirement, const model::StringMap& labels) {
  const auto value = model::Find(labels, requirement.key);
  const std::string& op = requirement.op;
  if (op == "Exists") return value.has_value();
  if (op == "DoesNotExist") return !value;
  if (op == "In") return value && IsAmong(*value, requirement.values);
  if (op == "NotIn") return !value || !IsAmong(*value, requirement.values);
  return value && Compares(*value, requirement);
}

bool Matches(const LabelSelector& selector, const model::StringMap& labels) {
  return HasAll(labels, selector.labels) &&
         std::ranges::all_of(selector.expressions, [&labels](const auto& requirement) {
           return Matches(requirement, labels);
         });
}

bool Meets(const model::StringMap& node_labels, const NodeNeeds& needs) {
  if (!HasAll(node_labels, needs.selector)) return false;
  if (!needs.terms) return true;
  return std::ranges::any_of(*needs.terms, [&node_labels](const auto& term) {  //
    return Meets(node_labels, term);
  });
}

}  // namespace berth::doctor
