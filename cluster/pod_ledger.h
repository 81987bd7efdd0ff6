#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "cluster/node_table.h"
#include "kube/unreadable_object.h"
#include "model/accelerator.h"
#include "model/pod.h"

namespace berth::cluster {

/// Records what each pod uses and on which node, so that exactly that amount can be subtracted
/// again. Adds it to the nodes of a NodeTable. Owned by Snapshot. Not thread-safe: the snapshot's
/// lock guards it.
///
/// Only pods that are bound, have not terminated and request a resource of the catalogue have a
/// record. All other pods cost nothing. The ledger holds the place of a pod's node while the pod
/// has a record, so pods and nodes may arrive and leave in any order.
class PodLedger {
 public:
  /// More than any node has of any resource. Single amounts are cut to it, so that sums never reach
  /// the limits of int64, where subtracting would not undo adding.
  static constexpr std::int64_t kMaxAmount = std::int64_t{1} << 40;

  /// `catalog` must not be null. `nodes` must outlive the ledger.
  PodLedger(std::shared_ptr<const model::AcceleratorCatalog> catalog, NodeTable* nodes);

  /// Sets what `pod` uses, and replaces what was known under its namespace and name, whether of the
  /// same pod or of an earlier one. A pod that uses nothing is removed instead.
  void Upsert(const model::Pod& pod);

  /// Records that the pod exists but cannot be read: it uses what was last read. If the UID shows
  /// that the name belongs to another pod by now, what the former pod used is released. No effect
  /// on an unknown pod.
  void Keep(const kube::UnreadableObject& pod);

  /// Removes the pod. No effect if it is unknown, or if its name belongs to another UID by now.
  void Remove(const model::Pod& pod);

  /// Begins a list of all bound pods; see NodeTable::BeginReplace.
  void BeginReplace() { ++epoch_; }
  /// Ends the list: removes every pod that was neither upserted nor kept since BeginReplace().
  void EndReplace();

  /// The key that WasSeen() expects: "<namespace>/<name>".
  static std::string KeyOf(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

  /// The number of pods that are remembered after they left, at 16 bytes each.
  static constexpr std::size_t kMaxLeft = 4096;

  /// Returns whether the pod with that KeyOf() and UID uses something now, or did before it ended,
  /// was deleted or was replaced. Of the pods that left, only the last kMaxLeft are known. UIDs are
  /// compared by their hashes.
  bool WasSeen(const std::string& key, const std::string& uid) const;

  /// The number of pods that use something.
  std::size_t size() const { return records_.size(); }

 private:
  /// How much a pod uses of one resource, in the units of model::Resources.
  struct Amount {
    std::uint32_t resource;  // index in the catalogue's resources()
    std::int64_t amount;

    friend bool operator==(const Amount&, const Amount&) = default;
  };
  /// Usually one amount: the pod's devices.
  using Amounts = absl::InlinedVector<Amount, 1>;

  /// What is stored for one pod. Without amounts it is not stored.
  struct Record {
    std::uint64_t uid_hash = 0;  // distinguishes pods of one name in 8 bytes instead of 36
    Amounts amounts;
    /// The node's place, which the record holds.
    model::NodeIndex node = 0;
    /// The value of epoch_ when the pod was last upserted or kept.
    std::uint32_t epoch = 0;
  };
  using Records = absl::flat_hash_map<std::string, Record>;  // by "<namespace>/<name>"

  /// What the pod uses, or nothing if it is not bound or has terminated.
  Amounts AmountsOf(const model::Pod& pod) const;
  /// Removes the record, or does nothing at records_.end().
  void Remove(Records::iterator found);
  /// Remembers the record's UID for WasSeen().
  void HasLeft(const Record& record);
  /// Adds `sign` times the record's amounts to its node.
  void Book(const Record& record, int sign);

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  /// Where the amounts are added; not owned.
  NodeTable* nodes_;
  Records records_;
  std::deque<std::uint64_t> left_;  // hashes of UIDs, the most recent at the end
  /// The same hashes, for lookup.
  absl::flat_hash_set<std::uint64_t> has_left_;
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
