#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kube/list_watch.h"
#include "kube/unreadable_object.h"
#include "model/accelerator.h"
#include "model/pod.h"
#include "model/resources.h"

namespace berth::cluster {

/// A pod that waits for the node that is nominated for it. A plain value.
struct NominatedPod {
  /// As of PodLedger::KeyOf().
  std::string key;
  /// Has only what identifies the pod, its nominated node, its priority, its requests as far as
  /// model::CountedRequests() counts them, and its host ports.
  model::Pod pod;
  /// The requests for resources of the catalogue.
  model::Resources devices;
};

/// The pods for which somebody has nominated a node (status.nominatedNodeName) and that are not
/// bound yet: by `berth controller`, or by kube-scheduler after it has evicted pods for them.
/// kube-scheduler itself counts such a pod as if it were on its node, for pods of equal or lower
/// priority (addGENominatedPods in k8s.io/kubernetes/pkg/scheduler/framework/runtime/framework.go,
/// v1.36.3).
///
/// A list-and-watch with kPodSelector tells it of them, on a thread of its own. Until the first
/// list has arrived, there are none. Thread-safe.
class NominatedPods final : public kube::ListWatchHandler<model::Pod> {
 public:
  /// Field selector of the list-and-watch. status.nominatedNodeName is selectable according to
  /// ToSelectableFields in k8s.io/kubernetes/pkg/registry/core/pod/strategy.go (v1.36.3).
  static constexpr char kPodSelector[] =
      "spec.nodeName=,status.nominatedNodeName!=,status.phase!=Succeeded,status.phase!=Failed";

  /// `catalog` says which requests are `devices`. Not null.
  explicit NominatedPods(std::shared_ptr<const model::AcceleratorCatalog> catalog)
      : catalog_(std::move(catalog)) {}

  /// A full list begins, and has ended. Pods that were not in it are forgotten.
  void OnReplaceBegin() override;
  void OnReplaceEnd(const std::string& resource_version) override;
  /// Sets the pod, or removes it if it is bound, has ended, or has no nominated node.
  void OnUpsert(model::Pod pod) override;
  /// The pod stays as it was last known, unless this one has another UID.
  void OnUnreadable(const kube::UnreadableObject& pod) override;
  /// The pod is gone or bound, or its nomination was withdrawn. No effect if its name belongs to
  /// another UID by now.
  void OnDelete(model::Pod pod) override;
  /// Not needed: an answer does not depend on how fresh the list is.
  void OnHeard(const std::string&) override {}

  /// Whether there are none.
  bool empty() const;

  /// Calls visit(const NominatedPod&) for each pod, ascending by key, while no pod can change.
  /// `visit` must not call this object.
  template <typename Visit>
  void ForEach(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, record] : records_) visit(record.pod);
  }

 private:
  struct Record {
    NominatedPod pod;
    // The value of epoch_ when the pod was last upserted, or could not be read.
    std::uint32_t epoch = 0;
  };

  const std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  // Guards the following.
  mutable std::mutex mutex_;
  std::map<std::string, Record> records_;  // by NominatedPod::key
  std::uint32_t epoch_ = 0;                // counts lists
};

}  // namespace berth::cluster
