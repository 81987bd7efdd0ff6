#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kube/unreadable_object.h"
#include "model/gang.h"
#include "model/pod.h"

namespace berth::cluster {

/// The bound pods of gangs, and their nodes. Owned by Snapshot. Not thread-safe: the snapshot's
/// lock guards it.
///
/// Only pods that state a gang, are bound, have not ended and are not being deleted count. All
/// other pods cost nothing.
class GangPods {
 public:
  /// `prefix`: of Berth's annotations, "berth.dev". Empty: no pods count.
  explicit GangPods(const std::string& prefix) : enabled_(!prefix.empty()), names_(prefix) {}

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

  /// The nodes of the pods of the gang "<namespace>/<gang>", one for each pod, in the order of the
  /// pods' names.
  std::vector<std::string> NodesOf(const std::string& gang) const;
  /// When these pods were bound, in the order of their names. Empty if one of them does not say.
  std::vector<model::Time> BoundTimes(const std::string& gang) const;
  /// The evictions of whole gangs that have begun, as the pods say that are left of them, by
  /// "<namespace>/<gang>". Of several such pods of a gang, that counts which says the latest begin.
  std::map<std::string, model::GangEviction> Evictions() const;

 private:
  struct Place {
    std::string node;
    model::Time bound = model::kNoTime;
  };
  struct Record {
    std::string uid;
    std::string gang;  // "<namespace>/<gang>"
    /// The value of epoch_ when the pod was last upserted or kept.
    std::uint32_t epoch = 0;
  };

  // "<namespace>/<gang>" of a pod that counts. Empty if it does not.
  std::string GangKeyOf(const model::Pod& pod) const;
  void Erase(const std::string& key);

  const bool enabled_;
  const model::GangNames names_;
  absl::flat_hash_map<std::string, Record> records_;  // by "<namespace>/<name>"
  // By gang and "<namespace>/<name>".
  absl::flat_hash_map<std::string, std::map<std::string, Place>> places_;
  // By "<namespace>/<name>" of the pod that says so.
  std::map<std::string, model::GangEviction> evictions_;
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
