#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "kube/unreadable_object.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::cluster {

/// When bound pods last wrote a checkpoint, as they say by the annotation
/// "<prefix>/checkpointed-at", whatever the prefix: the snapshot lives longer than a configuration.
/// Owned by Snapshot. Not thread-safe: the snapshot's lock guards it.
///
/// Only bound pods that have not ended and have the annotation count. All other pods cost nothing.
class CheckpointTimes {
 public:
  /// What one pod says. A plain value.
  struct Record {
    /// "<namespace>/<name>" of the pod.
    std::string pod;
    /// kNoTime if the annotation is no time in RFC 3339.
    model::Time at = model::kNoTime;
    std::int32_t priority = 0;
    /// The value of epoch_ when the pod was last upserted or kept.
    std::uint32_t epoch = 0;
  };

  /// If not `enabled`, no pods count.
  explicit CheckpointTimes(bool enabled) : enabled_(enabled) {}

  /// Sets what is known of the pod, or removes it if it does not count.
  void Upsert(const model::Pod& pod);
  /// Records that the pod exists but cannot be read: it says what was last read. A pod without UID
  /// is not known.
  void Keep(const kube::UnreadableObject& pod);
  /// Removes the pod. No effect if it is unknown.
  void Remove(const model::Pod& pod);

  /// Begins a list of all bound pods; see NodeTable::BeginReplace.
  void BeginReplace() { ++epoch_; }
  /// Ends the list: removes every pod that was neither upserted nor kept since BeginReplace().
  void EndReplace();

  /// Returns what the pod with that UID says; null if it does not count.
  const Record* Find(std::string_view uid) const;

  /// The number of pods that count.
  std::size_t size() const { return records_.size(); }

 private:
  const bool enabled_;
  absl::flat_hash_map<std::string, Record> records_;  // by UID
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
