#include "planner/planner.h"

#include <algorithm>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/annotation.h"
#include "planner/evictions.h"
#include "policies/fit/trimmed_pod.h"

namespace berth::planner {

using model::NodeIndex;
using model::Pod;
using policies::fit::Unknown;

namespace {

std::string KeyOf(const Pod& pod) { return pod.namespace_ + '/' + pod.name; }

}  // namespace

Planner::Planner(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                 PlannerConfig config)
    : engine_(std::move(engine)),
      config_(std::move(config)),
      annotation_(model::kPlanAnnotation.Below(engine_->prefix())),
      gang_names_(engine_->prefix()),
      lead_(config_.backlog.pods),
      gangs_(config_, engine_->prefix()) {}

void Planner::Upsert(Pod given, Clock::time_point now) {
  const Unknown unknown = policies::fit::UnknownNeed(given);
  std::string excess = unknown == Unknown::kTooLarge ? policies::fit::ExcessOf(given) : "";
  const Pod pod = policies::fit::Trimmed(std::move(given), engine_->prefix(), engine_->catalog());
  auto found = waiting_.find(KeyOf(pod));
  if (found != waiting_.end() && found->second.pod.pod().uid != pod.uid) {
    Leave(found);
    found = waiting_.end();
  }
  if (!pod.node_name.empty() || pod.terminated) return Remove(pod);
  if (found == waiting_.end()) {
    found = waiting_.emplace(KeyOf(pod), Waiting{.pod = WaitingPod(&annotation_, now)}).first;
  }
  latest_creation_ = std::max(latest_creation_, pod.created);
  Waiting& waiting = found->second;
  const bool was_in_time = waiting.pod.IsWriting(pod.nominated_node) && !pod.nominated_node.empty();
  if (was_in_time) lead_ = std::max(config_.backlog.pods, lead_ - 1);
  if (const auto outcome = waiting.pod.Update(pod, now)) End(*outcome, pod);
  waiting.unknown = unknown;
  waiting.excess = std::move(excess);
  waiting.shape = unknown == Unknown::kTooLarge
                      ? std::string()
                      : engine_->ShapeOf(pod) + '|' + policies::fit::ShapeOf(pod);
  waiting.devices = 0;
  for (const auto& [resource, amount] : model::AcceleratorRequests(pod, engine_->catalog())) {
    waiting.devices += amount;
  }
  waiting.gang.reset();
  if (config_.gangs.enabled) {
    // Admission refuses what cannot be read.
    auto gang = model::GangOf(pod.annotations, gang_names_);
    if (gang.ok()) waiting.gang = *std::move(gang);
  }
  waiting.is_stray = config_.gangs.enabled && !waiting.gang && pod.deleted == model::kNoTime &&
                     model::IsOnlyGate(pod.gates, gang_names_.gate);
  waiting.epoch = epoch_;
}

void Planner::Remove(const Pod& pod) {
  const auto found = waiting_.find(KeyOf(pod));
  const bool known = found != waiting_.end() && found->second.pod.pod().uid == pod.uid;
  if (known) Leave(found, pod.node_name);
}

void Planner::EndReplace() {
  listed_ = true;
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    entry = entry->second.epoch == epoch_ ? std::next(entry) : Leave(entry);
  }
}

void Planner::Keep(const std::string& namespace_name, const std::string& name,
                   const std::string& uid) {
  const auto found = waiting_.find(namespace_name + '/' + name);
  if (found == waiting_.end()) return;
  if (uid.empty() || found->second.pod.pod().uid == uid) {
    found->second.epoch = epoch_;
  } else {
    Leave(found, "");
  }
}

Planner::Entries::iterator Planner::Leave(Entries::iterator entry, const std::string& bound_to) {
  const WaitingPod& pod = entry->second.pod;
  const std::string& node = bound_to.empty() ? pod.Node() : bound_to;
  if (!node.empty()) {
    const std::optional<model::Gang>& gang = entry->second.gang;
    leaving_.push_back({.pod = pod.pod(),
                        .node = node,
                        .ours = pod.IsOurs(),
                        .gang = gang ? Gangs::KeyOf(pod.pod(), *gang) : ""});
  }
  return waiting_.erase(entry);
}

