#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/berth_process.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/cluster_life.h"
#include "tests/simulation/controller_process.h"
#include "tests/simulation/sabotage.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/weather.h"

namespace berth::simulation {

/// Minutes in the life of a cluster and of Berth in it, as a seed has them: a time of trouble, in
/// which everything may go wrong, then calm, in which all has to come right. After each step what
/// Berth knows and answers is held against what is.
class World {
 public:
  World(std::uint64_t seed, Sabotage sabotage, bool traced);
  ~World();

  /// What is wrong, in a sentence; nothing: all was well to the end.
  Complaint Run();

  const Trace& trace() const { return trace_; }

  /// What happened, for a test that something did.
  struct Counts {
    int answers = 0;
    int refusals = 0;  // nodes that were asked about and not admitted
    int truths = 0;    // times that the snapshot was held against the model
    int berth_lives = 0;
    int outages = 0;
    int patches = 0;
    int unreadable = 0;  // truths with something in quarantine
  };
  const Counts& counts() const { return counts_; }

 private:
  void StartBerth();
  void EndBerth();
  void Schedule();
  void ScheduleChange();
  void ScheduleAttempt();
  void Attempt();
  void StartController(std::size_t index);
  void CheckLeaders(const std::string& writer);
  void CheckLabels(bool in_the_end);
  void Breaks();
  void TakeAway();
  void RunUntil(Time end);
  void Note(const Complaint& complaint);
  void CheckTruth();
  void CheckBytes(std::size_t kept);
  std::size_t InputBytes() const;

  const std::uint64_t seed_;
  Chance chance_;
  Timeline timeline_;
  Trace trace_;
  ApiServer server_;
  Weather weather_;
  ClusterLife cluster_;
  const Time trouble_;  // how long it lasts
  const int change_interval_;
  BerthProcess::Options options_;
  std::unique_ptr<BerthProcess> berth_;
  /// Two that compete, or none.
  std::vector<std::unique_ptr<ControllerProcess>> controllers_;
  std::unique_ptr<Checker> checker_;
  std::size_t most_input_ = 0;
  Complaint complaint_;
  Counts counts_;
};

}  // namespace berth::simulation
