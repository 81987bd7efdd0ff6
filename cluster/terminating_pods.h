#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "kube/unreadable_object.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::cluster {

/// The pods of Jobs that somebody has deleted and that are still there, because their kubelet has
/// not ended them yet. A Job with a podFailurePolicy waits for them. Owned by Snapshot. Not
/// thread-safe: the snapshot's lock guards it.
///
/// Only bound pods that have not ended count. All other pods cost nothing.
class TerminatingPods {
 public:
  /// One such pod. A plain value.
  struct Record {
    std::string namespace_name;
    std::string name;
    std::string uid;
    std::string node;
    /// The Job (of batch) that controls the pod.
    std::string job;
    /// When the pod should be gone; see model::Pod::deleted.
    model::Time deleted = model::kNoTime;
    /// The value of epoch_ when the pod was last upserted or kept.
    std::uint32_t epoch = 0;
  };

  /// Sets what is known of the pod, or removes it if it does not count.
  void Upsert(const model::Pod& pod);
  /// Records that the pod exists but cannot be read: it stays as it was last read. If the UID shows
  /// that the name belongs to another pod by now, the former pod is removed.
  void Keep(const kube::UnreadableObject& pod);
  /// Removes the pod. No effect if it is unknown, or if its name belongs to another UID by now.
  void Remove(const model::Pod& pod);

  /// Begins a list of all bound pods; see NodeTable::BeginReplace.
  void BeginReplace() { ++epoch_; }
  /// Ends the list: removes every pod that was neither upserted nor kept since BeginReplace().
  void EndReplace();

  /// The number of such pods.
  std::size_t size() const { return records_.size(); }

  /// Calls visit(const Record&) for each, ascending by "<namespace>/<name>".
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, record] : records_) visit(record);
  }

 private:
  std::map<std::string, Record> records_;  // by "<namespace>/<name>"
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
