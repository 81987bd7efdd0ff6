#include "model/node_selector.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <cstdint>

#include "model/pod_selector.h"

namespace berth::model {

namespace {

bool IsAmong(std::string_view value, const std::vector<std::string>& values) {
  return std::ranges::find(values, value) != values.end();
}

std::optional<std::int64_t> NumberOf(std::string_view text) {
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &number)) return std::nullopt;
  return number;
}

bool Compares(std::string_view value, const NodeRequirement& requirement) {
  if (requirement.values.size() != 1) return false;
  const auto left = NumberOf(value);
  const auto right = NumberOf(requirement.values.front());
  if (!left || !right) return false;
  return requirement.op == "Gt" ? *left > *right : *left < *right;
}

// Kubernetes knows no other field than the name; any other compares as empty.
bool MatchesField(const NodeRequirement& requirement, std::string_view name) {
  if (requirement.values.size() != 1) return false;
  const std::string_view value = requirement.key == "metadata.name" ? name : "";
  const bool equal = requirement.values.front() == value;
  return requirement.op == "In" ? equal : requirement.op == "NotIn" && !equal;
}

bool Matches(const NodeSelectorTerm& term, const StringMap& labels, std::string_view name) {
  const auto by_labels = [&labels](const NodeRequirement& requirement) {
    return Matches(requirement, labels);
  };
  const auto by_fields = [name](const NodeRequirement& requirement) {
    return MatchesField(requirement, name);
  };
  return !term.empty() && std::ranges::all_of(term.expressions, by_labels) &&
         std::ranges::all_of(term.fields, by_fields);
}

}  // namespace

bool Matches(const NodeRequirement& requirement, const StringMap& labels) {
  const auto value = Find(labels, requirement.key);
  const std::string& op = requirement.op;
  const bool has_values = !requirement.values.empty();
  if (op == "Exists") return value && !has_values;
  if (op == "DoesNotExist") return !value && !has_values;
  if (op == "In") return value && IsAmong(*value, requirement.values);
  if (op == "NotIn") return has_values && !(value && IsAmong(*value, requirement.values));
  return (op == "Gt" || op == "Lt") && value && Compares(*value, requirement);
}

bool Meets(const NodeNeeds& needs, const StringMap& labels, std::string_view name) {
  if (!HasAll(labels, needs.selector)) return false;
  if (!needs.terms) return true;
  return std::ranges::any_of(
      *needs.terms, [&](const NodeSelectorTerm& term) { return Matches(term, labels, name); });
}

}  // namespace berth::model
