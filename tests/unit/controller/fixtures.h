#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "controller/write_observer.h"
#include "policies/scheduling/engine.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::controller {

inline constexpr char kLabel[] = "berth.dev/accelerator";
inline constexpr char kMemoryLabel[] = "berth.dev/accelerator-memory";
inline constexpr char kRepairLabel[] = "berth.dev/repair";
inline constexpr char kTaint[] = "berth.dev/excluded";

/// A snapshot as the controller keeps it, before nodes and pods are listed.
inline std::unique_ptr<cluster::Snapshot> MakeUnsyncedSnapshot() {
  return std::make_unique<cluster::Snapshot>(
      cluster::Snapshot::Options{.catalog = policies::scheduling::Catalog(),
                                 .labels = {kLabel, kMemoryLabel, kRepairLabel},
                                 .taint = kTaint,
                                 .node_uids = true});
}

/// One of listed nodes and pods.
inline std::unique_ptr<cluster::Snapshot> MakeSnapshot(
    const std::vector<model::NodeState>& nodes = {}) {
  auto snapshot = MakeUnsyncedSnapshot();
  for (const auto kind : {cluster::Kind::kNodes, cluster::Kind::kPods}) {
    snapshot->BeginReplace(kind);
    snapshot->EndReplace(kind);
  }
  for (const model::NodeState& state : nodes) snapshot->UpsertNode(state.node);
  return snapshot;
}

/// The same node with Berth's labels; by default the memory is that of the catalogue's V100.
inline model::NodeState Labelled(model::NodeState state, const std::string& accelerator,
                                 const std::string& memory = "32") {
  state.node.labels.emplace_back(kLabel, accelerator);
  state.node.labels.emplace_back(kMemoryLabel, memory);
  model::Normalize(state.node.labels);
  return state;
}

inline model::NodeState Broken(model::NodeState state) {
  state.node.conditions.push_back({"GPUIsLost", model::ConditionStatus::kTrue,
                                   policies::scheduling::kNow - std::chrono::hours(3),
                                   policies::scheduling::kNow});
  return state;
}

/// A pod of one GPU on a node; "": it waits.
inline model::Pod PodOn(const std::string& node, const std::string& name = "train") {
  model::Pod pod = policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1);
  pod.namespace_ = "ml";
  pod.name = name;
  pod.uid = name + "-uid";
  pod.node_name = node;
  return pod;
}

/// Keeps what it is told, a line each.
class WriteRecord final : public WriteObserver {
 public:
  void OnWritten(Write write, std::string_view object, std::string_view value,
                 const absl::Status& status) override {
    constexpr const char* kWords[kWriteKinds] = {
        "label", "nudge", "secret",  "bundle",    "owner",        "lost",   "nomination",
        "gate",  "said",  "evicted", "taint",     "pod_group",    "repair", "eviction",
        "stays", "avoid", "told",    "idle_told", "idle_evicted", "kept"};
    written.push_back(kWords[static_cast<std::size_t>(write)] + (" " + std::string(object)) + " " +
                      std::string(value));
    statuses.push_back(status);
  }

  std::vector<std::string> written;
  std::vector<absl::Status> statuses;
};

}  // namespace berth::controller
