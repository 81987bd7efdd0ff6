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
#include "cluster/checkpoint_times.h"
#include "cluster/gang_pods.h"
#include "cluster/node_table.h"
#include "cluster/node_trimmer.h"
#include "cluster/pod_ledger.h"
#include "cluster/quarantine.h"
#include "cluster/service_index.h"
#include "cluster/terminating_pods.h"
#include "kube/unreadable_object.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/pod_selection.h"
#include "model/service.h"
#include "model/time.h"

namespace berth::cluster {

/// The kinds of objects that a snapshot contains. Each kind is listed and watched by itself, so
/// each has its own list, revision, quarantine and time of the last sign of life.
enum class Kind { kNodes, kPods, kServices };

/// The cluster as the API server last reported it, in compact records that are updated in place.
/// Many threads read it, and a few write to it: usually one for each Kind. Kinds are not consistent
/// with each other, because the API server reports each by itself: a pod may be known before its
/// node.
///
/// Example:
///
///   Snapshot snapshot({.catalog = catalog});
///   ...  // a Feed writes to it
///   const Snapshot::Reader reader = snapshot.Read();
///   if (const auto index = reader.Find("gpu-7")) Print(reader.At(*index)->used);
///
/// Thread-safe. Each write waits for the present readers, and new readers wait for a waiting
/// writer. A thread must therefore hold only one Reader at a time: with a second one it may wait
/// for a writer that waits for the first. For the same reason a thread must not write while it
/// holds a Reader.
class Snapshot {
 public:
  using Clock = std::chrono::steady_clock;

  /// What is fixed for the snapshot's life.
  struct Options {
    /// Recognises the nodes' accelerators, and names the resources that are counted. Not null.
    std::shared_ptr<const model::AcceleratorCatalog> catalog;
    /// Labels of nodes to keep besides those that NodeTrimmer always keeps, by full name.
    std::vector<std::string> labels;
    /// The key of taints of nodes to keep besides those that NodeTrimmer always keeps. Empty: none.
    std::string taint = {};
    /// Whether to keep the UIDs of nodes. Only code that writes to nodes needs them.
    bool node_uids = false;
    /// Whether to keep all that policies/fit reads: NodeTrimmer keeps more of each node, and
    /// PodLedger counts all bound pods with all their resources and ports.
    bool whole_pods = false;
    /// The prefix of the annotations in which pods state their gang, "berth.dev". Empty: gangs are
    /// not kept.
    std::string gang_prefix = {};
    /// Whether to keep when bound pods wrote checkpoints.
    bool checkpoint_times = false;
    /// The time of Berth's own clock, for model::PastStatus::noticed. It is called on the writer's
    /// thread. Empty: nothing is noticed at any time.
    std::function<model::Time()> now{};
    /// Tells bound pods that use nothing, as far as the view goes, because whoever made them takes
    /// them away before others need what they use. It must be thread-safe, and always say the same
    /// of a pod. May be empty: all count.
    std::function<bool(const model::Pod&)> passing{};
    /// The full name of the annotation that says who created a pod, "berth.dev/created-by". Empty:
    /// creators are not kept.
    std::string creator_annotation = {};
    /// Called when two entries of the catalogue recognise a node: when the node is new, and when
    /// its accelerator changes. The arguments are the node's name, the entry that counts and the
    /// other entry. It is called on the writer's thread, without any lock held. May be empty.
    std::function<void(const std::string&, model::AcceleratorCatalog::Index,
                       model::AcceleratorCatalog::Index)>
        on_ambiguous{};
  };

