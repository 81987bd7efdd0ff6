#include "controller/nominator.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "controller/gang_log.h"

namespace berth::controller {

namespace {

std::string TextOf(model::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

Write KindOf(const planner::Step& step) {
  switch (step.kind) {
    case planner::StepKind::kUngate:
      return Write::kGate;
    case planner::StepKind::kSay:
    case planner::StepKind::kReport:
      return Write::kGangCondition;
    case planner::StepKind::kEvict:
    case planner::StepKind::kEvictRest:
      return Write::kGangEviction;
    case planner::StepKind::kCreatePodGroup:
    case planner::StepKind::kDeletePodGroup:
      return Write::kPodGroup;
    case planner::StepKind::kCount:
    case planner::StepKind::kNominate:
      break;
  }
  return Write::kNomination;
}

// Whether nobody but people needs the step.
bool OnlyTells(const planner::Step& step) {
  return step.kind == planner::StepKind::kSay || step.kind == planner::StepKind::kReport;
}

planner::Failure FailureOf(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return planner::Failure::kBudget;
  const bool answered = !absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status);
  return answered ? planner::Failure::kRefused : planner::Failure::kNoAnswer;
}

// "<namespace>/<name>" of the step's gang.
std::string GangKeyOf(const planner::Step& step) { return step.namespace_ + '/' + step.gang; }

}  // namespace

Nominator::Nominator(Options options,
                     std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                     const cluster::Snapshot* snapshot, kube::Timer* timer, WriteObserver* observer,
                     PlannerMetrics* metrics)
    : options_(std::move(options)),
      snapshot_(snapshot),
      timer_(timer),
      observer_(observer),
      metrics_(metrics),
      planner_(std::move(engine), options_.planner) {}

void Nominator::Run() {
  // A former work of this process, with another configuration, may have told of its plan.
  if (options_.planner.schedulers.empty()) return TellIdle();
  // Rounds take a fifth of a core at most, however many pods wait.
  constexpr int kRest = 4;
  std::chrono::milliseconds rest{0};
  do {
    if (!options_.may_write()) {
      Skip();
    } else if (snapshot_->Synced() && IsDue()) {
      ReadTerm();
      ReadGroups();
      PlanOnce();
    }
    rest = std::chrono::duration_cast<std::chrono::milliseconds>(kRest * took_);
  } while (timer_->Wait(std::max(options_.interval, rest)));
}

bool Nominator::IsDue() {
  std::uint64_t generation = 0;
  // Of a gang that is being evicted, perhaps nobody waits.
  bool evicts = false;
  {
    const cluster::Snapshot::Reader reader = snapshot_->Read();
    generation = reader.Generation();
    evicts = std::ranges::any_of(
        reader.Gangs().Evictions(),
        [now = options_.now()](const auto& each) { return each.second.GoesOnAt(now); });
  }
  const std::lock_guard guard(mutex_);
  if (!listed_) return false;
  // The round after the last pod has left sets the gauges to 0.
  const bool has_groups = groups_ != nullptr && !groups_->groups.empty();
  if (planner_.empty() && !has_groups && !evicts) return changed_;
  return changed_ || generation != generation_ || planned_ + options_.idle <= timer_->Now();
}

void Nominator::ReadTerm() {
  if (!options_.scheduler_term || !IsTermDue()) return;
  // Without the lock, which those need who write and who hear of pods.
  term_ = options_.scheduler_term();
  const Clock::time_point now = timer_->Now();
  if (term_.is_certain || !term_read_) term_certain_ = now;
  term_read_ = now;
}

bool Nominator::IsTermDue() {
  const std::lock_guard guard(mutex_);
  constexpr auto kPlanned = static_cast<std::size_t>(planner::GangPhase::kPlanned);
  // A gang is released only if kube-scheduler still leads that its nominations were written for.
  if (planner_.gangs().phases()[kPlanned] > 0) return true;
  return !term_read_ || *term_read_ + kTermAge <= timer_->Now();
}

void Nominator::ReadGroups() {
  if (!options_.pod_groups || !AreGroupsDue()) return;
  groups_ = &options_.pod_groups();
  groups_read_ = timer_->Now();
}

bool Nominator::AreGroupsDue() {
  if (groups_ == nullptr || groups_read_ + kTermAge <= timer_->Now()) return true;
  if (!groups_->groups.empty()) return true;
  const std::lock_guard guard(mutex_);
  const auto phases = planner_.gangs().phases();
  return std::ranges::any_of(phases, [](std::size_t gangs) { return gangs > 0; });
}

void Nominator::Skip() {
  TellIdle();
  first_planned_.reset();
  const std::lock_guard guard(mutex_);
  planner_.Skip();
  changed_ = true;
}

void Nominator::TellIdle() {
  metrics_->OnIdle();
  if (options_.gang_feed != nullptr) options_.gang_feed->OnIdle();
  if (options_.kept_rooms != nullptr) options_.kept_rooms->Clear();
}

void Nominator::PlanOnce() {
  const std::lock_guard guard(mutex_);
  const cluster::Snapshot::Reader reader = snapshot_->Read();
  planned_ = timer_->Now();
  if (!first_planned_) first_planned_ = planned_;
  generation_ = reader.Generation();
  changed_ = false;
  const auto seen_bound = [&reader](const std::string& key, const std::string& uid) {
    return reader.WasSeenBound(key, uid);
  };
  const std::size_t most = kMaxQueued - std::min(kMaxQueued, queue_.size());
  planner::GangFacts gangs{
      .running = [&reader](const std::string& gang) { return reader.Gangs().NodesOf(gang); },
      .bound = [&reader](const std::string& gang) { return reader.Gangs().BoundTimes(gang); },
      .evictions = reader.Gangs().Evictions(),
      .lease = term_.text,
      .is_lease_certain = term_.is_certain || term_certain_ + kTermPatience <= planned_,
      .may_tell = news_.size() < kMaxNews,
      .preflight = options_.preflight};
  if (groups_ != nullptr) {
    gangs.pod_groups_obstacle = groups_->obstacle;
    if (groups_->obstacle.empty()) gangs.pod_groups = &groups_->groups;
  }
  for (planner::Step& step :
       planner_.Plan(reader, seen_bound, options_.now(), planned_, most, gangs)) {
    (OnlyTells(step) ? news_ : queue_).push_back(std::move(step));
  }
  took_ = timer_->Now() - planned_;
  metrics_->OnPlanned(planner_, took_, options_.now());
  TellGangs();
  queued_.notify_all();
}

void Nominator::TellGangs() {
  const std::vector<planner::GangChange> changes = planner_.TakeGangChanges();
  metrics_->OnGangs(planner_, changes, options_.planner.topology, options_.now());
  for (const planner::GangChange& change : changes) LogGang(change);
  TellKept();
  if (options_.gang_feed == nullptr) return;
  options_.gang_feed->OnPlanned(planner_.gangs().Outlooks(), changes);
}

void Nominator::TellKept() {
  if (options_.kept_rooms == nullptr) return;
  // Nodes may say what the predecessor kept for a gang of which nothing can be said yet.
  const bool is_early = planned_ < *first_planned_ + kKeptPatience;
  if (is_early && planner_.gangs().IsAnyPaused() && !options_.kept_rooms->Get()) return;
  options_.kept_rooms->Set(planner_.gangs().KeptRooms());
}

void Nominator::RunWriter(Patcher* patcher) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    // Only here: who evicts waits for those who help, so that they need threads of their own.
    if (!batches_.Help(lock, *patcher) && !WriteNext(lock, *patcher)) queued_.wait(lock);
  }
}

