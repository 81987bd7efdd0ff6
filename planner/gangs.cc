#include "planner/gangs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/annotation.h"
#include "model/duration.h"
#include "model/node.h"
#include "planner/gang_ranks.h"

// The life of a gang until its release: who belongs to it, and what is to be done next. What
// follows is in gangs_released.cc, where its pods go in gangs_placing.cc, which room is kept for it
// in gangs_keeping.cc, and what is written for it in gangs_writing.cc.

namespace berth::planner {

using model::Pod;

namespace {

// Sorts pods so that neighbours are to be near each other.
void SortByRank(std::vector<Gangs::Member>& members) {
  std::vector<const Pod*> pods;
  pods.reserve(members.size());
  for (const Gangs::Member& member : members) pods.push_back(&member.pod->pod());
  std::vector<Gangs::Member> sorted;
  sorted.reserve(members.size());
  for (const std::size_t place : OrderByRank(pods)) sorted.push_back(members[place]);
  members = std::move(sorted);
}

// Of all pods the lowest priority, and the oldest creation.
QueuePlace PlaceOf(const std::vector<Gangs::Member>& members) {
  QueuePlace place = PlaceInQueue(members.front().pod->pod());
  for (const Gangs::Member& member : members) {
    const auto [priority, created] = PlaceInQueue(member.pod->pod());
    place = {std::max(std::get<0>(place), priority), std::min(std::get<1>(place), created)};
  }
  return place;
}

}  // namespace

std::string_view NameOf(GangPhase phase) {
  static constexpr std::array<std::string_view, kGangPhases> kNames = {"collecting", "waiting",
                                                                       "planned", "released"};
  return kNames[static_cast<std::size_t>(phase)];
}

Gangs::Gangs(const PlannerConfig& config, const std::string& prefix)
    : config_(config),
      names_(prefix),
      plan_annotation_(model::kPlanAnnotation.Below(prefix)),
      lease_annotation_(model::kPlanLeaseAnnotation.Below(prefix)),
      runtime_annotation_(model::kMaxRuntimeAnnotation.Below(prefix)) {}

std::string Gangs::KeyOf(const Pod& pod, const model::Gang& gang) {
  return pod.namespace_ + '/' + gang.name;
}

void Gangs::Begin(const std::vector<Member>& waiting, Round& round) {
  for (auto& [key, gang] : gangs_) gang.members.clear();
  for (const Member& member : waiting) {
    gangs_[KeyOf(member.pod->pod(), *member.gang)].members.push_back(member);
  }
  TellLeft(round);
  const bool is_first = !round_;
  pace_ = is_first ? Clock::duration::zero() : round.now - *round_;
  round_ = round.now;
  queue_.clear();
  next_ = 0;
  turns_.BeginRound();
  unfit_.clear();
  topologies_.clear();
  keeping_ = 0;
  kept_.clear();
  for (auto& [key, gang] : gangs_) Refresh(key, gang, round);
  evictions_.Update(round, is_first, [this](const std::string& key) {
    const auto found = gangs_.find(key);
    return found != gangs_.end() && IsFreed(found->second);
  });
  DropUnusedGroups(round);
  std::erase_if(gangs_, [this, &round](const auto& entry) {
    if (!entry.second.members.empty()) return false;
    Leave(entry.first, entry.second, round);
    return true;
  });
  TellLeft(round);
  rests_.Prune(round.now, [this](const std::string& key) { return gangs_.contains(key); });
  for (auto& [key, gang] : gangs_) queue_.push_back(&gang);
  std::ranges::stable_sort(queue_, {}, &Record::place);
}

void Gangs::Refresh(const std::string& key, Record& gang, Round& round) {
  for (Member& member : gang.members) {
    const bool ends = member.pod->pod().deleted != model::kNoTime;
    if (ends && member.pod->IsOurs()) Withdraw(gang, member, round);
    member.freed = IsFreed(member, round);
  }
  std::erase_if(gang.members,
                [](const Member& member) { return member.pod->pod().deleted != model::kNoTime; });
  if (gang.members.empty()) return;
  SortByRank(gang.members);
  gang.namespace_ = gang.members.front().pod->pod().namespace_;
  gang.name = gang.gang().name;
  gang.is_held_back = std::ranges::any_of(gang.members, [this](const Member& member) {
    return member.pod->pod().gated && !IsHeld(member);
  });
  // What has succeeded may be of an earlier start of the gang than a pod that has come since then.
  const auto is_newer = [&gang](const Member& member) { return *gang.asked < member.pod->since(); };
  if (gang.asked && std::ranges::any_of(gang.members, is_newer)) {
    gang.asked.reset();
    gang.succeeded = 0;
  }
  gang.said_size = gang.size();
  gang.needed = gang.left();
  gang.place = PlaceOf(gang.members);
  const std::size_t ran = gang.running.size();
  gang.running.clear();
  if (round.gangs.running) gang.running = round.gangs.running(key);
  if (gang.running.size() < ran) gang.shrunk = round.now;
  gang.asks = Asks(gang, round);
  if (LacksKnowledge(gang, round)) return;
  NoticeFormerGroup(gang, round);
  JudgeRelease(gang, round);
}

bool Gangs::Asks(const Record& gang, const Round& round) {
  const auto has_accelerator = [&round](const std::string& name) {
    const auto node = round.view.Find(name);
    return node && round.view.At(*node)->accelerator != model::AcceleratorCatalog::kNone;
  };
  return std::ranges::any_of(gang.members, [](const Member& each) { return each.devices > 0; }) ||
         std::ranges::any_of(gang.running, has_accelerator);
}

bool Gangs::LacksGroup(const Pod& pod, const model::Gang& gang, const GangFacts& facts) {
  const std::string& group = pod.scheduling_group;
  if (group.empty() || group != model::PodGroupNameOf(gang.name)) return false;
  if (facts.pod_groups == nullptr) return true;
  const auto known = facts.pod_groups->find(GroupKeyOf(pod));
  return known == facts.pod_groups->end() || !known->second.is_open;
}

bool Gangs::IsHeld(const Member& member) const {
  const Pod& pod = member.pod->pod();
  return pod.gated ? model::IsOnlyGate(pod.gates, names_.gate) : member.lacks_group;
}

bool Gangs::IsOpen(const Member& member) { return !member.pod->pod().gated && !member.lacks_group; }

void Gangs::Forget() {
  queue_.clear();
  next_ = 0;
  gangs_.clear();
  left_.clear();
  evictions_.Clear();
  dropped_.clear();
  counted_.clear();
  rests_ = {};
  round_.reset();
}

void Gangs::PlanBefore(const QueuePlace& place, Round& round) {
  while (HasAnyBefore(place)) Plan(*queue_[next_++], round);
}

void Gangs::PlanRest(Round& round) {
  while (HasAny()) Plan(*queue_[next_++], round);
  AskForSucceeded(round);
}

void Gangs::Plan(Record& gang, Round& round) {
  if (LacksKnowledge(gang, round)) return Pause(gang, round);
  Resume(gang, round);
  if (gang.released) return Complete(gang, round);
  std::string obstacle = ObstacleTo(gang, round);
  if (!obstacle.empty()) {
    WithdrawAll(gang, round);
    gang.lacks_nodes.reset();
    Enter(gang, GangPhase::kCollecting, std::move(obstacle), round);
    return;
  }
  if (IsOverdue(gang, round)) rests_.OnFailed(gang.key(), WhyOverdue(gang), round.now);
  if (auto reason = rests_.Reason(gang.key(), round.now, round.time)) {
    WithdrawAll(gang, round);
    ForgetKept(gang);
    return Enter(gang, GangPhase::kWaiting, *std::move(reason), round);
  }
  const auto pauses = [&round](const Member& member) { return MustPause(member, round); };
  // Until the watch shows what was withdrawn, one that waits goes on keeping its room. One that is
  // planned keeps none.
  if (std::ranges::any_of(gang.members, pauses)) return KeepAsBefore(gang, round);
  if (!PlaceMissing(gang, MembersOf(gang), round)) {
    if (gang.waits_for_turn) {
      KeepAsBefore(gang, round);
      const bool is_new = gang.phase == GangPhase::kCollecting;
      if (is_new) Enter(gang, GangPhase::kWaiting, "nodes are sought for other gangs first", round);
      return;
    }
    WithdrawAll(gang, round);
    return Wait(gang, round);
  }
  gang.lacks_nodes.reset();
  if (!gang.holds_since) gang.holds_since = round.now;
  const bool may_release = MayLetGo(gang, round);
  Enter(gang, GangPhase::kPlanned, may_release ? "" : "kube-apiserver has not created its PodGroup",
        round);
  if (!AreReserved(gang, MembersOf(gang), round) || !may_release) return;
  if (PassesPreflight(gang, round)) Release(gang, round);
}

std::string Gangs::ObstacleTo(const Record& gang, const Round& round) const {
  for (const Member& member : gang.members) {
    if (*member.gang != gang.gang()) {
      return "its pods " + gang.members.front().pod->pod().name + " and " + member.pod->pod().name +
             " do not say the same about it: write equal annotations";
    }
    std::string obstacle = ObstacleIn(member, round);
    if (obstacle.empty()) obstacle = ObstacleBetween(gang.members.front(), member);
    if (!obstacle.empty()) return obstacle;
  }
  std::set<std::string_view> shapes;
  for (const Member& member : gang.members) shapes.insert(*member.shape);
  if (shapes.size() > kMostShapes) {
    return "its pods are of more than " + std::to_string(kMostShapes) +
           " kinds: have more of them ask for the same";
  }
  if (gang.members.size() >= gang.left()) return "";
  std::string lack = std::to_string(gang.members.size()) + " of " + std::to_string(gang.size()) +
                     " pods are there";
  if (gang.succeeded > 0) lack += ", and " + std::to_string(gang.succeeded) + " have succeeded";
  return lack;
}

// validatePodGroup in k8s.io/kubernetes/pkg/scheduler/schedule_one_podgroup.go (v1.37.2).
std::string Gangs::ObstacleBetween(const Member& first, const Member& second) {
  if (!first.lacks_group || !second.lacks_group) return "";
  const Pod& a = first.pod->pod();
  const Pod& b = second.pod->pod();
  if (a.priority == b.priority && a.scheduler == b.scheduler) return "";
  const std::string what = a.priority == b.priority ? "schedulers" : "priorities";
  return "its pods " + a.name + " and " + b.name + " have different " + what +
         ", which kube-scheduler does not take in a PodGroup: write equal ones";
}

std::string Gangs::ObstacleIn(const Member& member, const Round& round) const {
  const Pod& pod = member.pod->pod();
  const auto& schedulers = config_.schedulers;
  if (std::ranges::find(schedulers, pod.scheduler) == schedulers.end()) {
    return "its pod " + pod.name + " names the scheduler " + pod.scheduler +
           ", which planner.schedulers does not list";
  }
  if (!member.excess.empty()) {
    return "its pod " + pod.name + ' ' + std::string(member.excess) + ": write less";
  }
  for (const std::string& gate : pod.gates) {
    if (gate != names_.gate) return "its pod " + pod.name + " has the scheduling gate " + gate;
  }
  if (member.former_group) {
    return "its pod " + pod.name + " waits for the PodGroup " + pod.scheduling_group +
           ", and that of an earlier start has to go first";
  }
  if (member.lacks_group && round.gangs.pod_groups == nullptr) return WhyNotKnown(member, round);
  if (!member.pod->IsNominatedByOther()) return "";
  return "somebody else has nominated a node for its pod " + pod.name;
}

std::string Gangs::WhyNotKnown(const Member& member, const Round& round) const {
  const Pod& pod = member.pod->pod();
  return "its pod " + pod.name + " waits for the PodGroup " + pod.scheduling_group + ", and " +
         (config_.gangs.pod_groups ? round.gangs.pod_groups_obstacle
                                   : "nobody creates it: write planner.gangs.podGroups: true");
}

bool Gangs::LacksKnowledge(const Record& gang, const Round& round) const {
  // Where nobody creates PodGroups, none will ever be known.
  if (!config_.gangs.pod_groups || round.gangs.pod_groups != nullptr) return false;
  return std::ranges::any_of(gang.members, &Member::lacks_group);
}

void Gangs::Pause(Record& gang, Round& round) {
  if (!gang.paused) gang.paused = round.now;
  const Clock::duration span = round.now - *gang.paused;
  if (span >= config_.gangs.timeout) {
    ForgetKept(gang);
  } else {
    KeepAsBefore(gang, round);
  }
  const Member& member = *std::ranges::find_if(gang.members, &Member::lacks_group);
  if (gang.phase == GangPhase::kPlanned && span >= config_.gangs.timeout) {
    WithdrawAll(gang, round);
    Enter(gang, GangPhase::kCollecting, WhyNotKnown(member, round), round);
  } else if (!gang.since || span >= kSayAfter) {
    Enter(gang, gang.phase, WhyNotKnown(member, round), round);
  }
}

void Gangs::Resume(Record& gang, const Round& round) {
  if (!gang.paused) return;
  const Clock::duration span = round.now - *gang.paused;
  for (auto* since : {&gang.holds_since, &gang.incomplete, &gang.lacks_nodes}) {
    if (*since) **since += span;
  }
  gang.attempts.Shift(span);
  if (gang.taken_over) gang.taken_over->seen += span;
  gang.paused.reset();
}

bool Gangs::MustPause(const Member& member, const Round& round) {
  const WaitingPod& pod = *member.pod;
  // What kube-scheduler clears of a pod that it has not tried says nothing about the node.
  const bool failed = pod.IsBackingOff(round.now) && pod.failures() == 0;
  return !member.held && (pod.IsWithdrawn() || failed);
}

std::vector<Gangs::Member*> Gangs::MembersOf(Record& gang) {
  std::vector<Member*> members;
  for (Member& member : gang.members) members.push_back(&member);
  return members;
}

bool Gangs::IsOverdue(const Record& gang, const Round& round) const {
  return gang.holds_since && *gang.holds_since + config_.gangs.timeout <= round.now;
}

std::string Gangs::WhyOverdue(const Record& gang) const {
  return "its nodes were reserved for " + model::FormatDuration(config_.gangs.timeout) +
         " and it could not be released: " +
         (gang.trouble.empty() ? "its nominations do not last" : gang.trouble);
}

void Gangs::Enter(Record& gang, GangPhase phase, std::string reason, Round& round) {
  const bool is_new = !gang.since || gang.phase != phase;
  if (is_new) {
    gang.since = round.now;
    gang.since_time = round.time;
    gang.spans.clear();
  }
  gang.phase = phase;
  gang.reason = std::move(reason);
  if (phase != GangPhase::kWaiting) ForgetKept(gang);
  // The events begin with the phases. Of a release tells whoever releases the gang.
  const bool tells = is_new && phase != GangPhase::kReleased;
  if (tells) round.changes.push_back(ChangeOf(gang, static_cast<GangEvent>(phase), round));
  // Of pods that wait in a queue, its owner tells; there may be thousands of them.
  const bool is_told = !gang.reason.empty() && !gang.is_held_back;
  if (is_told && *gang.since + kSayAfter <= round.now) Say(gang, round);
}

std::optional<GangOutlook> Gangs::Find(std::string_view namespace_name,
                                       std::string_view gang) const {
  const auto found = gangs_.find(std::string(namespace_name) + '/' + std::string(gang));
  if (found == gangs_.end()) return std::nullopt;
  return OutlookOf(found->second);
}

std::array<std::size_t, kGangPhases> Gangs::phases() const {
  std::array<std::size_t, kGangPhases> phases{};
  for (const auto& [key, gang] : gangs_) ++phases[static_cast<std::size_t>(gang.phase)];
  return phases;
}

}  // namespace berth::planner
