#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/pod.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/gang_jobs.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"

namespace berth::simulation {

/// kube-scheduler 1.36 as far as the planner relies on it (docs/planner.md names the sources): one
/// pod at a time, by priority and age, on its nominated node first and else on a sample; pods that
/// are nominated count as if they were bound against those of equal and lower priority; a process
/// that starts knows no nominations of gated pods until these pods change. An extender that knows
/// everything at once keeps pods off broken nodes. Not thread-safe.
class SchedulerLife {
 public:
  /// `forgets`: whether it is one of before 1.37, which does so.
  SchedulerLife(ApiServer* server, Timeline* timeline, Chance* chance, Trace* trace, bool forgets)
      : server_(server), timeline_(timeline), chance_(chance), trace_(trace), forgets_(forgets) {}

  /// It starts, takes its Lease and schedules from then on, for ever.
  void Begin();
  /// Another process takes over.
  void Restart();

  /// Since when the process has led that leads now.
  Time leads_since() const { return leads_since_; }
  /// Who leads as planner::GangFacts::lease has it.
  std::string term() const;

 private:
  using Place = std::pair<std::string, std::string>;  // the UID of a pod, and its node

  void Cycle();
  void Lead(int process);
  // The first one in the queue that may be tried; "" where there is none.
  std::string Next() const;
  void Try(const std::string& key);
  bool Fits(const model::Pod& pod, const std::string& node) const;
  std::int64_t Used(const model::Pod& pod, const std::string& node) const;
  bool Knows(const Stored<model::Pod>& stored) const;
  void Bind(const std::string& key, const std::string& node);
  void Refuse(const std::string& key);

  ApiServer* const server_;
  Timeline* const timeline_;
  Chance* const chance_;
  Trace* const trace_;
  const bool forgets_;
  int process_ = 0;
  int transitions_ = 0;
  bool leads_ = false;
  Time leads_since_{0};
  // What there was when the process started.
  Revision started_ = 0;
  // By "<namespace>/<name>": what is being bound.
  std::map<std::string, Place> assumed_;
  // By UID: how often it was refused, and when it may be tried again.
  struct Backoff {
    int refusals = 0;
    Time until{0};
  };
  std::map<std::string, Backoff> backoffs_;
};

}  // namespace berth::simulation
