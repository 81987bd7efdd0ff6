#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "controller/patcher.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "model/gang.h"
#include "model/pod.h"

namespace berth::controller {

/// Takes the scheduling gate of gangs away from all pods that wait behind it, where gangs are not
/// planned: nobody else would, and no scheduler looks at a pod that has a gate. Other gates of a
/// pod stay. Likewise creates the PodGroups for which pods of gangs wait, so that kube-scheduler
/// places each of them by itself.
///
/// It takes the unassigned pods from a list-and-watch, which calls the On... methods on its own
/// thread, while Run() blocks another one. Controller owns it.
class GateRemover final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// Which gate, and how fast.
  struct Options {
    /// By which pods state their gang. Not set: gangs are planned, and there is nothing to do.
    std::optional<model::GangNames> gangs = {};
    /// Whether PodGroups are created.
    bool pod_groups = false;
    /// Returns whether this controller leads. Asked right before each write.
    std::function<bool()> may_write;
    /// From one write to the next: 200 a second.
    std::chrono::milliseconds pace{5};
    /// From one look to the next while there is nothing to do.
    std::chrono::milliseconds interval{250};
  };

  /// Everything pointed at must outlive this.
  GateRemover(Options options, Patcher* patcher, kube::Timer* timer, WriteObserver* observer);

  /// Takes gates away while this controller leads. Returns when the timer is stopped, and at once
  /// if there is nothing to do. Each write is reported to `observer`, on this thread. A pod that
  /// keeps its gate is tried again after waits that double.
  void Run();

  /// See kube::ListWatchHandler.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  void OnUpsert(model::Pod pod) override;
  /// Its gate is taken away once it can be read.
  void OnUnreadable(const kube::UnreadableObject&) override {}
  void OnDelete(model::Pod pod) override;
  void OnHeard(const std::string&) override {}

 private:
  struct Gated {
    std::string namespace_;
    std::string name;
    std::string uid;
    // The PodGroup for which it waits. Empty: it has the gate.
    std::string pod_group = {};
    std::string priority_class = {};
  };

  // By what the pod is held back; nothing if it is not.
  std::optional<Gated> GatedBy(const model::Pod& pod) const;
  absl::Status Free(const Gated& pod);
  // Writes one pod, if any is due. Returns whether a write was tried.
  bool WriteOne();
  std::optional<Gated> Next();

  const Options options_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  // The keys are UIDs.
  Retries retries_;

  // Guards what follows, which both threads use.
  std::mutex mutex_;
  std::map<std::string, Gated> gated_;  // by UID
};

}  // namespace berth::controller
