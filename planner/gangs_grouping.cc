// What becomes of the PodGroups of gangs.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "planner/gangs.h"

namespace berth::planner {

void Gangs::NoticeFormerGroup(Record& gang, const Round& round) const {
  if (round.gangs.pod_groups == nullptr || !gang.running.empty() || gang.unplanned) return;
  if (IsFreed(gang)) return;
  const std::string name = model::PodGroupNameOf(gang.name);
  std::vector<Member*> open;
  for (Member& member : gang.members) {
    if (member.pod->pod().scheduling_group == name && IsOpen(member)) open.push_back(&member);
  }
  const auto was_released = [this](const Member* member) { return WasReleased(*member); };
  if (std::ranges::any_of(open, was_released)) return;
  for (Member* member : open) member->former_group = member->lacks_group = true;
}

void Gangs::DropUnusedGroups(Round& round) {
  if (round.gangs.pod_groups == nullptr) return;
  std::erase_if(dropped_, [&round](const auto& dropped) {
    return !round.gangs.pod_groups->contains(dropped.first);
  });
  std::set<std::string> used;
  for (const auto& [key, gang] : gangs_) {
    for (const Member& member : gang.members) {
      if (!member.former_group) used.insert(GroupKeyOf(member.pod->pod()));
    }
  }
  for (const auto& [key, group] : *round.gangs.pod_groups) {
    if (!used.contains(key)) DropGroup(key, round);
  }
}

void Gangs::DropGroup(const std::string& key, Round& round) {
  if (round.gangs.pod_groups == nullptr) return;
  const auto group = round.gangs.pod_groups->find(key);
  if (group == round.gangs.pod_groups->end()) return;
  const auto [dropped, is_new] = dropped_.try_emplace(key, round.now);
  if (!is_new && round.now < dropped->second + kLost) return;
  dropped->second = round.now;
  const std::size_t slash = key.find('/');
  round.steps.push_back({.namespace_ = key.substr(0, slash),
                         .name = key.substr(slash + 1),
                         .uid = group->second.uid,
                         .kind = StepKind::kDeletePodGroup});
}

bool Gangs::MayLetGo(Record& gang, const Round& round) {
  if (std::exchange(gang.group_failed, false)) gang.group_due = round.now + WaitingPod::kRetry;
  return !gang.group_due || *gang.group_due <= round.now;
}

bool Gangs::HasFallenThrough(const Record& gang) {
  const auto has_failed = [](const Member& member) {
    const WaitingPod& pod = *member.pod;
    // It clears only the nominations of those that would have fitted.
    const bool is_ours = pod.pod().scheduling_group == model::PodGroupNameOf(member.gang->name);
    return IsOpen(member) && is_ours && pod.IsRefused() && !pod.IsEvicting() &&
           (pod.Node().empty() || pod.HasFailed());
  };
  // One that was let go by hand stays so.
  return gang.running.empty() && !gang.unplanned && !IsFreed(gang) &&
         std::ranges::all_of(gang.members, has_failed);
}

void Gangs::TakeBack(Record& gang, Round& round) {
  for (const Member& member : gang.members) DropGroup(GroupKeyOf(member.pod->pod()), round);
  gang.ungated.clear();
  gang.incomplete.reset();
  gang.taken_over.reset();
  rests_.OnFailed(gang.key(), "kube-scheduler refused it on the nodes that it was to get",
                  round.now, kRefused);
}

}  // namespace berth::planner
