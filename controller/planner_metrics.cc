#include "controller/planner_metrics.h"

#include <cstddef>
#include <string>

namespace berth::controller {

namespace {

using planner::Outcome;
using planner::State;
using policies::fit::Unknown;

constexpr State kCountedStates[] = {State::kNominated, State::kEviction, State::kHead,
                                    State::kQueued,    State::kNoNode,   State::kLeftToScan,
                                    State::kBackingOff};
constexpr Unknown kNeeds[] = {Unknown::kTooLarge,    Unknown::kClaims, Unknown::kVolumes,
                              Unknown::kPodAffinity, Unknown::kSpread, Unknown::kNodeFeatures};

// From a rescue to a pod that has waited over night.
prometheus::Histogram::BucketBoundaries DelayBuckets() {
  return {0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 21600};
}

// From a gang that fits at once to one that has waited over a weekend.
prometheus::Histogram::BucketBoundaries WaitBuckets() {
  return {1, 2, 5, 10, 30, 60, 300, 900, 3600, 10800, 43200, 86400, 259200};
}

prometheus::Histogram::BucketBoundaries SpanBuckets() { return {1, 2, 3, 4, 6, 8, 12, 16, 32, 64}; }

prometheus::Histogram::BucketBoundaries PlanBuckets() {
  return {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
}

double SecondsSince(model::Time since, model::Time now) {
  return std::chrono::duration<double>(now - since).count();
}

prometheus::Histogram* AddHistogram(prometheus::Registry& registry, const char* name,
                                    const char* help,
                                    const prometheus::Histogram::BucketBoundaries& buckets) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  return &family.Add({}, buckets);
}

}  // namespace

PlannerMetrics::PlannerMetrics(server::Metrics& metrics) {
  prometheus::Registry& registry = metrics.registry();
  auto& pods = prometheus::BuildGauge()
                   .Name("berth_planner_pods")
                   .Help("Pods that wait, by what the planner makes of them.")
                   .Register(registry);
  for (const State state : kCountedStates) {
    pods_[state] = &pods.Add({{"state", std::string(NameOf(state))}});
  }
  auto& needs = prometheus::BuildGauge()
                    .Name("berth_planner_left_to_scan")
                    .Help("Pods that are left to kube-scheduler, by what they need.")
                    .Register(registry);
  for (const Unknown need : kNeeds) {
    left_to_scan_[need] = &needs.Add({{"need", std::string(NameOf(need))}});
  }
  auto& nominations = prometheus::BuildCounter()
                          .Name("berth_planner_nominations_total")
                          .Help("Nominations of the planner, by outcome.")
                          .Register(registry);
  written_ = &nominations.Add({{"outcome", "written"}});
  failed_ = &nominations.Add({{"outcome", "failed"}});
  late_ = &nominations.Add({{"outcome", "late"}});
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    ended_[i] = &nominations.Add({{"outcome", std::string(NameOf(static_cast<Outcome>(i)))}});
  }
  nomination_delay_ = AddHistogram(registry, "berth_planner_nomination_delay_seconds",
                                   "From the creation of a pod to a nomination.", DelayBuckets());
  binding_delay_ =
      AddHistogram(registry, "berth_planner_binding_delay_seconds",
                   "From the creation of a pod that was nominated to its binding.", DelayBuckets());
  plan_ = AddHistogram(registry, "berth_planner_plan_seconds", "Time to plan one round.",
                       PlanBuckets());
  AddGangs(registry);
}

