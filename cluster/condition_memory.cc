#include "cluster/condition_memory.h"

#include <algorithm>
#include <iterator>
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

// What ceased and what lasts are counted apart, so that neither crowds out the other.
void ForgetOneTooMany(std::vector<PastStatus>& past, ConditionStatus status, bool lasts) {
  const auto is_such = [&](const PastStatus& each) {
    return each.status == status && each.lasts == lasts;
  };
  const auto time_of = [](const PastStatus& each) { return each.lasts ? each.since : each.until; };
  if (std::count_if(past.begin(), past.end(), is_such) <= std::ptrdiff_t{kMostPast}) return;
  auto oldest = std::find_if(past.begin(), past.end(), is_such);
  for (auto each = oldest; each != past.end(); ++each) {
    if (is_such(*each) && time_of(*each) < time_of(*oldest)) oldest = each;
  }
  past.erase(oldest);
}

auto RecordOf(std::string_view type, ConditionStatus status, std::vector<PastStatus>& past) {
  return std::find_if(past.begin(), past.end(), [&](const PastStatus& each) {
    return each.type == type && each.status == status;
  });
}

// That of a condition with status True or False.
ConditionStatus OppositeOf(ConditionStatus status) {
  return status == ConditionStatus::kTrue ? ConditionStatus::kFalse : ConditionStatus::kTrue;
}

// Records that `was`, a condition with status True or False, was seen to be so until `until`, as
// was noticed at `now`, and whether that counts as going on.
void AddEnd(const Condition& was, model::Time until, model::Time now, bool lasts,
            std::vector<PastStatus>& past) {
  auto record = RecordOf(was.type, was.status, past);
  if (record == past.end()) {
    past.push_back({.type = was.type, .since = was.last_transition, .status = was.status});
    record = std::prev(past.end());
  }
  record->until = until;
  record->lasts = lasts;
  record->noticed = now;
  ForgetOneTooMany(past, was.status, lasts);
}

// Whether what followed the status of `record`, which has ceased, was there for no more than a
// moment when the condition became Unknown at `unknown_since`, as was noticed at `now`. Berth may
// have learned late of what followed, so the node's clock has to agree as far as it can be right.
bool CeasedAMomentAgo(const PastStatus& record, model::Time unknown_since, model::Time now) {
  const bool node_knows = record.until != model::kNoTime;
  const auto is_by_node = [&](model::Duration moment) {
    return unknown_since < model::SaturatingAdd(record.until, moment);
  };
  if (now == model::kNoTime || record.noticed == model::kNoTime) {
    return node_knows && is_by_node(kMoment);
  }
  const bool is_by_berth = now < model::SaturatingAdd(record.noticed, kMoment);
  return is_by_berth && (!node_knows || is_by_node(kMoment + model::kClockError));
}

// Records that `was`, a condition with status True or False, became Unknown at `unknown_since`, as
// was noticed at `now`. Nobody has said that it is over. If it was there for a moment only, it may
// be the word of a detector that has not looked yet, so what was before goes on as well.
void AddDoubt(const Condition& was, model::Time unknown_since, model::Time now,
              std::vector<PastStatus>& past) {
  AddEnd(was, unknown_since, now, true, past);
  const ConditionStatus before = OppositeOf(was.status);
  const auto record = RecordOf(was.type, before, past);
  if (record == past.end() || !CeasedAMomentAgo(*record, unknown_since, now)) return;
  record->lasts = true;
  ForgetOneTooMany(past, before, true);
}

// Records that `is`, a condition that was Unknown, has a status again, as was noticed at `now`: if
// it had the opposite one before, that has ended only now.
void EndOpposite(const Condition& is, model::Time now, std::vector<PastStatus>& past) {
  const ConditionStatus before = OppositeOf(is.status);
  const auto record = RecordOf(is.type, before, past);
  if (record == past.end() || !record->lasts) return;
  record->until = is.last_transition;
  record->lasts = false;
  record->noticed = now;
  ForgetOneTooMany(past, before, false);
}

// Whether the status of `record`, which `is` has again as of `now`, counts as never lost. Berth's
// clock tells the gap: that of the node would make it shorter or longer if it was set right
// meanwhile. But Berth may have learned of either end late, so its gap is taken to be within
// kClockError of that by the node.
bool IsTheSame(const PastStatus& record, const Condition& is, model::Time now) {
  const auto is_shorter_by_node = [&](model::Duration gap) {
    return is.last_transition < model::SaturatingAdd(record.until, gap);
  };
  if (now == model::kNoTime || record.noticed == model::kNoTime) {
    return is_shorter_by_node(model::kSameFault);
  }
  const bool is_same = now < model::SaturatingAdd(record.noticed, model::kSameFault);
  // A gap of nothing is no word on its length: some detectors never write another time.
  const bool node_knows = record.until != model::kNoTime && is.last_transition > record.until;
  if (!node_knows) return is_same;
  return is_shorter_by_node(is_same ? model::kSameFault + model::kClockError
                                    : model::kSameFault - model::kClockError);
}

// Records that `is`, a condition with status True or False, has become so, as was noticed at `now`.
void AddBeginning(const Condition& is, model::Time now, std::vector<PastStatus>& past) {
  auto record = RecordOf(is.type, is.status, past);
  // If it lasts, the condition was Unknown in between, however long.
  const bool goes_on = record != past.end() && (record->lasts || IsTheSame(*record, is, now));
  if (!goes_on) {
    if (record == past.end()) {
      past.push_back({.type = is.type, .status = is.status});
      record = std::prev(past.end());
    }
    record->since = is.last_transition;
    record->noticed_since = now;
  }
  record->lasts = true;
  ForgetOneTooMany(past, is.status, true);
}

// Records the types that are new on a known node and True: some detectors write a condition only
// when there is a fault. Those that are False are left out, because a detector that comes to a node
// writes many of them.
void AddAppeared(const std::vector<Condition>& former, const std::vector<Condition>& present,
                 model::Time now, std::vector<PastStatus>& past) {
  if (former.empty()) return;  // the node itself is new
  for (const Condition& is : present) {
    if (is.status != ConditionStatus::kTrue || &*FirstOfType(present, is.type) != &is) continue;
    if (FirstOfType(former, is.type) == former.end()) AddBeginning(is, now, past);
  }
}

bool HasChanged(const Condition& was, const Condition& is) {
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
    if (!HasChanged(was, *is)) continue;
    if (is->status == ConditionStatus::kUnknown) {
      AddDoubt(was, is->last_transition, now, past);
      continue;
    }
    if (was.status == ConditionStatus::kUnknown) {
      EndOpposite(*is, now, past);
    } else {
      AddEnd(was, is->last_transition, now, false, past);
    }
    AddBeginning(*is, now, past);
  }
  AddAppeared(former, present, now, past);
  std::erase_if(past, [&](const PastStatus& each) {
    return FirstOfType(present, each.type) == present.end();
  });
}

}  // namespace berth::cluster