  /// A consistent view of the cluster, which does not change while the reader lives. Writers wait
  /// for its end, so it should live for one request only. One thread at a time may read it, and the
  /// thread that made it must destroy it. Everything that its functions return by reference or
  /// pointer is valid as long as the reader. It must not outlive the snapshot.
  class Reader final : public model::ClusterView, public model::PodSelection {
   public:
    /// See model::ClusterView for these three.
    model::NodeIndex EndIndex() const override;
    const model::NodeState* At(model::NodeIndex index) const override;
    std::optional<model::NodeIndex> Find(std::string_view name) const override;
    /// The result of Find() for each of `names`, in their order, with kNoNode for those that do not
    /// exist. Faster than repeated Find().
    std::vector<model::NodeIndex> FindAll(std::span<const std::string_view> names) const;
    /// At(index)->version of all nodes, by index.
    const NodeVersions& Versions() const;
    /// Counts over pools, as of the view.
    const model::PoolStats& Pools() const override;
    /// See model::ClusterView.
    std::optional<model::PlanningPlace> LastKept(const model::PlanningPlace& place) const override;
    /// Increases with every change of a node and of what its pods use; changes of other pods and of
    /// Services do not count.
    std::uint64_t Generation() const override;
    /// Whether the pod with that PodLedger::KeyOf and UID uses a resource of the catalogue on a
    /// node, or did so and has left. With Options::whole_pods: whether it is bound, or was and has
    /// left. See PodLedger::WasSeen.
    bool WasSeenBound(const std::string& key, const std::string& uid) const;
    /// The pods that use a resource of the catalogue on a node. With Options::whole_pods: all bound
    /// pods.
    const PodLedger& BoundPods() const;
    /// The bound pods of gangs; none without Options::gang_prefix.
    const GangPods& Gangs() const;
    /// The pods of Jobs that somebody has deleted and that are still there.
    const TerminatingPods& Terminating() const;
    /// When bound pods wrote checkpoints; none without Options::checkpoint_times.
    const CheckpointTimes& Checkpoints() const;
    /// Always true while the quarantine has pods, whose terms may be unknown.
    bool AffinitySelects(const model::Pod& pod) const override;
    /// nullopt until the first list of Services is complete. That is for ever if nobody lists them.
    std::optional<bool> ServiceSelects(const model::Pod& pod) const override;
    /// The API server's revision of that kind up to which the view is complete. The view may also
    /// have later changes. 0 if the revision is not known, as before the first list.
    std::uint64_t ResourceVersion(Kind kind) const;
    /// Whether the API server was away lately, and Berth's watch of nodes or bound pods works
    /// again. kube-scheduler's watches may then not work yet: it may not know of a pod that is
    /// bound, because the answer to its binding was lost. The view knows it. See OutageMemory.
    bool OutageLately() const;
    /// Whether a request for bound pods has failed, and nothing has been learned since: the view
    /// may lack pods that were bound just before. See OutageMemory.
    bool IsBehind() const;
    /// The objects of that kind that cannot be read.
    const Quarantine& Quarantined(Kind kind) const;

   private:
    friend class Snapshot;
    Reader(const Snapshot* snapshot, std::shared_lock<std::shared_mutex> lock);

    const Snapshot* snapshot_;
    std::shared_lock<std::shared_mutex> lock_;
  };

  /// Starts empty. `options.catalog` must not be null.
  explicit Snapshot(Options options);

  /// Returns a view of the present state. Blocks while a writer works or waits, never for the API
  /// server.
  Reader Read() const;

  /// Sets the node, trimmed by NodeTrimmer, and ends its quarantine. An equal node changes nothing,
  /// and its version stays.
  ///
  /// This and the other writing functions block until no reader is left.
  void UpsertNode(model::Node node);
  /// Removes the node from the view and the quarantine. No effect if it is unknown.
  void DeleteNode(std::string_view name);

  /// Sets the pod, and ends its quarantine. A pod that is unbound or has terminated uses nothing.
  /// The node of a pod need not be known: pods may arrive before their node and outlive it.
  void UpsertPod(const model::Pod& pod);
  /// Removes the pod from the view and the quarantine. No effect on the view if it is unknown, or
  /// if its name belongs to another UID by now.
  void DeletePod(const model::Pod& pod);

  /// Sets the Service, and ends its quarantine.
  void UpsertService(const model::Service& service);
  /// Removes the Service from the view and the quarantine. No effect if it is unknown.
  void DeleteService(const model::Service& service);

