#include "cluster/condition_memory.h"

#include <algorithm>
#include <string_view>

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::PastTrue;

template <typename T>
auto FirstOfType(T& items, std::string_view type) {
  return std::find_if(items.begin(), items.end(),
                      [type](const auto& item) { return item.type == type; });
}

void ForgetOneTooMany(std::vector<PastTrue>& past) {
  if (past.size() <= kMostPastTrue) return;
  past.erase(std::min_element(past.begin(), past.end(), [](const PastTrue& a, const PastTrue& b) {
    return a.until < b.until;
  }));
}

// Records that `was`, a condition with status True, ceased to be so at `until`.
void AddTrue(const Condition& was, model::Time until, std::vector<PastTrue>& past) {
  const auto known = FirstOfType(past, was.type);
  if (known == past.end()) {
    past.push_back({was.type, was.last_transition, until});
    return ForgetOneTooMany(past);
  }
  const bool is_new = was.last_transition >= model::SaturatingAdd(known->until, kSameFault);
  if (is_new) known->since = was.last_transition;
  known->until = until;
}

// Records that `was`, a condition with status Unknown, became False at `until`.
void ExtendTrue(const Condition& was, model::Time until, std::vector<PastTrue>& past) {
  const auto known = FirstOfType(past, was.type);
  if (known != past.end() && known->until == was.last_transition) known->until = until;
}

}  // namespace

void RememberTrue(const std::vector<Condition>& former, const std::vector<Condition>& present,
                  std::vector<PastTrue>& past) {
  for (const Condition& was : former) {
    if (was.status == ConditionStatus::kFalse) continue;
    const auto is = FirstOfType(present, was.type);
    if (is == present.end() || &*FirstOfType(former, was.type) != &was) continue;
    if (was.status == ConditionStatus::kUnknown) {
      if (is->status == ConditionStatus::kFalse) ExtendTrue(was, is->last_transition, past);
    } else if (is->status != ConditionStatus::kTrue || is->last_transition != was.last_transition) {
      // The condition is True since another time: either it was something else in between, unseen,
      // or its detector writes a new time with every report.
      AddTrue(was, is->last_transition, past);
    }
  }
  std::erase_if(
      past, [&](const PastTrue& each) { return FirstOfType(present, each.type) == present.end(); });
}

}  // namespace berth::cluster
