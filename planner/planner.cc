#include "planner/planner.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "model/accelerator_requests.h"

namespace berth::planner {

using model::NodeIndex;
using model::Pod;
using policies::fit::Unknown;

namespace {

std::string KeyOf(const Pod& pod) { return pod.namespace_ + '/' + pod.name; }

Step StepFor(const Pod& pod, std::string node) {
  return {.namespace_ = pod.namespace_, .name = pod.name, .uid = pod.uid, .node = std::move(node)};
}

}  // namespace

struct Planner::Round {
  const model::ClusterView& view;
  model::Time time;
  Clock::time_point now;
  PlannedView planned{view};
  // By Waiting::shape.
  absl::flat_hash_map<std::string, std::unique_ptr<Candidates>> candidates = {};
  // Nominations of the plan.
  std::size_t standing = 0;
  std::vector<Step> steps = {};
};

Planner::Planner(std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
                 PlannerConfig config)
    : engine_(std::move(engine)), config_(std::move(config)) {}

void Planner::Upsert(const Pod& pod, Clock::time_point now) {
  if (!pod.node_name.empty() || pod.terminated) return Remove(pod);
  Waiting& waiting = waiting_[KeyOf(pod)];
  if (waiting.pod.uid != pod.uid) waiting = {};
  if (waiting.pod.uid.empty()) waiting.since = now;
  Compare(pod, waiting, now);
  waiting.pod = pod;
  waiting.shape = engine_->ShapeOf(pod) + '|' + policies::fit::ShapeOf(pod);
  waiting.epoch = epoch_;
}

// Sees what became of the promise.
void Planner::Compare(const Pod& pod, Waiting& waiting, Clock::time_point now) {
  std::optional<Promise>& promise = waiting.promise;
  if (!promise) return;
  if (pod.nominated_node == promise->node) {
    promise->seen = true;
  } else if (!pod.nominated_node.empty()) {
    promise.reset();
  } else if (promise->seen) {
    const auto backoff = kBackoff * (std::int64_t{1} << std::min<std::size_t>(waiting.failures, 5));
    waiting.retry = now + std::min<Clock::duration>(backoff, kMaxBackoff);
    waiting.failed_node = promise->node;
    ++waiting.failures;
    promise.reset();
  }
}

void Planner::Remove(const Pod& pod) {
  const auto found = waiting_.find(KeyOf(pod));
  if (found != waiting_.end() && found->second.pod.uid == pod.uid) waiting_.erase(found);
}

void Planner::EndReplace() {
  std::erase_if(waiting_, [this](const auto& entry) { return entry.second.epoch != epoch_; });
}

std::vector<Step> Planner::Plan(const model::ClusterView& view, model::Time time,
                                Clock::time_point now) {
  Round round{.view = view, .time = time, .now = now};
  Confirm(round);
  Nominate(round);
  return std::move(round.steps);
}

void Planner::Keep(const std::string& namespace_name, const std::string& name) {
  const auto found = waiting_.find(namespace_name + '/' + name);
  if (found != waiting_.end()) found->second.epoch = epoch_;
}

void Planner::Failed(const Step& step, Clock::time_point now) {
  const auto found = waiting_.find(step.namespace_ + '/' + step.name);
  if (found == waiting_.end() || found->second.pod.uid != step.uid) return;
  if (step.node.empty()) return;
  found->second.promise.reset();
  found->second.retry = now + kFailedWrite;
}

void Planner::Confirm(Round& round) {
  // What kube-scheduler counts is booked first, so that nothing is promised on top of it.
  std::vector<Waiting*> ours;
  for (auto& [key, waiting] : waiting_) {
    std::optional<Promise>& promise = waiting.promise;
    if (promise && !promise->seen && promise->written + kLost <= round.now) promise.reset();
    if (promise) {
      ours.push_back(&waiting);
    } else if (const auto node = round.view.Find(waiting.pod.nominated_node)) {
      round.planned.Book(waiting.pod, *node);
    }
  }
  for (Waiting* waiting : ours) Review(*waiting, round);
}

void Planner::Review(Waiting& waiting, Round& round) {
  Candidates& candidates = CandidatesFor(waiting, round);
  std::optional<NodeIndex> node = round.view.Find(waiting.promise->node);
  if (!node || !candidates.Fits(*node)) {
    node = candidates.Best();
    waiting.promise.reset();
    round.steps.push_back(StepFor(waiting.pod, node ? round.view.At(*node)->node.name : ""));
    if (node) waiting.promise = {round.steps.back().node, round.now};
  }
  if (!node) return;
  round.planned.Book(waiting.pod, *node);
  ++round.standing;
}

void Planner::Nominate(Round& round) {
  left_to_scan_.clear();
  std::int64_t ahead = 0;
  for (Waiting* waiting : Queue(round.now)) {
    const Unknown unknown = policies::fit::UnknownNeed(waiting->pod);
    const bool refused = !waiting->pod.unschedulable.empty();
    const bool at_head = !refused && ahead++ < config_.backlog.pods;
    if (unknown != Unknown::kNone) ++left_to_scan_[unknown];
    if (unknown != Unknown::kNone || at_head || round.standing >= kMaxStanding) continue;
    if (!refused && waiting->since + kBacklogAge > round.now) continue;
    Candidates& candidates = CandidatesFor(*waiting, round);
    std::vector<NodeIndex> avoided;
    if (const auto failed = round.view.Find(waiting->failed_node)) avoided.push_back(*failed);
    const std::optional<NodeIndex> node = candidates.Best(avoided);
    if (!node) continue;
    round.steps.push_back(StepFor(waiting->pod, round.view.At(*node)->node.name));
    waiting->promise = {round.steps.back().node, round.now};
    round.planned.Book(waiting->pod, *node);
    ++round.standing;
  }
}

bool Planner::IsPlanned(const Waiting& waiting) const {
  const Pod& pod = waiting.pod;
  return !pod.gated && pod.nominated_node.empty() && !waiting.promise &&
         std::ranges::find(config_.schedulers, pod.scheduler) != config_.schedulers.end() &&
         !model::AcceleratorRequests(pod, engine_->catalog()).empty();
}

std::vector<Planner::Waiting*> Planner::Queue(Clock::time_point now) {
  std::vector<Waiting*> queue;
  for (auto& [key, waiting] : waiting_) {
    if (IsPlanned(waiting) && waiting.retry <= now) queue.push_back(&waiting);
  }
  // The names only make the order certain.
  std::ranges::stable_sort(queue, [](const Waiting* a, const Waiting* b) {
    return std::tuple(-std::int64_t{a->pod.priority}, a->pod.created) <
           std::tuple(-std::int64_t{b->pod.priority}, b->pod.created);
  });
  return queue;
}

Candidates& Planner::CandidatesFor(const Waiting& waiting, Round& round) const {
  std::unique_ptr<Candidates>& candidates = round.candidates[waiting.shape];
  if (candidates == nullptr) {
    candidates = std::make_unique<Candidates>(*engine_, waiting.pod, round.planned, round.time);
  }
  return *candidates;
}

}  // namespace berth::planner