void Nominator::WriteQueued(Patcher* patcher) {
  std::unique_lock lock(mutex_);
  while (WriteNext(lock, *patcher)) {
  }
}

bool Nominator::WriteNext(std::unique_lock<std::mutex>& lock, Patcher& patcher) {
  // Gangs that start need writers, too.
  if (!listed_gangs_.empty() && evictors_ < kEvictors) {
    const ListedGang gang = std::move(listed_gangs_.front());
    listed_gangs_.pop_front();
    ++evictors_;
    lock.unlock();
    const absl::Status status = EvictGang(gang, patcher);
    lock.lock();
    --evictors_;
    // Before it is known how it ended: then the gang may be evicted again.
    evicting_.erase(GangKeyOf(gang.step));
    lock.unlock();
    OnWritten(gang.step, status);
    lock.lock();
    return true;
  }
  const std::vector<planner::Step> steps = TakeSteps();
  if (steps.empty()) return false;
  const planner::Step& first = steps.front();
  lock.unlock();
  if (KindOf(first) == Write::kGangEviction) {
    ListGangs(steps, patcher);
  } else if (first.kind == planner::StepKind::kCount) {
    Count(first, patcher);
  } else {
    OnWritten(first, Send(first, patcher));
  }
  lock.lock();
  if (OnlyTells(first)) is_telling_ = false;
  return true;
}