std::vector<Step> Planner::Plan(const model::ClusterView& view, const SeenBound& seen_bound,
                                model::Time time, Clock::time_point now, std::size_t most,
                                const GangFacts& gangs) {
  if (!listed_) return {};
  Round round{.engine = *engine_,
              .view = view,
              .seen_bound = seen_bound,
              .gangs = gangs,
              .memory = memory_,
              .time = time,
              .now = now,
              .latest_creation = latest_creation_,
              .left = most,
              .searches = kSearches};
  absl::erase_if(unfit_, [now](const auto& shape) { return shape.second + kLookAgain <= now; });
  // Every pod gets its turn before the first one gets another.
  const auto is_old = [now](const auto& shape) { return shape.second + kSeekAgain <= now; };
  if (!std::exchange(unsought_, false)) absl::erase_if(helpless_, is_old);
  BookLeaving(round);
  std::vector<Waiting*> queue = Queue(round);
  BookOthers(queue, round);
  const std::vector<Waiting*> gang_pods = TakeGangs(queue);
  BeginGangs(gang_pods, round);
  Review(queue, round);
  Nominate(queue, round);
  for (Waiting* waiting : gang_pods) {
    waiting->state = StateInGang(*waiting);
    ++states_[static_cast<std::size_t>(waiting->state)];
  }
  ended_.insert(ended_.end(), round.ended.begin(), round.ended.end());
  for (GangChange& change : round.changes) gang_changes_.push_back(std::move(change));
  return std::move(round.steps);
}

std::vector<Planner::Waiting*> Planner::TakeGangs(std::vector<Waiting*>& queue) {
  // That of std::ranges returns a subrange, which clang 14 cannot compile with libstdc++ 12.
  const auto gangs = std::stable_partition(queue.begin(), queue.end(), [](const Waiting* waiting) {
    return !waiting->gang.has_value();
  });
  std::vector<Waiting*> taken(gangs, queue.end());
  queue.erase(gangs, queue.end());
  return taken;
}

void Planner::BeginGangs(const std::vector<Waiting*>& pods, Round& round) {
  std::vector<Gangs::Member> members;
  for (Waiting* waiting : pods) {
    waiting->lacks_group = Gangs::LacksGroup(waiting->pod.pod(), *waiting->gang, round.gangs);
    members.push_back({.pod = &waiting->pod,
                       .shape = &waiting->shape,
                       .gang = &*waiting->gang,
                       .devices = waiting->devices,
                       .lacks_group = waiting->lacks_group,
                       .excess = waiting->excess});
  }
  gangs_.Begin(members, round);
}

State Planner::StateInGang(const Waiting& waiting) {
  const WaitingPod& pod = waiting.pod;
  if (pod.IsOurs()) return State::kNominated;
  if (pod.pod().gated || waiting.lacks_group) return State::kGated;
  if (pod.pod().deleted != model::kNoTime) return State::kDeleted;
  return pod.Node().empty() ? State::kNoNode : State::kNominatedByOther;
}

model::Time Planner::OldestGated() const {
  model::Time oldest = gangs_.OldestWaiting();
  for (const auto& [key, waiting] : waiting_) {
    const model::Time created = waiting.pod.pod().created;
    const bool is_older = oldest == model::kNoTime || created < oldest;
    if (waiting.is_stray && is_older) oldest = created;
  }
  return oldest;
}

void Planner::Failed(const Step& step, std::string_view why, Failure failure) {
  const bool is_single = step.kind == StepKind::kNominate && step.gang.empty();
  if (!is_single) gangs_.Failed(step, why, failure);
  if (step.kind != StepKind::kNominate) return;
  const auto found = waiting_.find(step.namespace_ + '/' + step.name);
  if (IsWanted(step)) found->second.pod.OnFailed();
}

