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

/// What each pod uses where, so that exactly that can be given back. Not thread-safe.
///
/// Only pods that are bound, run and ask for a catalogue resource have a record; the many others
/// cost nothing.
class PodLedger {
 public:
  /// More than any node has of anything. Single amounts are cut to it, so that sums never reach the
  /// limits of int64, where what was added could not be taken off again.
  static constexpr std::int64_t kMaxAmount = std::int64_t{1} << 40;

  /// `nodes` must outlive the ledger.
  PodLedger(std::shared_ptr<const model::AcceleratorCatalog> catalog, NodeTable* nodes);

  /// The pod is as given; what was known under its namespace and name is replaced, be it the same
  /// pod or an earlier one of that name.
  void Upsert(const model::Pod& pod);

  /// The pod exists and cannot be read: it uses what was last known of it. What was known of
  /// another pod of its name is let go.
  void Keep(const kube::UnreadableObject& pod);

  /// The pod exists no more. No effect where it is unknown or its name belongs to another uid by
  /// now.
  void Remove(const model::Pod& pod);

  /// Begins a list of all bound pods, as NodeTable::BeginReplace does it.
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// What WasSeen knows the pod by.
  static std::string KeyOf(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

  /// How many of the pods that left last are remembered, by 16 bytes each.
  static constexpr std::size_t kMaxLeft = 4096;

  /// Whether the pod of that key and UID is bound and uses something, or did and has left: it has
  /// ended, is gone, or is another by now. Of those that left, the last kMaxLeft are known.
  bool WasSeen(const std::string& key, const std::string& uid) const;

  /// Pods that use something.
  std::size_t size() const { return records_.size(); }

 private:
  struct Amount {
    std::uint32_t resource;  // position in the catalogue's resources()
    std::int64_t amount;

    friend bool operator==(const Amount&, const Amount&) = default;
  };
  using Amounts = absl::InlinedVector<Amount, 1>;

  struct Record {
    std::uint64_t uid_hash = 0;  // 8 bytes tell pods of one name apart as well as 36 letters
    Amounts amounts;
    model::NodeIndex node = 0;
    std::uint32_t epoch = 0;
  };
  using Records = absl::flat_hash_map<std::string, Record>;  // by "<namespace>/<name>"

  Amounts AmountsOf(const model::Pod& pod) const;
  void Remove(Records::iterator found);
  void HasLeft(const Record& record);
  void Book(const Record& record, int sign);

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  NodeTable* nodes_;
  Records records_;
  std::deque<std::uint64_t> left_;  // hashes of UIDs, the one that left last at the end
  absl::flat_hash_set<std::uint64_t> has_left_;
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
