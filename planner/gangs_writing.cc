// What is written for gangs: nominations, the release, the eviction, and what users are told; and
// what follows if a write fails.

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/annotation.h"
#include "model/duration.h"
#include "model/node.h"
#include "planner/gangs.h"

namespace berth::planner {

using model::Pod;

namespace {

// What users are told of a step that the API server has refused.
std::string TroubleWith(const Step& step, std::string_view why) {
  // Some messages of webhooks are long.
  constexpr std::size_t kMost = 300;
  if (why.empty()) return "";
  std::string trouble;
  if (step.kind == StepKind::kNominate) {
    trouble = "no node could be nominated for its pod " + step.name;
  } else if (step.kind == StepKind::kUngate) {
    trouble = "the gate of its pod " + step.name + " could not be taken away";
  } else if (step.kind == StepKind::kCreatePodGroup) {
    trouble = "its PodGroup could not be created";
  } else if (step.kind == StepKind::kEvict || step.kind == StepKind::kEvictRest) {
    trouble = "it could not be evicted";
  } else {
    return "";
  }
  return trouble + ": " + std::string(why.substr(0, kMost));
}

}  // namespace

void Gangs::Nominate(const Record& gang, Member& member, model::NodeIndex node,
                     Round& round) const {
  WaitingPod& pod = *member.pod;
  if (pod.IsOurs()) round.ended.push_back({Outcome::kReplaced, pod.pod().created});
  Step step = StepFor(gang, member, StepKind::kNominate);
  step.node = round.view.At(node)->node.name;
  step.text = round.gangs.lease;
  pod.OnWritten(step.node, round.now);
  round.steps.push_back(std::move(step));
  round.Book(pod.pod(), node);
  member.held = true;
}

void Gangs::Withdraw(const Record& gang, Member& member, Round& round) const {
  round.ended.push_back({Outcome::kWithdrawn, member.pod->pod().created});
  member.pod->OnWritten("", round.now);
  member.held = false;
  round.steps.push_back(StepFor(gang, member, StepKind::kNominate));
}

void Gangs::WithdrawAll(Record& gang, Round& round) const {
  for (Member& member : gang.members) {
    if (member.pod->IsOurs()) Withdraw(gang, member, round);
  }
  gang.holds_since.reset();
}

bool Gangs::AreReserved(const Record& gang, const std::vector<Member*>& pods, Round& round) const {
  const std::string& lease = round.gangs.lease;
  bool all = true;
  for (Member* member : pods) {
    WaitingPod& pod = *member->pod;
    all = all && pod.Stands() && (round.gangs.is_lease_certain || !pod.pod().gated);
    const bool known = lease.empty() || !pod.pod().gated ||
                       model::Find(pod.pod().annotations, lease_annotation_) == lease;
    if (known) continue;
    all = false;
    if (!pod.Stands()) continue;
    Step step = StepFor(gang, *member, StepKind::kNominate);
    step.node = pod.Node();
    step.text = lease;
    pod.OnWritten(step.node, round.now);
    round.steps.push_back(std::move(step));
  }
  return all;
}

void Gangs::Release(Record& gang, Round& round) {
  gang.trouble.clear();
  std::vector<const Member*> held;
  for (const Member& member : gang.members) {
    if (member.pod->pod().gated || member.lacks_group) held.push_back(&member);
  }
  LetGo(gang, held, round);
  for (const Member& member : gang.members) Correct(gang, member, round);
  gang.said.clear();
  gang.released = true;
  gang.incomplete = round.now;
  Enter(gang, GangPhase::kReleased, "", round);
  TellReleased(gang, round);
}

bool Gangs::WasTold(const Record& gang, const Member& member) {
  const Pod& pod = member.pod->pod();
  const auto told = gang.told.find(pod.uid);
  return told == gang.told.end() ? pod.why_gang_waits.has_value() : told->second;
}

void Gangs::Correct(Record& gang, const Member& member, Round& round) const {
  if (!WasTold(gang, member)) return;
  gang.told[member.pod->pod().uid] = false;
  round.steps.push_back(StepFor(gang, member, StepKind::kSay));
}

void Gangs::LetGo(Record& gang, const std::vector<const Member*>& pods, Round& round) const {
  std::vector<const Member*> grouped;
  for (const Member* member : pods) {
    gang.ungated[member->pod->pod().uid] = round.now;
    if (member->pod->pod().gated) {
      round.steps.push_back(StepFor(gang, *member, StepKind::kUngate));
    } else {
      grouped.push_back(member);
    }
  }
  if (grouped.empty()) return;
  const Pod& pod = grouped.front()->pod->pod();
  round.steps.push_back({.namespace_ = pod.namespace_,
                         .name = pod.scheduling_group,
                         .created = std::get<1>(gang.place),
                         .kind = StepKind::kCreatePodGroup,
                         .gang = gang.name,
                         .text = pod.priority_class,
                         .pods = grouped.size()});
}

void Gangs::Evict(Record& gang, Round& round) {
  for (const Member& member : gang.members) DropGroup(GroupKeyOf(member.pod->pod()), round);
  rests_.OnFailed(gang.key(),
                  "it ran without all its pods for " +
                      model::FormatDuration(config_.gangs.timeout) + " and was evicted",
                  round.now);
  const Pod& pod = gang.members.front().pod->pod();
  round.steps.push_back({.namespace_ = pod.namespace_,
                         .created = std::get<1>(gang.place),
                         .kind = StepKind::kEvict,
                         .gang = gang.gang().name,
                         .text = gang.reason});
  gang.attempts.OnTried(round.now, config_.gangs.timeout);
  round.changes.push_back(ChangeOf(gang, GangEvent::kEvicted, round));
}

void Gangs::Say(Record& gang, Round& round) {
  std::string text =
      "gang " + gang.gang().name + " of " + std::to_string(gang.size()) + ": " + gang.reason;
  const bool again = !gang.said.empty() && gang.said_phase == gang.phase;
  if (again && round.now < gang.said_at + kSayAgain) return;
  const bool is_news = !again || text != gang.said;
  const std::vector<const Member*> whom = WhomToTell(gang, again, is_news, round);
  const std::size_t writes = whom.size() + (is_news ? 1 : 0);
  if (writes == 0 || !round.gangs.may_tell || !says_.Take(writes, round.now)) return;
  for (const Member* member : whom) {
    gang.told[member->pod->pod().uid] = true;
    round.steps.push_back(StepFor(gang, *member, StepKind::kSay));
    round.steps.back().text = text;
  }
  if (is_news) {
    round.steps.push_back(StepFor(gang, gang.members.front(), StepKind::kReport));
    round.steps.back().text = text;
  }
  gang.said = std::move(text);
  gang.said_phase = gang.phase;
  gang.said_at = round.now;
}

std::vector<const Gangs::Member*> Gangs::WhomToTell(const Record& gang, bool again, bool is_news,
                                                    const Round& round) const {
  const bool released = gang.phase == GangPhase::kReleased;
  std::vector<const Member*> whom;
  for (const Member& member : gang.members) {
    // Pods that are bound soon would keep the condition.
    if (released && !IsLeftBehind(gang, member, round)) continue;
    // Of a new number only one pod tells: a write for each would be many.
    const bool is_first = is_news && whom.empty();
    if (!again || is_first || !WasTold(gang, member)) whom.push_back(&member);
  }
  return whom;
}

bool Gangs::IsLeftBehind(const Record& gang, const Member& member, const Round& round) const {
  // While nobody knows its PodGroup, kube-scheduler may be placing it.
  return !gang.paused && IsHeld(member) && !member.held && !IsBeingLetGo(gang, member, round);
}

Step Gangs::StepFor(const Record& gang, const Member& member, StepKind kind) const {
  const Pod& pod = member.pod->pod();
  return {.namespace_ = pod.namespace_,
          .name = pod.name,
          .uid = pod.uid,
          .created = pod.created,
          .refused = member.pod->IsRefused(),
          .kind = kind,
          .gang = gang.gang().name};
}

bool Gangs::IsWanted(const Step& step, const Pod* pod) const {
  // kube-scheduler may have bound the pod by now, and then it waits no longer all the more.
  if (step.kind == StepKind::kSay && step.text.empty()) return true;
  if (step.kind == StepKind::kDeletePodGroup) {
    return dropped_.contains(step.namespace_ + '/' + step.name);
  }
  const auto found = gangs_.find(step.namespace_ + '/' + step.gang);
  if (step.kind == StepKind::kEvictRest) {
    return evictions_.IsHalfWay(step.namespace_ + '/' + step.gang);
  }
  if (found == gangs_.end()) return false;
  if (step.kind == StepKind::kCreatePodGroup) {
    return found->second.released && !evictions_.IsOpen(found->first);
  }
  if (step.kind == StepKind::kEvict) return IsToBeEvicted(found->second);
  if (step.kind == StepKind::kCount) return true;
  if (pod == nullptr || pod->uid != step.uid) return false;
  if (step.kind == StepKind::kSay) {
    const auto told = found->second.told.find(pod->uid);
    // That it waits no longer was to be said since then.
    return told == found->second.told.end() || told->second;
  }
  if (step.kind != StepKind::kUngate) return true;
  return pod->gated && found->second.ungated.contains(pod->uid) && !evictions_.IsOpen(found->first);
}

bool Gangs::IsToBeEvicted(const Record& gang) {
  const std::size_t runs = gang.running.size();
  const bool lacks_nodes = runs < gang.needed;
  const bool lacks_pods = runs + gang.members.size() < gang.needed;
  return gang.released && lacks_nodes && !lacks_pods && !IsFreed(gang);
}

void Gangs::OnNotTold(const Step& step, Record& gang) {
  if (step.text.empty()) {
    gang.told[step.uid] = true;
    return;
  }
  // What the pod says counts again, unless that was to be taken back meanwhile.
  const auto told = gang.told.find(step.uid);
  if (told != gang.told.end() && told->second) gang.told.erase(told);
}

void Gangs::Failed(const Step& step, std::string_view why, Failure failure) {
  if (step.kind == StepKind::kDeletePodGroup) dropped_.erase(step.namespace_ + '/' + step.name);
  const std::string key = step.namespace_ + '/' + step.gang;
  if (step.kind == StepKind::kEvictRest) evictions_.OnRestFailed(key, why, failure);
  const auto found = gangs_.find(key);
  if (found == gangs_.end()) return;
  Record& gang = found->second;
  if (std::string trouble = TroubleWith(step, why); !trouble.empty()) {
    gang.trouble = std::move(trouble);
  }
  if (step.kind == StepKind::kUngate) gang.ungated.erase(step.uid);
  if (step.kind == StepKind::kSay) OnNotTold(step, gang);
  if (step.kind == StepKind::kCreatePodGroup) {
    gang.ungated.clear();
    gang.group_failed = true;
  }
  if (step.kind == StepKind::kEvict) {
    gang.attempts.OnFailed(failure);
    if (const auto again = gang.attempts.due()) evictions_.OnFailed(key, *again);
  }
}

}  // namespace berth::planner