void Planner::Late(const Step& step) {
  if (step.kind != StepKind::kNominate || !step.gang.empty()) return Failed(step);
  lead_ = std::min(std::max(kMaxLead, config_.backlog.pods), lead_ + kLateLead);
  Failed(step);
}

bool Planner::IsWanted(const Step& step) const {
  const auto found = waiting_.find(step.namespace_ + '/' + step.name);
  const WaitingPod* const pod = found == waiting_.end() ? nullptr : &found->second.pod;
  if (step.kind != StepKind::kNominate) {
    return gangs_.IsWanted(step, pod == nullptr ? nullptr : &pod->pod());
  }
  return pod != nullptr && pod->pod().uid == step.uid && pod->IsWriting(step.node);
}

std::optional<Outlook> Planner::Find(std::string_view namespace_name, std::string_view name) const {
  const auto found = waiting_.find(std::string(namespace_name) + '/' + std::string(name));
  if (found == waiting_.end()) return std::nullopt;
  const WaitingPod& pod = found->second.pod;
  const bool left = found->second.state == State::kLeftToScan;
  return Outlook{.state = found->second.state,
                 .node = pod.Node(),
                 .unknown = left ? found->second.unknown : Unknown::kNone,
                 .failures = pod.failures()};
}

void Planner::BookLeaving(Round& round) {
  const auto has_ended = [&](Leaving& leaving) {
    if (!leaving.until) leaving.until = round.now + kLeaving;
    const bool bound = round.seen_bound(KeyOf(leaving.pod), leaving.pod.uid);
    if (!bound && round.now < *leaving.until) return false;
    if (leaving.ours) End(bound ? Outcome::kBound : Outcome::kGone, leaving.pod);
    return true;
  };
  std::erase_if(leaving_, has_ended);
  for (const Leaving& leaving : leaving_) {
    round.Book(leaving.pod, leaving.node);
    if (!leaving.gang.empty()) round.leaving.insert(leaving.gang);
  }
}

std::vector<Planner::Waiting*> Planner::Queue(const Round& round) {
  std::vector<Waiting*> queue;
  for (auto& [key, waiting] : waiting_) {
    waiting.pod.Settle(round.now, busy_);
    // The watch of waiting pods may lag behind the view.
    if (!round.seen_bound(key, waiting.pod.pod().uid)) queue.push_back(&waiting);
  }
  // Of equal pods the first by name stays the first.
  std::ranges::stable_sort(queue, {},
                           [](const Waiting* waiting) { return PlaceInQueue(waiting->pod.pod()); });
  return queue;
}

void Planner::BookOthers(const std::vector<Waiting*>& queue, Round& round) const {
  for (const Waiting* waiting : queue) {
    if (!waiting->pod.IsOurs()) round.Book(waiting->pod.pod(), waiting->pod.Node());
  }
}

void Planner::Review(const std::vector<Waiting*>& queue, Round& round) {
  // All that stand are booked before another node is chosen, so that none makes way.
  std::vector<Waiting*> wrong;
  std::vector<Waiting*> evicting;
  for (Waiting* waiting : queue) {
    if (!waiting->pod.IsOurs() || Confirm(*waiting, round)) continue;
    (waiting->pod.AwaitsEviction() ? evicting : wrong).push_back(waiting);
  }
  gangs_.Confirm(round);
  for (Waiting* waiting : wrong) Replace(*waiting, round);
  for (Waiting* waiting : evicting) {
    if (!ConfirmEviction(*waiting, round)) Replace(*waiting, round);
  }
}

bool Planner::Confirm(Waiting& waiting, Round& round) {
  const WaitingPod& pod = waiting.pod;
  if (waiting.unknown == Unknown::kTooLarge) return false;
  if (pod.HasFailed() || pod.pod().deleted != model::kNoTime) return false;
  const std::optional<NodeIndex> node = round.view.Find(pod.Node());
  if (!node || !round.Of(waiting.shape, pod.pod())->Fits(*node)) return false;
  waiting.pod.OnFits();
  Hold(waiting, *node, round);
  return true;
}

