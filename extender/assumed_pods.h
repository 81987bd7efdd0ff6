#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cluster/nominated_pods.h"
#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/resources.h"
#include "model/time.h"

namespace berth::extender {

/// A view of the cluster in which the devices of assumed pods and of nominated pods (see
/// AssumedPods) count as used. It refers to a reader of the snapshot and must not outlive it. As
/// thread-safe as the reader.
class AssumedView final : public model::ClusterView {
 public:
  /// The nodes that differ from the snapshot's, as they are with these pods.
  using Nodes = absl::flat_hash_map<model::NodeIndex, std::shared_ptr<const model::NodeState>>;

  /// Without `nodes`, the view equals `reader`.
  explicit AssumedView(const cluster::Snapshot::Reader& reader, Nodes nodes = {})
      : reader_(reader), nodes_(std::move(nodes)) {}

  /// The cluster without these pods.
  const cluster::Snapshot::Reader& reader() const { return reader_; }

  /// The nodes to which such pods go.
  const Nodes& changed() const { return nodes_; }

  /// Returns the node at `index` if such pods go there, else null. At() returns the node
  /// in both cases.
  const model::NodeState* ChangedAt(model::NodeIndex index) const {
    if (nodes_.empty()) return nullptr;
    const auto found = nodes_.find(index);
    return found == nodes_.end() ? nullptr : found->second.get();
  }

  /// The cluster with these pods; see model::ClusterView.
  model::NodeIndex EndIndex() const override { return reader_.EndIndex(); }
  const model::NodeState* At(model::NodeIndex index) const override {
    const model::NodeState* const changed = ChangedAt(index);
    return changed == nullptr ? reader_.At(index) : changed;
  }
  std::optional<model::NodeIndex> Find(std::string_view name) const override {
    return reader_.Find(name);
  }
  const model::PoolStats& Pools() const override { return reader_.Pools(); }
  std::optional<model::PlanningPlace> LastKept(const model::PlanningPlace& place) const override {
    return reader_.LastKept(place);
  }
  std::uint64_t Generation() const override { return reader_.Generation(); }

 private:
  const cluster::Snapshot::Reader& reader_;
  Nodes nodes_;
};

/// The pods that are expected on each node, by its index. They have only their host ports, and
/// their requests as far as model::CountedRequests() counts them.
using ExpectedPods = absl::flat_hash_map<model::NodeIndex, std::vector<model::Pod>>;

/// The pods for which filter answered a single node, and which the snapshot does not show as bound
/// yet. kube-scheduler assumes pods in the same way. In a burst, the next pod arrives before the
/// binding of the last one was watched. Without this, packing would take the last pod's node for
/// empty, and start on another one.
///
/// A pod is assumed until one of these happens:
/// - Its binding was seen, on any node, even if the pod has ended since.
/// - kube-scheduler asks about it again, because then it went nowhere.
/// - kLongest has passed. Only this ends it for a pod that is deleted before it is bound.
///
/// Pods that are nominated for a node (cluster::NominatedPods) count on that node in the same way.
/// Otherwise Berth would choose the devices that the planner of `berth controller` has promised.
///
/// When the API server goes away, a pod that is assumed may have been bound, although neither
/// kube-scheduler nor Berth was told. Until Berth's watch has caught up, UnseenIn() tells of such
/// pods.
///
/// But for that, all of them count for scores, and for what is left of a node beside devices that
/// are kept for a gang. No other policy refuses a node because its devices are used, since
/// kube-scheduler's NodeResourcesFit does that, with nominated pods by their priority. Placer owns
/// this. Thread-safe.
class AssumedPods {
 public:
  /// How long a pod is assumed at most.
  static constexpr model::Duration kLongest = std::chrono::seconds(30);

  /// How many pods are assumed at most. The oldest one is dropped for a further one.
  static constexpr std::size_t kMost = 1024;

  AssumedPods() = default;
  AssumedPods(const AssumedPods&) = delete;
  AssumedPods& operator=(const AssumedPods&) = delete;

  /// Records that `node` alone was answered for `pod` at `now`. Has no effect if the pod has no
  /// UID, or asks for nothing of `catalog`.
  void Assume(const model::Pod& pod, std::string_view node,
              const model::AcceleratorCatalog& catalog, model::Time now);

  /// Returns what `reader` shows, with the pods that are assumed at `now` and those in `nominated`,
  /// which may be null. The question is about the pod with the UID `asked_about`, which is not
  /// assumed any more, and whose nomination does not count. A pod that is both assumed and
  /// nominated counts once, on the node where it is assumed.
  ///
  /// Costs a look-up for each of these pods, and a copy of each node where they have changed. Holds
  /// a mutex meanwhile.
  AssumedView Over(const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                   model::Time now, const cluster::NominatedPods* nominated = nullptr);

  /// Returns the pods that will use something on a node before `pod` does: those that are assumed
  /// at `now`, and those in `nominated`, which may be null, that kube-scheduler counts for `pod`,
  /// because their priority is no lower. Not `pod` itself, nor pods that `reader` shows as bound.
  ExpectedPods ExpectedFor(const model::Pod& pod, const cluster::Snapshot::Reader& reader,
                           model::Time now, const cluster::NominatedPods* nominated);

  /// Returns the pods that may use something beyond what `reader` shows: those that are assumed,
  /// and, while `reader` is behind, doubtful ones, which were assumed when requests for bound pods
  /// began to fail. Questions about these do not end that, because kube-scheduler asks again about
  /// a pod if it did not get the answer to its binding. If not `everywhere`, only nodes with
  /// doubtful pods are returned. Call it after Over() or AsItIs() for the pod in question.
  ExpectedPods UnseenIn(const cluster::Snapshot::Reader& reader, bool everywhere);

  /// Like Over(), but without any assumed or nominated pod, for a question about one node while no
  /// node keeps devices from the pod: there is nothing to choose, so no score matters, and nobody
  /// is refused for what is used. Ends assumptions like Over().
  AssumedView AsItIs(const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                     model::Time now);

 private:
  // A pod, and what it uses on its node.
  struct Assumed {
    std::string key;  // as of cluster::PodLedger::KeyOf()
    std::string uid;
    std::string node;
    model::Resources amounts;  // of the catalogue's resources
    model::Pod pod;            // with its requests and host ports alone
    model::Time time;
  };

  // A copy of a node's state at `version`, with `amounts` more in use.
  struct Copy {
    std::uint64_t version;
    model::Resources amounts;
    std::shared_ptr<const model::NodeState> node;
  };

  using Copies = absl::flat_hash_map<model::NodeIndex, Copy>;
  using Amounts = absl::flat_hash_map<model::NodeIndex, model::Resources>;

  // The following expect that mutex_ is held.

  // Ends the assumptions that do not hold any more, and remembers doubtful_.
  void End(const cluster::Snapshot::Reader& reader, std::string_view asked_about, model::Time now);
  // Calls visit(const cluster::NominatedPod&, model::NodeIndex) for the pods that are nominated for
  // a node that exists, but are neither assumed nor bound.
  template <typename Visit>
  void VisitNominated(const cluster::NominatedPods& nominated,
                      const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                      Visit visit) const;
  // Returns such a copy; the one of the last view if it is still right.
  Copy CopyOf(model::NodeIndex index, const model::NodeState& node, model::Resources amounts) const;

  // Guards the following.
  std::mutex mutex_;
  std::vector<Assumed> pods_;      // the oldest answer first
  Copies copies_;                  // of the last view
  bool is_behind_ = false;         // whether the last reader was
  std::vector<Assumed> doubtful_;  // that were assumed when is_behind_ became true
};

}  // namespace berth::extender