void Nominator::Stop() {
  const std::lock_guard guard(mutex_);
  stopped_ = true;
  queued_.notify_all();
}

std::vector<planner::Step> Nominator::TakeSteps() {
  auto step = TakeFrom(queue_);
  if (!step && MayTell()) {
    step = TakeFrom(news_);
    is_telling_ = step.has_value();
    if (is_telling_) told_ = timer_->Now();
  }
  if (!step) return {};
  std::vector<planner::Step> steps{*std::move(step)};
  if (KindOf(steps.front()) != Write::kGangEviction) return steps;
  is_listing_ = true;
  // The lists of pods that they need are one.
  const std::string namespace_name = steps.front().namespace_;
  std::deque<planner::Step> others = std::exchange(queue_, {});
  for (planner::Step& other : others) {
    const bool evicts = KindOf(other) == Write::kGangEviction && other.namespace_ == namespace_name;
    // Few enough that the list is new when their turn comes.
    const bool joins = evicts && steps.size() < kEvictors && planner_.IsWanted(other) &&
                       evicting_.insert(GangKeyOf(other)).second;
    if (joins) {
      steps.push_back(std::move(other));
    } else {
      queue_.push_back(std::move(other));
    }
  }
  return steps;
}

bool Nominator::MayTell() const {
  if (is_telling_) return false;
  const bool evicts = is_listing_ || evictors_ > 0 || !listed_gangs_.empty();
  return !evicts || told_ + std::chrono::seconds(1) <= timer_->Now();
}

std::optional<planner::Step> Nominator::TakeFrom(std::deque<planner::Step>& queue) {
  for (auto next = queue.begin(); next != queue.end();) {
    const bool evicts = KindOf(*next) == Write::kGangEviction;
    const bool is_wanted = planner_.IsWanted(*next);
    // The next list is for all that have become due meanwhile.
    if (is_wanted && evicts && is_listing_) {
      ++next;
      continue;
    }
    planner::Step step = std::move(*next);
    next = queue.erase(next);
    if (!is_wanted) continue;
    // To evict a gang of many pods takes longer than the plan waits before it goes on with that.
    if (!evicts || evicting_.insert(GangKeyOf(step)).second) return step;
  }
  return std::nullopt;
}

void Nominator::Count(const planner::Step& step, Patcher& patcher) {
  const auto pods = patcher.CountSucceeded(step.namespace_, options_.gang_names);
  if (!pods.ok()) {
    if (absl::IsCancelled(pods.status())) return;
    // It is asked for the sake of evictions and of what comes after them.
    const std::string gang = step.namespace_ + '/' + step.gang;
    observer_->OnWritten(Write::kGangEviction, gang, "", pods.status());
    return;
  }
  const std::lock_guard guard(mutex_);
  planner_.OnSucceeded(step, *pods);
  changed_ = true;
}

void Nominator::OnWritten(const planner::Step& step, const absl::Status& status) {
  if (!absl::IsCancelled(status)) {
    const std::string& name = step.name.empty() ? step.gang : step.name;
    observer_->OnWritten(KindOf(step), step.namespace_ + '/' + name,
                         step.node.empty() ? step.text : step.node, status);
    metrics_->OnWritten(step, status, options_.now());
  }
  if (status.ok()) return;
  const std::lock_guard guard(mutex_);
  if (absl::IsAborted(status) || absl::IsNotFound(status)) {
    planner_.Late(step);
  } else {
    planner_.Failed(step, std::string(status.message()), FailureOf(status));
  }
}