bool Planner::ConfirmEviction(const Waiting& waiting, Round& round) {
  const WaitingPod& pod = waiting.pod;
  if (waiting.unknown == Unknown::kTooLarge) return false;
  if (pod.HasFailed() || pod.pod().deleted != model::kNoTime) return false;
  const std::optional<NodeIndex> node = round.view.Find(pod.Node());
  if (!node || Choose(waiting, round)) return false;
  if (!Evictions(*engine_, pod.pod(), round.planned, round.time).Helps(*node)) return false;
  ++round.evictions;
  return true;
}

void Planner::Replace(Waiting& waiting, Round& round) {
  const WaitingPod& pod = waiting.pod;
  const bool wanted = Eligibility(waiting) == State::kNoNode &&
                      waiting.unknown != Unknown::kTooLarge && !pod.IsBackingOff(round.now);
  const std::optional<NodeIndex> node = wanted ? Choose(waiting, round) : std::nullopt;
  End(node ? Outcome::kReplaced : Outcome::kWithdrawn, pod.pod());
  Write(waiting, node, round);
}

void Planner::Nominate(const std::vector<Waiting*>& queue, Round& round) {
  left_to_scan_.clear();
  states_ = {};
  std::int32_t ahead = 0;
  std::vector<Waiting*> heads;  // whose nodes are not booked yet
  for (Waiting* waiting : queue) {
    const QueuePlace place = PlaceInQueue(waiting->pod.pod());
    if (gangs_.HasAnyBefore(place)) BookHeads(heads, round);
    gangs_.PlanBefore(place, round);
    State& state = waiting->state;
    state = Classify(*waiting, ahead, round);
    if (state == State::kNoNode) {
      BookHeads(heads, round);
      state = Place(*waiting, round);
    } else if (state == State::kHead && ahead < lead_) {
      heads.push_back(waiting);
    }
    // It holds nothing yet. But for the pods behind it kube-scheduler counts it as if it did.
    if (state == State::kEviction) round.Book(waiting->pod.pod(), waiting->pod.Node());
    if (state == State::kLeftToScan) ++left_to_scan_[waiting->unknown];
    ++states_[static_cast<std::size_t>(state)];
    const bool in_queue = state != State::kGated && state != State::kDeleted &&
                          state != State::kOtherScheduler && !waiting->pod.IsRefused();
    if (in_queue) ++ahead;
  }
  if (gangs_.HasAny()) BookHeads(heads, round);
  gangs_.PlanRest(round);
  if (ahead > 0) busy_ = round.now;
}

void Planner::BookHeads(std::vector<Waiting*>& heads, Round& round) {
  // The extender would choose the same.
  for (const Waiting* head : std::exchange(heads, {})) {
    if (const auto node = Choose(*head, round)) round.Book(head->pod.pod(), *node);
  }
}

State Planner::Place(Waiting& waiting, Round& round) {
  const bool refused = waiting.pod.IsRefused();
  if (!refused && round.left == 0) return State::kQueued;
  if (const auto node = Choose(waiting, round)) {
    Write(waiting, node, round);
    if (!refused) --round.left;
    return State::kNominated;
  }
  const auto node = refused ? ChooseForEviction(waiting, round) : std::nullopt;
  if (!node) return State::kNoNode;
  ++round.evictions;
  AddStep(waiting, node, round, true);
  return State::kEviction;
}

State Planner::Eligibility(const Waiting& waiting) const {
  const Pod& pod = waiting.pod.pod();
  if (pod.gated) return State::kGated;
  if (pod.deleted != model::kNoTime) return State::kDeleted;
  if (std::ranges::find(config_.schedulers, pod.scheduler) == config_.schedulers.end()) {
    return State::kOtherScheduler;
  }
  return waiting.devices > 0 ? State::kNoNode : State::kNoAccelerator;
}

