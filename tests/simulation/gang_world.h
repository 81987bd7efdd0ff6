#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
/// every program is started again. Then comes calm, in which every Job has to run and to end.
class GangWorld {
 public:
  GangWorld(std::uint64_t seed, PlannerSabotage sabotage, bool traced);
  ~GangWorld();

  /// What is wrong, in a sentence; nothing: all was well to the end.
  Complaint Run();

  const Trace& trace() const { return trace_; }

  /// What happened, for a test that something did.
  struct Counts {
    int releases = 0;   // gangs of which the first pod was let go
    int evictions = 0;  // of pods
    int restarts = 0;   // of controllers and of kube-scheduler
  };
  const Counts& counts() const { return counts_; }

 private:
  void StartController(std::size_t index);
  void ScheduleChange();
  void ScheduleWork();
  void Break();
  void TakeAway();
  void CheckParts();
  void RunUntil(Time end);
  void Note(const Complaint& complaint);

  const std::uint64_t seed_;
  const PlannerSabotage sabotage_;
  Chance chance_;
  Timeline timeline_;
  Trace trace_;
  ApiServer server_;
  Weather weather_;
  GangJobs jobs_;
  SchedulerLife scheduler_;
  GangChecker checker_;
  const Time trouble_;  // how long it lasts
  BerthProcess::Options options_;
  std::vector<std::unique_ptr<ControllerProcess>> controllers_;
  Complaint complaint_;
  Counts counts_;
};

}  // namespace berth::simulation
