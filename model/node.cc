#include "model/node.h"

#include <algorithm>
#include <iterator>

namespace berth::model {

namespace {

constexpr std::string_view kReady = "Ready";

}  // namespace

std::optional<std::string_view> Find(const StringMap& map, std::string_view name) {
  const auto it = std::lower_bound(
      map.begin(), map.end(), name,
      [](const auto& entry, std::string_view value) { return entry.first < value; });
  if (it == map.end() || it->first != name) return std::nullopt;
  return it->second;
}

void Normalize(StringMap& map) {
  std::stable_sort(map.begin(), map.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // std::unique keeps the first of equal entries, so iterate backwards, where the last one comes
  // first.
  const auto kept = std::unique(map.rbegin(), map.rend(),
                                [](const auto& a, const auto& b) { return a.first == b.first; });
  map.erase(map.begin(), kept.base());
}

std::optional<Time> NotReadySince(const Node& node) {
  const auto ready = std::ranges::find(node.conditions, kReady, &Condition::type);
  const bool lost = ready != node.conditions.end() && ready->status != ConditionStatus::kTrue &&
                    ready->last_transition != kNoTime;
  return lost ? std::optional(ready->last_transition) : std::nullopt;
}

}  // namespace berth::model
