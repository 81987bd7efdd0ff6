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
#include "cluster/snapshot.h"
#include "model/accelerator.h"
#include "model/cluster_view.h"
#include "model/pod.h"
#include "model/resources.h"
#include "model/time.h"

namespace berth::extender {

/// The cluster with pods that are on their way to a node counted as used there. Lives no longer
/// than its reader.
class AssumedView final : public model::ClusterView {
 public:
  /// Nodes that differ, as they are with the pods.
  using Nodes = absl::flat_hash_map<model::NodeIndex, std::shared_ptr<const model::NodeState>>;

  explicit AssumedView(const cluster::Snapshot::Reader& reader, Nodes nodes = {})
      : reader_(reader), nodes_(std::move(nodes)) {}

  /// The cluster without those pods.
  const cluster::Snapshot::Reader& reader() const { return reader_; }
  const Nodes& changed() const { return nodes_; }

  /// The node at `index` if pods are on their way there, else null.
  const model::NodeState* ChangedAt(model::NodeIndex index) const {
    if (nodes_.empty()) return nullptr;
    const auto found = nodes_.find(index);
    return found == nodes_.end() ? nullptr : found->second.get();
  }

  model::NodeIndex EndIndex() const override { return reader_.EndIndex(); }
  const model::NodeState* At(model::NodeIndex index) const override {
    const model::NodeState* const changed = ChangedAt(index);
    return changed == nullptr ? reader_.At(index) : changed;
  }
  std::optional<model::NodeIndex> Find(std::string_view name) const override {
    return reader_.Find(name);
  }
  const model::PoolStats& Pools() const override { return reader_.Pools(); }
  std::uint64_t Generation() const override { return reader_.Generation(); }

 private:
  const cluster::Snapshot::Reader& reader_;
  Nodes nodes_;
};

/// The pods for which one node was answered, and which the snapshot does not show bound yet. In a
/// burst the next pod comes before the binding of the last one was watched: packing would hold its
/// node to be empty still, and start another. kube-scheduler assumes pods in the same way.
///
/// A pod is assumed until its binding was seen, wherever that is, and be it that the pod has ended
/// since; until it is asked about again, since it went nowhere then; or for kLongest, which is all
/// that ends it for one that is deleted unbound. Thread-safe.
class AssumedPods {
 public:
  static constexpr model::Duration kLongest = std::chrono::seconds(30);

  /// As many are assumed; the oldest makes way.
  static constexpr std::size_t kMost = 1024;

  AssumedPods() = default;
  AssumedPods(const AssumedPods&) = delete;
  AssumedPods& operator=(const AssumedPods&) = delete;

  /// `node` alone was answered for `pod`, as of `now`. No effect for a pod without UID, and for one
  /// that asks for nothing of `catalog`.
  void Assume(const model::Pod& pod, std::string_view node,
              const model::AcceleratorCatalog& catalog, model::Time now);

  /// What `reader` shows, with the pods that are assumed as of `now`, for a question about the pod
  /// of that UID. Costs a look-up for each of them, and a copy of a node each time that more or
  /// fewer are assumed there.
  AssumedView Over(const cluster::Snapshot::Reader& reader, std::string_view asked_about,
                   model::Time now);

 private:
  struct Assumed {
    std::string key;  // cluster::PodLedger::KeyOf
    std::string uid;
    std::string node;
    model::Resources amounts;
    model::Time time;
  };

  // A node with `amounts` more in use than at its `version`.
  struct Copy {
    std::uint64_t version;
    model::Resources amounts;
    std::shared_ptr<const model::NodeState> node;
  };

  using Copies = absl::flat_hash_map<model::NodeIndex, Copy>;

  Copy CopyOf(model::NodeIndex index, const model::NodeState& node, model::Resources amounts) const;

  std::mutex mutex_;
  std::vector<Assumed> pods_;  // in the order of answering
  Copies copies_;              // of the last view
};

}  // namespace berth::extender
