#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "cluster/creator_table.h"
#include "cluster/demand_table.h"
#include "cluster/node_table.h"
#include "cluster/recent_uids.h"
#include "kube/unreadable_object.h"
#include "model/accelerator.h"
#include "model/accelerator_requests.h"
#include "model/pod.h"
#include "model/time.h"

namespace berth::cluster {

/// Records what each pod uses and on which node, so that exactly that amount can be subtracted
/// again. Adds it to the nodes of a NodeTable. Owned by Snapshot. Not thread-safe: the snapshot's
/// lock guards it.
///
/// Only pods that are bound, have not terminated and request a resource of the catalogue have a
/// record, and only those resources count. A ledger of whole pods has a record of every pod that is
/// bound and has not terminated: it counts the pod, all its resources and its ports of the node,
/// and knows its priority. All other pods cost nothing.
///
/// That is how kube-scheduler counts (NodeInfo.update in
/// k8s.io/kubernetes/pkg/scheduler/framework/types.go, v1.36.3), but for resizes in place; see
/// kube::PodRequests.
///
/// The ledger holds the place of a pod's node while the pod has a record, so pods and nodes may
/// arrive and leave in any order.
class PodLedger {
 public:
  /// Single amounts are cut to it.
  static constexpr std::int64_t kMaxAmount = model::kMaxRequest;

  /// How many resources of one pod count besides those that every node has and those of the
  /// catalogue. Whoever may create pods can bind one by spec.nodeName to a node that has none of
  /// its resources. Where a pod has more, the planner may nominate a node that kube-scheduler then
  /// refuses.
  static constexpr std::size_t kMostOthers = model::kMostOtherRequests;

  /// `catalog` must not be null. `nodes` must outlive the ledger. `whole_pods`: see above.
  /// `creator_annotation` is the full name of the annotation that says who created a pod. Empty:
  /// creators are not kept.
  PodLedger(std::shared_ptr<const model::AcceleratorCatalog> catalog, NodeTable* nodes,
            bool whole_pods = false, std::string creator_annotation = {});

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

  /// The number of pods that are remembered after they left: of those that used a resource of the
  /// catalogue, and as many of the others.
  static constexpr std::size_t kMaxLeft = RecentUids::kMost;

  /// Returns whether the pod with that KeyOf() and UID has a record now, or had one before it
  /// ended, was deleted or was replaced. Of the pods that left, only the last kMaxLeft are known.
  /// UIDs are compared by their hashes.
  bool WasSeen(const std::string& key, const std::string& uid) const;

  /// What ForEach() tells of one pod. Valid during the call.
  struct BoundPod {
    /// "<namespace>/<name>".
    std::string_view key;
    /// Who created the pod; empty if that is not known, or if the pod uses nothing of the
    /// catalogue. At most CreatorTable::kMaxBytes.
    std::string_view creator;
    /// What the pod uses.
    const Demand& demand;
    /// The place of its node, which need not be known.
    model::NodeIndex node;
    /// When the pod was created; kNoTime if that is not known.
    model::Time created;
  };

  /// Calls visit(const BoundPod&) for each pod that has a record, in no order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [key, record] : records_) {
      visit(BoundPod{key, creators_[record.creator], *record.demand, record.node,
                     model::Time(model::Duration(record.created))});
    }
  }

  /// The number of pods that have a record.
  std::size_t size() const { return records_.size(); }

 private:
  /// What is stored for one pod.
  struct Record {
    std::uint64_t uid_hash = 0;  // distinguishes pods of one name in 8 bytes instead of 36
    /// What the pod uses, which the record holds in demands_. Never empty.
    const Demand* demand = nullptr;
    /// The node's place, which the record holds.
    model::NodeIndex node = 0;
    /// The value of epoch_ when the pod was last upserted or kept.
    std::uint32_t epoch = 0;
    /// Its number in creators_, which the record holds. Only of pods that use a resource of the
    /// catalogue.
    std::uint32_t creator = CreatorTable::kNobody;
    /// When the pod was created, in seconds since 1970; 0 if that is not known. In 32 bits, which
    /// last until 2106.
    std::uint32_t created = 0;
  };
  using Records = absl::flat_hash_map<std::string, Record>;  // by "<namespace>/<name>"

  /// What the pod uses; empty if it is not bound or has terminated.
  Demand DemandOf(const model::Pod& pod) const;
  /// Whether a resource of the catalogue is among what a pod uses.
  bool HoldsDevices(const Demand& demand) const;
  /// Who created the pod; empty if that is not known.
  std::string_view CreatorOf(const model::Pod& pod) const;
  /// Removes the record, or does nothing at records_.end().
  void Remove(Records::iterator found);
  /// Releases what the record holds.
  void Release(const Record& record);
  /// Remembers the record's UID for WasSeen().
  void HasLeft(const Record& record);

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  /// Where demands are added; not owned.
  NodeTable* nodes_;
  const bool whole_pods_;
  const std::string creator_annotation_;
  DemandTable demands_;
  CreatorTable creators_;
  Records records_;
  /// The pods that left: those that used a resource of the catalogue, and the others.
  RecentUids left_;
  RecentUids others_left_;
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