  /// Records that an object exists but cannot be read. During a list it counts as listed. What was
  /// last read stays in the view:
  /// - a node stays as it was, marked as quarantined;
  /// - a pod uses what it used, and AffinitySelects() counts on any affinity;
  /// - a Service selects what it selected. If it was never read, it counts as if it selected every
  ///   pod of its namespace, or every pod if the namespace cannot be read either.
  ///
  /// An object ends its quarantine when it is upserted or deleted, or when a list ends without it.
  void QuarantineNode(const kube::UnreadableObject& node);
  void QuarantinePod(const kube::UnreadableObject& pod);
  void QuarantineService(const kube::UnreadableObject& service);

  /// Begins a full list of that kind, which any number of upserts and quarantines follow. Calling
  /// it again starts the list over. A list that never ends deletes nothing.
  void BeginReplace(Kind kind);
  /// Ends the list: deletes, in one step for readers, all objects of that kind that were not
  /// listed. `resource_version` is the revision of the list, or 0 if it is not known.
  void EndReplace(Kind kind, std::uint64_t resource_version = 0);

  /// Whether nodes and pods have both been listed completely at some time. Services do not matter:
  /// without them answers are longer, but not wrong.
  bool Synced() const;

  /// Records that the view of this kind was complete at `now`, as far as the API server says, even
  /// if nothing changed; or that the first list of this kind is under way. The caller has already
  /// written all changes up to `resource_version`; 0 if that is not known. Takes no lock.
  void MarkHeard(Kind kind, Clock::time_point now, std::uint64_t resource_version = 0);

  /// The time of the last MarkHeard() for this kind, or nullopt if there was none. Takes no lock.
  std::optional<Clock::time_point> LastHeard(Kind kind) const;

  /// Sets what the list-and-watch of this kind knows of outages of the API server; see
  /// Reader::IsBehind() and Reader::OutageLately(). Takes no lock.
  void SetOutage(Kind kind, bool is_behind, bool lately);

  /// The catalogue that Options named. It never changes.
  const model::AcceleratorCatalog& catalog() const { return *catalog_; }
  /// The same, to share its ownership.
  const std::shared_ptr<const model::AcceleratorCatalog>& shared_catalog() const {
    return catalog_;
  }

 private:
  /// How far one kind has come. Read and written without the lock.
  struct Progress {
    /// Whether a list was ever completed.
    std::atomic<bool> listed = false;
    /// Whether last_heard is set.
    std::atomic<bool> heard = false;
    /// Since the epoch of Clock.
    std::atomic<Clock::duration> last_heard = Clock::duration::zero();
    /// Written after the changes that it covers. A reader may see it increase while it holds its
    /// view, but what it covers is in the view: no change can be written while a reader exists.
    std::atomic<std::uint64_t> resource_version = 0;
    /// See SetOutage().
    std::atomic<bool> is_behind = false;
    std::atomic<bool> outage_lately = false;
  };

  /// Locks for writing.
  std::unique_lock<std::shared_mutex> Lock();
  /// Writes a trimmed node. Returns what NodeTable::Upsert returns.
  bool Put(model::Node node, std::uint64_t uid_hash, model::AcceleratorCatalog::Index accelerator);
  /// Ends the quarantine of an object of a kind with namespaces. Call it with the lock held.
  template <typename T>
  void Release(Kind kind, const T& object);
  /// Calls visit(table) for each table that has objects of that kind.
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
  const decltype(Options::now) now_;
  const decltype(Options::on_ambiguous) on_ambiguous_;
  const decltype(Options::passing) passing_;
  /// By Kind.
  std::array<Progress, 3> progress_;

  // Readers and writers hold the gate while they wait for mutex_. Otherwise writers could starve:
  // pthread's shared lock lets new readers overtake a waiting writer for ever. A writer that waits
  // in the gate stops new readers.
  mutable std::mutex gate_;
  mutable std::shared_mutex mutex_;
  // All guarded by mutex_.
  NodeTable nodes_;
  PodLedger pods_;
  GangPods gangs_;
  TerminatingPods terminating_;
  CheckpointTimes checkpoints_;
  AffinityIndex affinity_;
  ServiceIndex services_;
  // By Kind.
  std::array<Quarantine, 3> quarantine_;
};

}  // namespace berth::cluster
