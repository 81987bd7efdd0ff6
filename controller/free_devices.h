#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/cluster_view.h"
#include "model/resources.h"

namespace berth::controller {

/// How much a pod asks for of each of the catalogue's resources, as AcceleratorRequests() says it.
using DeviceRequests = std::vector<model::Resources::Entry>;

/// The devices of a cluster that no pod uses, less those that are promised to pods that wait.
/// `view` must outlive this. Not thread-safe.
class FreeDevices {
 public:
  explicit FreeDevices(const model::ClusterView& view) : view_(view) {}

  /// Promises the devices of a node to a pod, whether they are free or not.
  void Promise(model::NodeIndex node, const DeviceRequests& requests);

  /// The same where all of them are free. A node of a known accelerator that lists no devices may
  /// have them served by dynamic resource allocation, which says nothing of how many are free: it
  /// has room for one pod at a time.
  bool TryPromise(model::NodeIndex node, const DeviceRequests& requests);

 private:
  const model::ClusterView& view_;
  absl::flat_hash_map<model::NodeIndex, model::Resources> promised_;
};

}  // namespace berth::controller
