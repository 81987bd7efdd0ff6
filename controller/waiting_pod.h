#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/free_devices.h"
#include "controller/pod_shape.h"
#include "controller/refusals.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::controller {

/// A pod that waits for a node: what kube-scheduler reports of it, how often it was nudged since,
/// and whether there is a cause to nudge it. Not thread-safe.
class WaitingPod {
 public:
  using Clock = std::chrono::steady_clock;

  /// How long a pod has after each nudge to be tried. kube-scheduler itself backs off up
  /// to 10 s by default, and to 60 s in the chart; a pod that has to wait longer than all of these
  /// needs no further nudge, because one of them has put it into the queue of those that back off
  /// (moveToBackoffQ in pkg/scheduler/backend/queue/scheduling_queue.go).
  static constexpr std::array<std::chrono::seconds, 4> kTries = {
      std::chrono::seconds(2), std::chrono::seconds(7), std::chrono::seconds(20),
      std::chrono::seconds(10)};

  /// After so long a pod that was nudged less often begins anew.
  static constexpr std::chrono::minutes kForgotten{1};

  /// A pod that is there since `now`: what came to fit before was no reason to refuse it.
  WaitingPod(const model::Pod& pod, Clock::time_point now);

  /// The same pod as it is now.
  void Update(const model::Pod& pod, const policies::scheduling::ReasonTable& reasons,
              Clock::time_point now);

  const std::string& namespace_name() const { return namespace_; }
  const std::string& name() const { return name_; }
  const std::string& uid() const { return uid_; }

  /// Null: none is followed for it, and there is never a cause.
  PodShape* shape() const { return shape_; }
  void set_shape(PodShape* shape) { shape_ = shape; }

  /// Whether kube-scheduler has reported something that CheckReport() was not called for.
  bool HasNewReport() const { return report_ == Report::kNew; }

  /// Compares a new report with what the shape knows. A true one says that kube-scheduler has asked
  /// an extender that knew, too: the nudges before it have had their effect.
  void CheckReport();

  /// Whether it was nudged and may still be tried. Until then the node's devices are promised.
  bool IsOutstanding(Clock::time_point now) const;
  void PromiseAgain(FreeDevices& free) const { free.Promise(node_, shape_->nodes().requests()); }

  /// Gives up causes for which it was nudged often enough.
  void Expire(Clock::time_point now);

  /// Whether there is a cause to nudge it, be there room or not.
  bool HasCause(Clock::time_point now) const;

  /// Promises it devices of a node that is such a cause; nothing: none has enough.
  std::optional<model::NodeIndex> TakeRoom(FreeDevices& free, Clock::time_point now) const;

  /// It was nudged for what it was promised there.
  void OnNudged(model::NodeIndex node, Clock::time_point now);

  /// Who is nudged first: the higher priority, then the older.
  bool ComesBefore(const WaitingPod& other) const;

 private:
  enum class Report { kNew, kTrue, kStale };

  void Settle();
  bool HasStaleReport(Clock::time_point now) const;

  std::string namespace_;
  std::string name_;
  std::string uid_;
  std::int32_t priority_ = 0;
  model::Time created_ = model::kNoTime;
  PodShape* shape_ = nullptr;

  std::size_t message_hash_ = 0;
  std::vector<Refusals> refusals_;
  Clock::time_point reported_;
  /// Whether that was true when it was checked.
  Report report_ = Report::kTrue;

  /// What happened before is no cause any more.
  Clock::time_point settled_;
  /// Nudges since; the last one of them, and the node that it was for.
  std::size_t nudges_ = 0;
  Clock::time_point nudged_;
  model::NodeIndex node_ = 0;
};

}  // namespace berth::controller
