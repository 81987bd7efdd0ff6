// Which pods of gangs have succeeded and never come again.

#include <algorithm>
#include <map>
#include <string>

#include "planner/gangs.h"

namespace berth::planner {

bool Gangs::IsToBeCounted(const Record& gang, const Round& round) const {
  if (gang.is_held_back || !gang.since) return false;
  const auto due = gang.asked ? *gang.asked + kSayAgain : *gang.since + kSayAfter;
  if (round.now < due) return false;
  if (!gang.released) return gang.members.size() < gang.left();
  // Of a gang that runs it matters once it should be evicted.
  return IsLate(gang, round) && Missing(gang) > 0;
}

void Gangs::AskForSucceeded(Round& round) {
  std::erase_if(counted_,
                [&round](const auto& entry) { return entry.second + kCountAgain <= round.now; });
  const auto is_recent = [&round](const auto& entry) { return round.now < entry.second + kCount; };
  if (std::ranges::any_of(counted_, is_recent)) return;
  const Record* first = nullptr;
  for (Record* gang : queue_) {
    if (first != nullptr && gang->namespace_ != first->namespace_) continue;
    if (counted_.contains(gang->namespace_) || !IsToBeCounted(*gang, round)) continue;
    gang->asked = round.now;
    if (first == nullptr) first = gang;
  }
  if (first == nullptr) return;
  counted_[first->namespace_] = round.now;
  round.steps.push_back(
      {.namespace_ = first->namespace_, .kind = StepKind::kCount, .gang = first->name});
}

void Gangs::OnSucceeded(const Step& step, const SucceededPods& pods) {
  for (auto& [key, gang] : gangs_) {
    // Where nobody asks any more, a pod has come since then.
    if (gang.namespace_ != step.namespace_ || !gang.asked) continue;
    const auto found = pods.find(gang.name);
    gang.succeeded = found == pods.end() ? 0 : found->second;
  }
}

}  // namespace berth::planner
