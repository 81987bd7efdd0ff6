#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "model/time.h"
#include "policies/scheduling/kept.h"
#include "policies/scheduling/reason.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/gang_jobs.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"

namespace berth::simulation {

/// kube-scheduler as far as the planner relies on it (docs/planner.md and docs/gangs.md name the
/// sources): one pod at a time, by priority and age, on its nominated node first and else on a
/// sample; pods that are nominated count as if they were bound against those of equal and lower
/// priority; up to 1.36 a process that starts knows no nominations of gated pods until these pods
/// change. The pods of a PodGroup wait until there are as many as it wants, and then as many get
/// nodes in one cycle, or none does. An extender that knows everything at once keeps pods off
/// broken nodes, and off devices that nodes say are kept for gangs. Not thread-safe.
class SchedulerLife {
 public:
  struct Options {
    /// Whether it is one of before 1.37, which forgets nominations. Such a one knows no PodGroups.
    bool forgets = false;
    /// The time of policies.
    std::function<model::Time()> now;
  };

  SchedulerLife(ApiServer* server, Timeline* timeline, Chance* chance, Trace* trace,
                Options options);

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
  // Whether nothing holds the pod back.
  bool IsFree(const model::Pod& pod) const;
  // The pods of a PodGroup, "<namespace>/<name>", that have not ended, and how many of them are
  // bound or being bound.
  struct Members {
    std::vector<std::string> waiting;  // keys
    std::size_t placed = 0;
  };
  Members MembersOf(const std::string& group) const;
  // What is tried by itself, and backs off: the UID of the pod, or of its PodGroup.
  std::string EntityOf(const model::Pod& pod) const;
  void Try(const std::string& key);
  void TryGroup(const std::string& group);
  // Where the pod is to run; "": nowhere.
  std::string NodeFor(const model::Pod& pod);
  bool Fits(const model::Pod& pod, const std::string& node) const;
  // What others use of the node, or are promised there, as this pod sees it.
  std::int64_t Used(const model::Pod& pod, const std::string& node) const;
  // What the node's pods use, as the extender counts it.
  std::int64_t Bound(const std::string& node) const;
  // Whether the extender lets the pod have devices of the node, as far as some are kept for gangs.
  bool LeavesKept(const model::Pod& pod, const model::Node& node) const;
  // Where the pod is being bound; "": nowhere.
  std::string AssumedNodeOf(const std::string& key, const std::string& uid) const;
  bool Knows(const Stored<model::Pod>& stored) const;
  void Bind(const std::string& key, const std::string& node);
  // Says that the pod was tried in vain, and clears its nomination unless that stands all the same.
  void Refuse(const std::string& key, const std::string& why, bool stands);
  void BackOff(const std::string& entity);

  ApiServer* const server_;
  Timeline* const timeline_;
  Chance* const chance_;
  Trace* const trace_;
  const Options options_;
  // Of the extender.
  policies::scheduling::ReasonTable reasons_;
  const policies::scheduling::KeptPolicy kept_;
  int process_ = 0;
  int transitions_ = 0;
  bool leads_ = false;
  Time leads_since_{0};
  // What there was when the process started.
  Revision started_ = 0;
  // By "<namespace>/<name>": what is being bound.
  std::map<std::string, Place> assumed_;
  // By EntityOf(): how often it was refused, and when it may be tried again.
  struct Backoff {
    int refusals = 0;
    Time until{0};
  };
  std::map<std::string, Backoff> backoffs_;
};

}  // namespace berth::simulation
