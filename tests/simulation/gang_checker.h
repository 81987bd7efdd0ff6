#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "model/node.h"
#include "model/pod.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/controller_process.h"
#include "tests/simulation/scheduler_life.h"
#include "tests/simulation/timeline.h"

namespace berth::simulation {

/// Judges when a controller may let a gang go: only by what it could know. And what it may keep for
/// one. Not thread-safe.
class GangChecker {
 public:
  GangChecker(const ApiServer* server, const Timeline* timeline, const SchedulerLife* scheduler)
      : server_(server), timeline_(timeline), scheduler_(scheduler) {}

  /// Notes how far the controller has heard. Call it whenever it has heard something.
  void Note(const ControllerProcess& controller);
  /// It has ended, and what it knew is of no use to another.
  void Forget(const std::string& identity) { heard_.erase(identity); }

  /// A controller is about to change a pod. If that takes away the first gate of a gang of which no
  /// pod runs, then all pods of it were there, each with a node and by the term of kube-scheduler
  /// that leads.
  Complaint CheckPatch(const std::string& who, const model::Pod& before, const model::Pod& after);
  /// The same of a PodGroup, "<namespace>/<name>", whose minCount it is about to change. A
  /// kube-scheduler that knows PodGroups forgets no nominations, so nothing is said of its term.
  Complaint CheckPodGroup(const std::string& who, const std::string& group);
  /// A controller is about to write a node so. What is kept there for a gang, all of its pods of
  /// whatever kind can have at the same time.
  static Complaint CheckNode(const std::string& who, const model::Node& node);

  /// How many gangs were judged.
  int releases() const { return releases_; }

 private:
  // What was known at some time.
  struct Heard {
    Time time;
    // How many pods of each gang waited and had a node.
    std::map<std::string, std::size_t> nominated;
    // The revision of nodes and bound pods.
    Revision bound;
  };

  // Whether any pod of the gang is let go, or bound if a PodGroup holds it back.
  bool HasBegun(const std::string& gang) const;
  // Whether pods of the gang ran, as far as that controller knew at any time within what is kept.
  bool KnewThatItRuns(const std::string& identity, const std::string& gang);
  Complaint CheckRelease(const std::string& identity, const std::string& gang, std::size_t size);
  // How many pods of the gang had a node then, waiting or bound.
  std::size_t Placed(const std::string& gang, const Heard& heard) const;
  // Whether all nominations of the gang were written for the kube-scheduler that leads.
  bool AreOfTerm(const std::string& gang) const;

  const ApiServer* const server_;
  const Timeline* const timeline_;
  const SchedulerLife* const scheduler_;
  // By identity.
  std::map<std::string, std::deque<Heard>> heard_;
  int releases_ = 0;
};

}  // namespace berth::simulation
