#include "cluster/condition_memory.h"

#include <algorithm>
#include <string_view>

namespace berth::cluster {
namespace {

using model::Condition;
using model::ConditionStatus;
using model::PastStatus;

template <typename T>
auto FirstOfType(T& items, std::string_view type) {
  return std::find_if(items.begin(), items.end(),
                      [type](const auto& item) { return item.type == type; });
}

void ForgetOneTooMany(std::vector<PastStatus>& past, ConditionStatus status) {
  const auto of_status = [status](const PastStatus& each) { return each.status == status; };
  if (std::count_if(past.begin(), past.end(), of_status) <= std::ptrdiff_t{kMostPast}) return;
  auto oldest = std::find_if(past.begin(), past.end(), of_status);
  for (auto each = oldest; each != past.end(); ++each) {
    if (of_status(*each) && each->until < oldest->until) oldest = each;
  }
  past.erase(oldest);
}

// Records that `was`, a condition with status True or False, ceased to be so at `until`, as was
// noticed at `now`.
void AddPast(const Condition& was, model::Time until, model::Time now,
             std::vector<PastStatus>& past) {
  const auto known = std::find_if(past.begin(), past.end(), [&](const PastStatus& each) {
    return each.type == was.type && each.status == was.status;
  });
  if (known == past.end()) {
    past.push_back({was.type, was.last_transition, until, was.status, now});
    return ForgetOneTooMany(past, was.status);
  }
  const bool is_new = was.last_transition >= model::SaturatingAdd(known->until, model::kSameFault);
  if (is_new) known->since = was.last_transition;
  known->until = until;
  known->noticed = now;
}

// Records that `was`, a condition with status Unknown, has become `is`: until then it had what it
// had before it was Unknown.
void ExtendOpposite(const Condition& was, const Condition& is, model::Time now,
                    std::vector<PastStatus>& past) {
  for (PastStatus& each : past) {
    const bool led_there = each.type == was.type && each.until == was.last_transition;
    if (!led_there || each.status == is.status) continue;
    each.until = is.last_transition;
    each.noticed = now;
  }
}

bool HasCeased(const Condition& was, const Condition& is) {
  if (was.status != is.status) return true;
  // The condition is True since another time: either it was something else in between, unseen, or
  // its detector writes a new time with every report.
  return was.status == ConditionStatus::kTrue && was.last_transition != is.last_transition;
}

// Nearly every update of a node is one of heartbeats only.
bool DifferInHeartbeatsOnly(const std::vector<Condition>& former,
                            const std::vector<Condition>& present) {
  return std::equal(former.begin(), former.end(), present.begin(), present.end(),
                    [](const Condition& a, const Condition& b) {
                      return a.last_transition == b.last_transition && a.status == b.status &&
                             a.type == b.type;
                    });
}

}  // namespace

void RememberStatus(const std::vector<Condition>& former, const std::vector<Condition>& present,
                    model::Time now, std::vector<PastStatus>& past) {
  if (DifferInHeartbeatsOnly(former, present)) return;
  for (const Condition& was : former) {
    const auto is = FirstOfType(present, was.type);
    if (is == present.end() || &*FirstOfType(former, was.type) != &was) continue;
    if (was.status == ConditionStatus::kUnknown) {
      if (is->status != ConditionStatus::kUnknown) ExtendOpposite(was, *is, now, past);
    } else if (HasCeased(was, *is)) {
      AddPast(was, is->last_transition, now, past);
    }
  }
  std::erase_if(past, [&](const PastStatus& each) {
    return FirstOfType(present, each.type) == present.end();
  });
}

}  // namespace berth::cluster