State Planner::Classify(const Waiting& waiting, std::int32_t ahead, const Round& round) const {
  const WaitingPod& pod = waiting.pod;
  if (pod.IsOurs()) return pod.AwaitsEviction() ? State::kEviction : State::kNominated;
  const State eligibility = Eligibility(waiting);
  if (eligibility != State::kNoNode) return eligibility;
  if (pod.IsWithdrawn()) return State::kWithdrawn;
  if (!pod.Node().empty()) return State::kNominatedByOther;
  if (waiting.unknown != Unknown::kNone) return State::kLeftToScan;
  if (pod.IsBackingOff(round.now)) return State::kBackingOff;
  if (pod.IsRefused()) return State::kNoNode;
  if (!config_.backlog.enabled || ahead < lead_) return State::kHead;
  const bool young = round.now < pod.since() + kBacklogAge;
  return young || round.standing >= kMaxStanding ? State::kQueued : State::kNoNode;
}

std::optional<NodeIndex> Planner::Choose(const Waiting& waiting, Round& round) {
  // What is kept for gangs it may have only if it ends in time.
  const bool unkept = gangs_.MayUseKept(waiting.pod.pod(), round);
  const std::string key = waiting.shape + (unkept ? "|unkept" : "");
  if (unfit_.contains(key)) return std::nullopt;
  const std::shared_ptr<Candidates> candidates =
      unkept ? round.OfUnkept(waiting.shape, waiting.pod.pod())
             : round.Of(waiting.shape, waiting.pod.pod());
  std::vector<NodeIndex> avoided;
  if (const auto failed = round.view.Find(waiting.pod.failed_node())) avoided.push_back(*failed);
  std::optional<NodeIndex> node = candidates->Best(avoided);
  if (!node && !avoided.empty()) node = candidates->Best();
  if (!node) unfit_[key] = round.now;
  return node;
}

std::optional<NodeIndex> Planner::ChooseForEviction(const Waiting& waiting, Round& round) {
  const Pod& pod = waiting.pod.pod();
  const bool may_help =
      waiting.pod.FoundNoVictims() && NamesReason(pod.unschedulable, engine_->reasons());
  if (!may_help || round.evictions >= kMaxEvictions) return std::nullopt;
  // Nobody is evicted for a pod that fits where room is kept.
  if (round.unkept && round.OfUnkept(waiting.shape, pod)->Best()) return std::nullopt;
  const std::string key = waiting.shape + '|' + std::to_string(pod.priority);
  if (helpless_.contains(key)) return std::nullopt;
  if (round.searches == 0) {
    unsought_ = true;
    return std::nullopt;
  }
  --round.searches;
  const Evictions evictions(*engine_, pod, round.planned, round.time);
  const auto node = evictions.Best(round.view.Find(waiting.pod.failed_node()));
  if (!node) helpless_[key] = round.now;
  return node;
}

void Planner::Write(Waiting& waiting, std::optional<NodeIndex> node, Round& round) {
  AddStep(waiting, node, round);
  if (node) Hold(waiting, *node, round);
}

void Planner::AddStep(Waiting& waiting, std::optional<NodeIndex> node, Round& round, bool evicts) {
  const Pod& pod = waiting.pod.pod();
  round.steps.push_back({.namespace_ = pod.namespace_,
                         .name = pod.name,
                         .uid = pod.uid,
                         .node = node ? round.view.At(*node)->node.name : "",
                         .created = pod.created,
                         .refused = waiting.pod.IsRefused(),
                         .evicts = evicts});
  waiting.pod.OnWritten(round.steps.back().node, round.now, evicts);
}

void Planner::Hold(const Waiting& waiting, NodeIndex node, Round& round) const {
  round.Book(waiting.pod.pod(), node);
  if (!waiting.pod.IsRefused()) ++round.standing;
}

}  // namespace berth::planner
