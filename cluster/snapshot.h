#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/affinity_index.h"
#include "cluster/node_table.h"
#include "cluster/node_trimmer.h"
#include "cluster/pod_ledger.h"
#include "cluster/quarantine.h"
#include "cluster/service_index.h"
#include "kube/unreadable_object.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/pod_selection.h"
#include "model/service.h"

namespace berth::cluster {

/// What the snapshot is fed with.
enum class Kind { kNodes, kPods, kServices };

/// The cluster as the API server last told it: compact, updated in place, read by many.
///
/// Thread-safe. Writers wait for the readers that are there, and readers for a writer that waits;
/// so a thread may hold one Reader at a time.
class Snapshot {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::shared_ptr<const model::AcceleratorCatalog> catalog;
    /// Labels of nodes to keep besides those that NodeTrimmer keeps anyway.
    std::vector<std::string> labels;
    /// Whether to keep the UIDs of nodes: for those who write to them.
    bool node_uids = false;
    /// Told of a node that two entries of the catalogue recognise, when it comes and when its
    /// accelerator changes: its name, the entry that counts, the other. On the writer's thread,
    /// with nothing held. May be empty.
    std::function<void(const std::string&, model::AcceleratorCatalog::Index,
                       model::AcceleratorCatalog::Index)>
        on_ambiguous{};
  };

  /// The cluster held still for as long as this lives: one request. May be read on any one thread
  /// at a time, and must be destroyed on the thread that made it.
  class Reader final : public model::ClusterView, public model::PodSelection {
   public:
    model::NodeIndex EndIndex() const override;
    const model::NodeState* At(model::NodeIndex index) const override;
    std::optional<model::NodeIndex> Find(std::string_view name) const override;
    /// What Find says of each of `names`, kNoNode for nothing, in less time.
    std::vector<model::NodeIndex> FindAll(std::span<const std::string_view> names) const;
    /// At(index)->version of all nodes. Lives as long as the view.
    const NodeVersions& Versions() const;
    const model::PoolStats& Pools() const override;
    std::uint64_t Generation() const override;
    /// Whether the pod of that PodLedger::KeyOf and UID was seen bound, using something of the
    /// catalogue, be it that it has left since; see PodLedger::WasSeen.
    bool WasSeenBound(const std::string& key, const std::string& uid) const;
    bool AffinitySelects(const model::Pod& pod) const override;
    /// Nothing until Services were listed to the end, which is never where nobody lists them.
    std::optional<bool> ServiceSelects(const model::Pod& pod) const override;
    /// The API server's revision of that kind up to which everything is in this view; there may be
    /// more in it, never less. 0: not known, as before the first list.
    std::uint64_t ResourceVersion(Kind kind) const;
    /// What cannot be read of that kind. Lives as long as the view.
    const Quarantine& Quarantined(Kind kind) const;

   private:
    friend class Snapshot;
    Reader(const Snapshot* snapshot, std::shared_lock<std::shared_mutex> lock);

    const Snapshot* snapshot_;
    std::shared_lock<std::shared_mutex> lock_;
  };

  explicit Snapshot(Options options);

  Reader Read() const;

  void UpsertNode(model::Node node);
  void DeleteNode(std::string_view name);

  /// Pods may come before their node, and outlive it. A pod that is unbound or has terminated uses
  /// nothing.
  void UpsertPod(const model::Pod& pod);
  void DeletePod(const model::Pod& pod);

  void UpsertService(const model::Service& service);
  void DeleteService(const model::Service& service);

  /// The object is there and cannot be read; within a list it counts as listed. A node is kept as
  /// it was, marked as quarantined; a pod holds what was last known of it, and may have any
  /// affinity; a Service selects what was last known of it, or anything.
  void QuarantineNode(const kube::UnreadableObject& node);
  void QuarantinePod(const kube::UnreadableObject& pod);
  void QuarantineService(const kube::UnreadableObject& service);

  /// A full list, in any number of upserts between the two calls: at the end what was not upserted
  /// is deleted, at once. Beginning again starts over; a list that never ends deletes nothing.
  /// `resource_version` is the list's; 0: not known.
  void BeginReplace(Kind kind);
  void EndReplace(Kind kind, std::uint64_t resource_version = 0);

  /// Whether nodes and pods were both listed to the end, ever. Services are not waited for: without
  /// them answers are longer, and not wrong.
  bool Synced() const;

  /// The API server said something about this kind at `now`, be it that nothing changed. All that
  /// it had up to `resource_version` was written before this call; 0: that is not known.
  void MarkHeard(Kind kind, Clock::time_point now, std::uint64_t resource_version = 0);

  /// Nothing: never.
  std::optional<Clock::time_point> LastHeard(Kind kind) const;

  const model::AcceleratorCatalog& catalog() const { return *catalog_; }
  const std::shared_ptr<const model::AcceleratorCatalog>& shared_catalog() const {
    return catalog_;
  }

 private:
  struct Progress {
    std::atomic<bool> listed = false;
    std::atomic<bool> heard = false;
    std::atomic<Clock::duration> last_heard = Clock::duration::zero();
    /// Written behind the changes that it stands for. So what a reader finds here is in its view,
    /// although this moves on while the view is held: no change can have come in between.
    std::atomic<std::uint64_t> resource_version = 0;
  };

  std::unique_lock<std::shared_mutex> Lock();
  bool Put(model::Node node, model::AcceleratorCatalog::Index accelerator);
  template <typename T>
  void Release(Kind kind, const T& object);
  template <typename Visit>
  void VisitTables(Kind kind, Visit visit);
  Quarantine& QuarantineOf(Kind kind) { return quarantine_[static_cast<std::size_t>(kind)]; }
  const Quarantine& QuarantineOf(Kind kind) const {
    return quarantine_[static_cast<std::size_t>(kind)];
  }
  Progress& ProgressOf(Kind kind) { return progress_[static_cast<std::size_t>(kind)]; }
  const Progress& ProgressOf(Kind kind) const { return progress_[static_cast<std::size_t>(kind)]; }

  const std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  const NodeTrimmer trimmer_;
  const decltype(Options::on_ambiguous) on_ambiguous_;
  std::array<Progress, 3> progress_;

  // Passed through by everyone on the way to the lock. pthread's shared lock lets new readers
  // overtake a waiting writer for ever; one who waits in the gate stops them.
  mutable std::mutex gate_;
  mutable std::shared_mutex mutex_;
  NodeTable nodes_;
  PodLedger pods_;
  AffinityIndex affinity_;
  ServiceIndex services_;
  std::array<Quarantine, 3> quarantine_;
};

}  // namespace berth::cluster
