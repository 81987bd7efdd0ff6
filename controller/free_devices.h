#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/cluster_view.h"
#include "model/resources.h"

namespace berth::controller {

/// How much a pod asks for of each resource of the catalogue, as model::AcceleratorRequests()
/// returns it.
using DeviceRequests = std::vector<model::Resources::Entry>;

/// The devices of a cluster that no pod uses, minus those that were promised to waiting pods.
/// NudgePlan makes one for each round, so that it does not nudge more pods for a node than have
/// room there. Not thread-safe.
class FreeDevices {
 public:
  /// No devices are promised yet. `view` must outlive this.
  explicit FreeDevices(const model::ClusterView& view) : view_(view) {}

  /// Promises the devices of a node to a pod, even if they are not free.
  void Promise(model::NodeIndex node, const DeviceRequests& requests);

  /// Promises them if all of them are free. Returns false, and promises nothing, if they are not or
  /// if there is no such node.
  ///
  /// A node with a known accelerator that does not list the resource may have its devices served by
  /// dynamic resource allocation. Then it is unknown how many are free, and the node has room for
  /// one pod at a time.
  bool TryPromise(model::NodeIndex node, const DeviceRequests& requests);

 private:
  const model::ClusterView& view_;
  absl::flat_hash_map<model::NodeIndex, model::Resources> promised_;
};

}  // namespace berth::controller
