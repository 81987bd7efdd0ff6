// Gangs that are released: what tells that one is, and what is done until all of its pods are bound
// or all are evicted.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "model/annotation.h"
#include "planner/gangs.h"

namespace berth::planner {

using model::Pod;

void Gangs::JudgeRelease(Record& gang, const Round& round) const {
  absl::flat_hash_set<std::string_view> waiting;
  for (const Member& member : gang.members) waiting.insert(member.pod->pod().uid);
  const auto is_on_its_way = [&round](const auto& each) { return round.now < each.second + kLost; };
  std::erase_if(gang.ungated, [&](const auto& each) {
    return !waiting.contains(each.first) && !is_on_its_way(each);
  });
  std::erase_if(gang.told, [&](const auto& each) { return !waiting.contains(each.first); });
  const auto fresh = std::ranges::count_if(gang.members, [&](const Member& member) {
    return IsHeld(member) && !gang.ungated.contains(member.pod->pod().uid);
  });
  const auto was_released = [this](const Member& member) { return WasReleased(member); };
  if (static_cast<std::size_t>(fresh) >= gang.left()) {
    // It starts anew, and what runs of it is about to end.
    gang.released = false;
    gang.ungated.clear();
  } else if (!gang.running.empty() || std::ranges::any_of(gang.members, was_released)) {
    gang.released = true;
  } else if (std::ranges::none_of(gang.ungated, is_on_its_way) &&
             std::ranges::none_of(gang.members, IsOpen)) {
    // Nothing is left of the release but pods that it has not reached.
    gang.released = false;
    gang.ungated.clear();
  }
  if (gang.released) return;
  gang.incomplete.reset();
  gang.taken_over.reset();
  gang.unplanned = false;
}

bool Gangs::WasReleased(const Member& member) const {
  return IsOpen(member) && model::Find(member.pod->pod().annotations, plan_annotation_).has_value();
}

bool Gangs::IsFreed(const Member& member, const Round& round) const {
  const Pod& pod = member.pod->pod();
  if (model::Find(pod.annotations, names_.freed) == "true") return true;
  if (pod.scheduling_group.empty() || round.gangs.pod_groups == nullptr) return false;
  const auto group = round.gangs.pod_groups->find(GroupKeyOf(pod));
  return group != round.gangs.pod_groups->end() && group->second.is_freed;
}

bool Gangs::IsFreed(const Record& gang) {
  return std::ranges::any_of(gang.members, &Member::freed);
}

void Gangs::Complete(Record& gang, Round& round) {
  if (HasFallenThrough(gang)) return TakeBack(gang, round);
  // What waits beside as many as its size says is more than it needs.
  const bool runs = gang.running.size() >= gang.left();
  if (!gang.incomplete) {
    // Of one that it has seen before, this controller would know.
    if (!gang.since) {
      gang.taken_over = {.seen = round.now, .time = std::min(round.latest_creation, round.time)};
    }
    gang.incomplete = round.now;
  }
  if (runs) {
    gang.incomplete = round.now;
    gang.taken_over.reset();
  }
  if (gang.taken_over) TakeOver(gang, round);
  if (evictions_.IsOpen(gang.key())) return AwaitEviction(gang, round);
  const auto was_released = [this](const Member& member) { return WasReleased(member); };
  if (!gang.running.empty() || std::ranges::any_of(gang.members, was_released)) {
    gang.holds_since.reset();
  }
  if (!gang.running.empty() || std::ranges::any_of(gang.members, IsOpen)) gang.lacks_nodes.reset();
  for (Member& member : gang.members) {
    if (!member.held && IsOpen(member)) PlaceOne(gang, member, round);
    // It was told by an earlier controller, or let go by hand.
    if (IsOpen(member)) Correct(gang, member, round);
  }
  CompleteGated(gang, round);
  const bool late = IsLate(gang, round);
  const std::size_t missing = Missing(gang);
  std::string reason = std::to_string(gang.members.size()) + " of " + std::to_string(gang.size()) +
                       " pods are not bound yet";
  if (!gang.trouble.empty()) reason += ", and " + gang.trouble;
  if (late && missing > 0) {
    reason += ", and " + std::to_string(missing) +
              " are missing: it is not evicted, because it would not start again without them";
  }
  if (runs) reason += ", but as many run as its size says";
  const bool freed = IsFreed(gang);
  if (freed) reason += ", and it is not evicted, because it was let go by hand";
  Enter(gang, GangPhase::kReleased, std::move(reason), round);
  if (late && missing == 0 && !freed) Evict(gang, round);
}

void Gangs::TakeOver(Record& gang, const Round& round) const {
  TakenOver& taken_over = *gang.taken_over;
  if (!round.gangs.is_lease_certain) taken_over.seen = round.now;
  // Once the pod behind the gate is let go, it still has to be bound.
  const bool all_open = std::ranges::all_of(gang.members, IsOpen);
  if (!all_open) taken_over.chance = kChanceBehindGate;
  const Clock::duration most = std::chrono::seconds(config_.gangs.timeout) - taken_over.chance;
  // A pod that comes now may replace one that has just ended.
  gang.incomplete = taken_over.seen - std::min(LackedBefore(gang, round), most);
  if (taken_over.seen + kChanceBehindGate <= round.now) gang.taken_over.reset();
}

Gangs::Clock::duration Gangs::LackedBefore(const Record& gang, const Round& round) {
  if (!round.gangs.bound) return {};
  const std::vector<model::Time> bound = round.gangs.bound(gang.key());
  if (bound.empty()) return {};
  std::vector<model::Time> since;
  for (const Member& member : gang.members) {
    // Pods that were bound before it existed may be of a former start, or it may replace another.
    const model::Time created = member.pod->pod().created;
    model::Time first = model::kForever;
    for (const model::Time time : bound) {
      if (created <= time) first = std::min(first, time);
    }
    since.push_back(first == model::kForever ? created : first);
  }
  std::ranges::sort(since);
  // Of those that wait, it needs no more than its size says.
  const std::size_t there = since.size() + gang.running.size();
  const std::size_t spare = there - std::min(there, gang.left());
  const model::Time first = since[std::min(spare, since.size() - 1)];
  // All times are the API server's: the clock of this controller may be wrong.
  return std::max(gang.taken_over->time - first, model::Duration::zero());
}

bool Gangs::IsLate(const Record& gang, const Round& round) const {
  const bool lacks_pods = gang.incomplete && *gang.incomplete + config_.gangs.timeout <= round.now;
  return lacks_pods && gang.attempts.AreDue(round.now);
}

void Gangs::AwaitEviction(Record& gang, Round& round) {
  // Those that would be let go now might run alone soon.
  for (Member& member : gang.members) {
    if (IsHeld(member) && member.pod->IsOurs()) Withdraw(gang, member, round);
  }
  // If the eviction does not succeed, the gang has as long again to become whole.
  gang.attempts = {};
  gang.attempts.OnTried(round.now, config_.gangs.timeout);
  std::string reason = "what runs of it is being evicted";
  if (!gang.trouble.empty()) reason += ", and " + gang.trouble;
  Enter(gang, GangPhase::kReleased, std::move(reason), round);
}

std::size_t Gangs::Missing(const Record& gang) {
  const std::size_t there = gang.members.size() + gang.running.size();
  return gang.left() - std::min(there, gang.left());
}

void Gangs::CompleteGated(Record& gang, Round& round) {
  std::vector<Member*> gated;
  for (Member& member : gang.members) {
    if (IsHeld(member) && !IsBeingLetGo(gang, member, round)) gated.push_back(&member);
  }
  const auto pauses = [&](const Member* member) {
    return !ObstacleIn(*member, round).empty() || MustPause(*member, round) ||
           member->pod->IsNominatedByOther() || MayStartAnew(gang, *member, round);
  };
  if (gated.empty() || std::ranges::any_of(gated, pauses)) return;
  // An autoscaler is to see all of them.
  if (!gang.unplanned && !PlaceMissing(gang, gated, round)) {
    for (Member* member : gated) {
      if (member->pod->IsOurs()) Withdraw(gang, *member, round);
    }
    return;
  }
  if (!gang.unplanned && !AreReserved(gang, gated, round)) return;
  if (!MayLetGo(gang, round)) return;
  LetGo(gang, {gated.begin(), gated.end()}, round);
  for (const Member* member : gated) Correct(gang, *member, round);
}

bool Gangs::IsBeingLetGo(const Record& gang, const Member& member, const Round& round) {
  const auto ungated = gang.ungated.find(member.pod->pod().uid);
  return ungated != gang.ungated.end() && round.now < ungated->second + kLost;
}

bool Gangs::MayStartAnew(const Record& gang, const Member& member, const Round& round) {
  if (member.held || gang.ungated.contains(member.pod->pod().uid)) return false;
  const auto last = std::max(member.pod->since(), gang.shrunk.value_or(member.pod->since()));
  return round.now < last + kReplacement;
}

}  // namespace berth::planner
