#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <chrono>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "model/time.h"
#include "planner/planner.h"
#include "policies/fit/fit.h"
#include "server/metrics.h"

namespace berth::controller {

/// Counts what the planner makes of waiting pods:
///
///   berth_planner_pods{state}                   pods that wait, by planner::State
///   berth_planner_left_to_scan{need}            pods of state left_to_scan, by what is not known
///   berth_planner_nominations_total{outcome}    written, late, failed, and planner::Outcome
///   berth_planner_nomination_delay_seconds      from the creation of a pod to a nomination
///   berth_planner_binding_delay_seconds         from its creation to its binding, if nominated
///   berth_planner_plan_seconds                  time to plan one round
///   berth_planner_gangs{phase}                  gangs of which pods wait, by planner::GangPhase
///   berth_planner_gang_events_total{event}      what has become of gangs, by planner::GangEvent
///   berth_planner_gang_oldest_seconds           age of the gang that waits the longest
///   berth_planner_gang_incomplete_seconds       how long a released gang has lacked pods at most
///   berth_planner_gang_wait_seconds             from the creation of its first pod to its release
///   berth_planner_gang_spans{label}             domains over which a released gang is spread
///
/// Thread-safe.
class PlannerMetrics {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit PlannerMetrics(server::Metrics& metrics);

  /// The planner has planned a round within `took`. Takes what has ended from it.
  void OnPlanned(planner::Planner& planner, std::chrono::nanoseconds took, model::Time now);

  /// What the same round made of gangs. `topology` is `planner.topology`.
  void OnGangs(const planner::Planner& planner, const std::vector<planner::GangChange>& changes,
               const std::vector<planner::TopologyLevel>& topology, model::Time now);

  /// The controller has written a step, or could not; a step for a pod that was bound or gone is
  /// late.
  void OnWritten(const planner::Step& step, const absl::Status& status, model::Time now);

  /// Nothing is planned any more: another controller leads, or the planner was switched off.
  void OnIdle();

 private:
  void AddGangs(prometheus::Registry& registry);

  // Only these are counted; the others are not the planner's affair.
  std::map<planner::State, prometheus::Gauge*> pods_;
  std::map<policies::fit::Unknown, prometheus::Gauge*> left_to_scan_;
  std::array<prometheus::Counter*, planner::kOutcomes> ended_{};
  prometheus::Counter* written_ = nullptr;
  prometheus::Counter* failed_ = nullptr;
  prometheus::Counter* late_ = nullptr;
  prometheus::Histogram* nomination_delay_ = nullptr;
  prometheus::Histogram* binding_delay_ = nullptr;
  prometheus::Histogram* plan_ = nullptr;

  std::array<prometheus::Gauge*, planner::kGangPhases> gangs_{};
  std::array<prometheus::Counter*, planner::kGangEvents> gang_events_{};
  prometheus::Gauge* gang_oldest_ = nullptr;
  prometheus::Gauge* gang_incomplete_ = nullptr;
  prometheus::Histogram* gang_wait_ = nullptr;
  // Has one series for each label of the topology.
  prometheus::Family<prometheus::Histogram>* gang_spans_ = nullptr;
};

}  // namespace berth::controller
