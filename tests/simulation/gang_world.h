#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "planner/config.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/berth_process.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/controller_process.h"
#include "tests/simulation/gang_checker.h"
#include "tests/simulation/gang_jobs.h"
#include "tests/simulation/scheduler_life.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/weather.h"

namespace berth::simulation {

/// Minutes in the life of gangs, as a seed has them: real controllers plan them over a model of the
/// API server for a model of kube-scheduler, while nodes break, pods are deleted, requests fail and
/// every program is started again. Then comes calm, in which every Job has to run and to end. In
/// some worlds gangs have pods of two kinds, and in some they wait for PodGroups.
class GangWorld {
 public:
  GangWorld(std::uint64_t seed, PlannerSabotage sabotage, bool traced);
  ~GangWorld();

  /// What is wrong, in a sentence; nothing: all was well to the end. One object has one run, of
  /// either kind.
  Complaint Run();
  /// The same of another life: all is well, and single pods of one priority keep coming for every
  /// device that becomes free. A gang of that priority that comes among them, and that fits into
  /// the share of the nodes that is kept for gangs, has to run all the same. Some of the single
  /// pods say that they end in time, and so may use what is kept.
  Complaint RunAmongSingles();

  const Trace& trace() const { return trace_; }

  /// What happened, for a test that something did.
  struct Counts {
    int releases = 0;   // gangs of which the first pod was let go
    int evictions = 0;  // of pods
    int restarts = 0;   // of controllers and of kube-scheduler
    int openings = 0;   // of PodGroups
  };
  const Counts& counts() const { return counts_; }

 private:
  void StartControllers();
  void StartController(std::size_t index);
  void ScheduleChange();
  void ScheduleWork();
  void ScheduleSingles();
  void Break();
  void TakeAway();
  void CheckParts();
  void RunUntil(Time end);
  void Note(const Complaint& complaint);

  const std::uint64_t seed_;
  const PlannerSabotage sabotage_;
  Chance chance_;
  planner::PlannerConfig config_;  // of all controllers
  Timeline timeline_;
  Trace trace_;
  ApiServer server_;
  Weather weather_;
  GangJobs jobs_;
  SchedulerLife scheduler_;
  GangChecker checker_;
  const Time trouble_;  // how long it lasts
  BerthProcess::Options options_;
  // For how many more devices than there are single pods ask, while they keep coming.
  std::int64_t beyond_ = 0;
  std::vector<std::unique_ptr<ControllerProcess>> controllers_;
  Complaint complaint_;
  Counts counts_;
};

}  // namespace berth::simulation
