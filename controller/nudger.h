#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/snapshot.h"
#include "controller/nudge_plan.h"
#include "controller/patcher.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// Touches an annotation of the pods that NudgePlan says are due: any change of a pod has
/// kube-scheduler try it again. Takes the unassigned pods from a list-and-watch on its thread;
/// Run() on another, until the timer is stopped.
class Nudger final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// The annotation, below the prefix of Berth's. No policy reads it.
  static constexpr std::string_view kAnnotation = "nudged-at";

  struct Options {
    /// With the prefix: "berth.dev/nudged-at".
    std::string annotation;
    /// Asked right before each write.
    std::function<bool()> may_write;
    /// The time of policies, which is also what is written.
    std::function<model::Time()> now;
    /// Between two writes: 50 a second.
    std::chrono::milliseconds pace{20};
    /// Between two judgements, and between two looks while nobody is due.
    std::chrono::milliseconds interval{250};
  };

  /// The pods that wait, as the API server selects them.
  static constexpr char kPodSelector[] =
      "spec.nodeName=,status.phase!=Succeeded,status.phase!=Failed";

  /// Everything pointed at must outlive this.
  Nudger(Options options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
         const cluster::Snapshot* snapshot, Patcher* patcher, kube::Timer* timer,
         WriteObserver* observer);

  void Run();

  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  void OnUpsert(model::Pod pod) override;
  void OnUnreadable(const kube::UnreadableObject& pod) override;
  void OnDelete(model::Pod pod) override;
  void OnHeard(const std::string&) override {}

 private:
  void Judge();
  bool NudgeOne();

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  Patcher* const patcher_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;

  std::optional<kube::Timer::Clock::time_point> judged_;

  std::mutex mutex_;
  NudgePlan plan_;
};

}  // namespace berth::controller