void PlannerMetrics::AddGangs(prometheus::Registry& registry) {
  auto& gangs = prometheus::BuildGauge()
                    .Name("berth_planner_gangs")
                    .Help("Gangs of which pods wait, by how far they are.")
                    .Register(registry);
  for (std::size_t i = 0; i < gangs_.size(); ++i) {
    gangs_[i] = &gangs.Add({{"phase", std::string(NameOf(static_cast<planner::GangPhase>(i)))}});
  }
  auto& events = prometheus::BuildCounter()
                     .Name("berth_planner_gang_events_total")
                     .Help("What has become of gangs.")
                     .Register(registry);
  for (std::size_t i = 0; i < gang_events_.size(); ++i) {
    const auto event = static_cast<planner::GangEvent>(i);
    gang_events_[i] = &events.Add({{"event", std::string(NameOf(event))}});
  }
  gang_oldest_ = &prometheus::BuildGauge()
                      .Name("berth_planner_gang_oldest_seconds")
                      .Help("Since when the first pod exists of the gang that waits the longest.")
                      .Register(registry)
                      .Add({});
  gang_incomplete_ = &prometheus::BuildGauge()
                          .Name("berth_planner_gang_incomplete_seconds")
                          .Help("For how long at most a released gang has lacked pods.")
                          .Register(registry)
                          .Add({});
  gang_wait_ =
      AddHistogram(registry, "berth_planner_gang_wait_seconds",
                   "From the creation of a gang's first pod to its release.", WaitBuckets());
  gang_spans_ = &prometheus::BuildHistogram()
                     .Name("berth_planner_gang_spans")
                     .Help("Over how many domains of the topology released gangs are spread.")
                     .Register(registry);
}

void PlannerMetrics::OnPlanned(planner::Planner& planner, std::chrono::nanoseconds took,
                               model::Time now) {
  plan_->Observe(std::chrono::duration<double>(took).count());
  for (const auto& [state, gauge] : pods_) {
    gauge->Set(static_cast<double>(planner.states()[static_cast<std::size_t>(state)]));
  }
  for (const auto& [need, gauge] : left_to_scan_) {
    const auto found = planner.left_to_scan().find(need);
    gauge->Set(found == planner.left_to_scan().end() ? 0 : static_cast<double>(found->second));
  }
  for (const planner::Ended& ended : planner.TakeEnded()) {
    ended_[static_cast<std::size_t>(ended.outcome)]->Increment();
    if (ended.outcome == Outcome::kBound) binding_delay_->Observe(SecondsSince(ended.created, now));
  }
}

void PlannerMetrics::OnGangs(const planner::Planner& planner,
                             const std::vector<planner::GangChange>& changes,
                             const std::vector<planner::TopologyLevel>& topology, model::Time now) {
  const auto phases = planner.gangs().phases();
  for (std::size_t i = 0; i < gangs_.size(); ++i) gangs_[i]->Set(static_cast<double>(phases[i]));
  const model::Time oldest = planner.OldestGated();
  gang_oldest_->Set(oldest == model::kNoTime ? 0 : SecondsSince(oldest, now));
  const std::chrono::duration<double> incomplete = planner.gangs().LongestIncomplete();
  gang_incomplete_->Set(incomplete.count());
  // A level of which no gang was released yet has a histogram, too, so that dashboards show it.
  for (const planner::TopologyLevel& level : topology) {
    gang_spans_->Add({{"label", level.label}}, SpanBuckets());
  }
  for (const planner::GangChange& change : changes) {
    gang_events_[static_cast<std::size_t>(change.event)]->Increment();
    if (change.event != planner::GangEvent::kReleased) continue;
    gang_wait_->Observe(SecondsSince(change.created, now));
    for (const planner::GangSpan& span : change.spans) {
      // One that is released without nodes is spread over none.
      if (span.domains == 0) continue;
      gang_spans_->Add({{"label", span.label}}, SpanBuckets())
          .Observe(static_cast<double>(span.domains));
    }
  }
}

void PlannerMetrics::OnWritten(const planner::Step& step, const absl::Status& status,
                               model::Time now) {
  if (step.node.empty()) return;
  const bool late = absl::IsAborted(status) || absl::IsNotFound(status);
  (status.ok() ? written_ : late ? late_ : failed_)->Increment();
  if (status.ok()) nomination_delay_->Observe(SecondsSince(step.created, now));
}

void PlannerMetrics::OnIdle() {
  for (const auto& [state, gauge] : pods_) gauge->Set(0);
  for (const auto& [need, gauge] : left_to_scan_) gauge->Set(0);
  for (prometheus::Gauge* gauge : gangs_) gauge->Set(0);
  gang_oldest_->Set(0);
  gang_incomplete_->Set(0);
}

}  // namespace berth::controller