absl::Status Nominator::Send(const planner::Step& step, Patcher& patcher) {
  switch (step.kind) {
    case planner::StepKind::kUngate:
      return patcher.UngatePod(step.namespace_, step.name, step.uid);
    case planner::StepKind::kSay:
      return patcher.SetPodCondition(step.namespace_, step.name, step.uid, options_.gang_names.gate,
                                     step.text, TextOf(options_.now()));
    case planner::StepKind::kReport:
      return patcher.ReportEvent(step.namespace_, step.name, step.uid, "GangWaits", step.text,
                                 TextOf(options_.now()));
    case planner::StepKind::kCreatePodGroup:
      return patcher.CreatePodGroup({step.namespace_, step.name, step.pods, step.text},
                                    options_.gang_names);
    case planner::StepKind::kDeletePodGroup:
      return patcher.DeletePodGroup(step.namespace_, step.name, step.uid);
    case planner::StepKind::kEvict:
    case planner::StepKind::kEvictRest:
    case planner::StepKind::kCount:
    case planner::StepKind::kNominate:
      break;
  }
  model::StringMap more{{options_.purpose_annotation, std::string(PurposeOf(step))}};
  if (!step.gang.empty()) more.emplace_back(options_.lease_annotation, step.text);
  return patcher.NominatePod(step.namespace_, step.name, step.uid, step.node, options_.annotation,
                             more);
}

void Nominator::ListGangs(const std::vector<planner::Step>& steps, Patcher& patcher) {
  std::set<std::string> gangs;
  for (const planner::Step& step : steps) gangs.insert(step.gang);
  const model::Time now = options_.now();
  const std::string& namespace_name = steps.front().namespace_;
  auto pods = patcher.PodsOfGangs(namespace_name, gangs, options_.gang_names);
  const bool may_have_budgets = !pods.ok() || patcher.MayHaveBudgets(namespace_name);
  const std::lock_guard guard(mutex_);
  is_listing_ = false;
  for (const planner::Step& step : steps) {
    if (pods.ok()) {
      listed_gangs_.push_back({step, now, may_have_budgets, std::move(pods->at(step.gang))});
    } else {
      listed_gangs_.push_back({step, now, may_have_budgets, pods.status()});
    }
  }
  queued_.notify_all();
}

absl::Status Nominator::EvictGang(const ListedGang& gang, Patcher& patcher) {
  if (!gang.pods.ok()) return gang.pods.status();
  const planner::Step& step = gang.step;
  // The gang may become whole meanwhile.
  const auto is_wanted = [this, &step] {
    const std::lock_guard guard(mutex_);
    return planner_.IsWanted(step);
  };
  const GangToEvict to_evict{.namespace_ = step.namespace_,
                             .gang = step.gang,
                             .now = gang.listed,
                             .is_wanted = is_wanted,
                             .may_have_budgets = gang.may_have_budgets};
  const auto evict = [this, &patcher](const std::vector<RunningPod>& pods, bool dry_run) {
    std::unique_lock lock(mutex_);
    return batches_.Evict(pods, dry_run, lock, patcher);
  };
  if (step.kind == planner::StepKind::kEvictRest) {
    return patcher.EvictRestOfGang(to_evict, *gang.pods, options_.gang_names, evict);
  }
  return patcher.EvictGang(to_evict, *gang.pods, options_.gang_names, evict);
}

void Nominator::OnReplaceBegin() {
  const std::lock_guard guard(mutex_);
  planner_.BeginReplace();
}

void Nominator::OnReplaceEnd(const std::string&) {
  const std::lock_guard guard(mutex_);
  planner_.EndReplace();
  listed_ = changed_ = true;
}

void Nominator::OnUpsert(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  planner_.Upsert(std::move(pod), timer_->Now());
  changed_ = true;
}

void Nominator::OnUnreadable(const kube::UnreadableObject& pod) {
  const std::lock_guard guard(mutex_);
  planner_.Keep(pod.namespace_, pod.name, pod.uid);
  changed_ = true;
}

void Nominator::OnDelete(model::Pod pod) {
  const std::lock_guard guard(mutex_);
  planner_.Remove(pod);
  changed_ = true;
}

}  // namespace berth::controller
