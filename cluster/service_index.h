#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "kube/unreadable_object.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::cluster {

/// Answers which pods Services select. kube-scheduler spreads the pods of one Service over nodes,
/// so a pod that no Service selects gets the same score for that on every node. Owned by Snapshot.
/// Not thread-safe: the snapshot's lock guards it.
class ServiceIndex {
 public:
  /// Labels of one selector that are stored. A selector with more counts as if it had only the
  /// first of them, and so selects too many pods; real selectors have far fewer.
  static constexpr std::size_t kMaxLabels = 32;

  /// Sets the selector of `service`. A Service without a selector selects nothing, and is removed.
  void Upsert(const model::Service& service);

  /// Records that the Service exists but cannot be read: it selects what it selected when it was
  /// last read. A Service that is unknown counts as if it selected every pod of its namespace, and
  /// a Service whose namespace cannot be read, every pod.
  void Quarantine(const kube::UnreadableObject& service);

  /// Removes the Service. No effect if it is unknown.
  void Remove(const model::Service& service);

  /// Begins a list of all Services; see NodeTable::BeginReplace.
  void BeginReplace() { ++epoch_; }
  /// Ends the list: removes every Service that was neither upserted nor quarantined since
  /// BeginReplace().
  void EndReplace();

  /// Returns whether a Service of the pod's namespace selects `pod`, by its labels. May return true
  /// for a pod that no Service selects (see above), but never false for a pod that one does.
  bool Selects(const model::Pod& pod) const;

  /// The number of Services with a selector and of those in quarantine.
  std::size_t size() const;

 private:
  /// What is stored for one Service.
  struct Record {
    /// The labels that a selected pod has. Empty if the Service may select any pod.
    model::StringMap selector;
    /// The value of epoch_ when the Service was last upserted or quarantined.
    std::uint32_t epoch = 0;
  };
  /// The Services of one namespace by name.
  using Services = std::map<std::string, Record>;

  /// Returns whether a Service stored under exactly `namespace_name` selects a pod with `labels`.
  bool Selects(const std::string& namespace_name, const model::StringMap& labels) const;

  /// The key "" has Services in quarantine whose namespace cannot be read.
  absl::flat_hash_map<std::string, Services> by_namespace_;
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
