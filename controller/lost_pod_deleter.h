#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/snapshot.h"
#include "controller/config.h"
#include "controller/lost_pods_plan.h"
#include "controller/retries.h"
#include "controller/write_observer.h"
#include "kube/json_api.h"
#include "kube/permission.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/time.h"

namespace berth::controller {

/// The rights that LostPodDeleter needs at the API server, besides those of the snapshot's feed.
inline constexpr kube::Permission kLostPodPermissions[] = {{"batch", "jobs", "get"},
                                                           {"", "nodes", "get"},
                                                           {"", "pods", "get"},
                                                           {"", "pods", "delete"},
                                                           {"", "pods/status", "patch"}};

/// Ends the pods on lost nodes that are due according to LostPodsPlan and that their Job waits for.
///
/// A Job waits for its terminating pods if it says podReplacementPolicy: Failed, which is the only
/// value that a podFailurePolicy allows; Berth's policy job-retries adds both. It counts a pod, and
/// replaces it, only when the pod's phase is Failed (isPodFailed in
/// k8s.io/kubernetes/pkg/controller/job/job_controller.go, v1.36.3), and no kubelet is there to
/// report that. Deletion by force alone changes nothing: the Job's finalizer keeps the pod. So the
/// pod is deleted by force and its status set to Failed, as PodGC does with pods of nodes that are
/// gone (markFailedAndDeletePod in k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go).
///
/// Before each write, the Job, the node and the pod are read again from the API server. The pod is
/// left alone unless
/// - the annotation `applied` of its Job names the policy job-retries, and the Job waits;
/// - the node still has not been Ready for as long;
/// - it is still the same pod, on that node, deleted and past its grace period.
///
/// Both writes are refused by the API server if somebody has changed the pod since.
///
/// Controller owns it. Run() blocks, so give it a thread. Not thread-safe.
class LostPodDeleter {
 public:
  /// What is due, and how fast.
  struct Options {
    /// If not enabled(), Run() returns at once.
    LostNodesConfig config;
    /// Its full name: "berth.dev/applied".
    std::string applied_annotation;
    /// Returns whether this controller leads. Asked right before each pod.
    std::function<bool()> may_write;
    /// The time that is compared with times in the API.
    std::function<model::Time()> now;
    /// From a pod that was ended to the next pod: 30 a minute.
    std::chrono::milliseconds pace{2000};
    /// From a pod that was read and left alone to the next pod.
    std::chrono::milliseconds reading_pace{100};
    /// From one look at the snapshot to the next while no pod is due.
    std::chrono::milliseconds interval{5000};
  };

  /// `transport` is connected to the API server. Everything must outlive this.
  LostPodDeleter(Options options, const cluster::Snapshot* snapshot, kube::Transport* transport,
                 kube::Timer* timer, WriteObserver* observer);

  /// Ends pods while this controller leads and the snapshot is synced. Returns when the timer is
  /// stopped. Each pod is reported to `observer`, on this thread; those that are left alone are
  /// not. They are looked at again after 2 s, 4 s and so on up to 5 min.
  void Run();

 private:
  // What was read of a pod that is to be ended.
  struct Reading {
    std::string resource_version;
    // Whether it has the condition DisruptionTarget already.
    bool disrupted = false;
  };

  // Judges the cluster, and handles one pod if any is due. Returns how long to wait then.
  std::chrono::milliseconds Step();
  // Returns what is due by the plan, beginning after last_.
  std::vector<LostPod> Plan();
  // Reads the pod, and ends it unless it is to be left alone. Returns whether a write was tried.
  bool HandleOne(const LostPod& pod);

  // Return OK if the Job waits for the pod, and if the node is lost. FailedPrecondition or NotFound
  // means that the pod is to be left alone.
  absl::Status CheckJob(const LostPod& pod);
  absl::Status CheckNode(const LostPod& pod);
  absl::StatusOr<Reading> ReadPod(const LostPod& pod);
  // All three.
  absl::StatusOr<Reading> Examine(const LostPod& pod);

  // Deletes the pod by force and sets its phase to Failed.
  absl::Status End(const LostPod& pod, const Reading& reading);
  // The patch of the pod's status.
  std::string FailedPatch(const LostPod& pod, const Reading& reading) const;

  const Options options_;
  const cluster::Snapshot* const snapshot_;
  kube::Transport* const transport_;
  kube::Timer* const timer_;
  WriteObserver* const observer_;
  kube::Api api_;
  LostPodsPlan plan_;
  // "<namespace>/<name>" of the pod that was handled last.
  std::string last_;
  // The keys are UIDs of pods.
  Retries retries_;
};

}  // namespace berth::controller
