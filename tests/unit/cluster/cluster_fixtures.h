#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/snapshot.h"
#include "kube/timer.h"
#include "model/accelerator.h"
#include "model/node.h"
#include "model/pod.h"

namespace berth::cluster {

inline constexpr char kGpu[] = "nvidia.com/gpu";
inline constexpr char kMnCore[] = "preferred.jp/mncore";

/// Its time passes only when the test says so.
class StillTimer final : public kube::Timer {
 public:
  Clock::time_point Now() const override { return now_; }
  bool Wait(std::chrono::milliseconds) override { return false; }
  void Stop() override {}
  void Pass(std::chrono::milliseconds duration) { now_ += duration; }

 private:
  Clock::time_point now_{std::chrono::hours(1)};
};

/// V100 by label, MN-Core by its resource alone.
inline std::shared_ptr<const model::AcceleratorCatalog> TestCatalog() {
  model::AcceleratorSpec v100;
  v100.name = "V100";
  v100.resource = kGpu;
  v100.nodes = {{"example.com/model", "^v100$"}};
  model::AcceleratorSpec mncore;
  mncore.name = "MN-Core";
  mncore.resource = kMnCore;
  auto catalog = model::AcceleratorCatalog::Make({v100, mncore});
  return std::make_shared<const model::AcceleratorCatalog>(*std::move(catalog));
}

inline Snapshot::Options TestOptions() { return {.catalog = TestCatalog(), .labels = {}}; }

/// Those of a view of whole pods.
inline Snapshot::Options WholePods() {
  Snapshot::Options options = TestOptions();
  options.whole_pods = true;
  return options;
}

/// A V100 node with that many devices.
inline model::Node MakeNode(const std::string& name, std::int64_t gpus = 8) {
  model::Node node;
  node.name = name;
  node.labels = {{"example.com/model", "v100"}};
  node.capacity.Set(kGpu, gpus);
  node.allocatable.Set(kGpu, gpus);
  return node;
}

/// A pod of namespace "ml", of uid "<name>-uid".
inline model::Pod MakePod(const std::string& name, const std::string& node, std::int64_t gpus) {
  model::Pod pod;
  pod.namespace_ = "ml";
  pod.name = name;
  pod.uid = name + "-uid";
  pod.node_name = node;
  if (gpus != 0) pod.requests.Set(kGpu, gpus);
  return pod;
}

/// A node that exists, copied.
inline model::NodeState StateOf(const Snapshot& snapshot, const std::string& node) {
  const Snapshot::Reader reader = snapshot.Read();
  return *reader.At(reader.Find(node).value());
}

/// How many GPUs are used on a node that exists.
inline std::int64_t UsedGpus(const Snapshot& snapshot, const std::string& node) {
  const Snapshot::Reader reader = snapshot.Read();
  return reader.At(reader.Find(node).value())->used.Get(kGpu);
}

/// The names of all nodes, in the order of their index.
inline std::vector<std::string> NodeNames(const Snapshot& snapshot) {
  const Snapshot::Reader reader = snapshot.Read();
  std::vector<std::string> names;
  for (model::NodeIndex index = 0; index < reader.EndIndex(); ++index) {
    if (reader.At(index) != nullptr) names.push_back(reader.At(index)->node.name);
  }
  return names;
}

}  // namespace berth::cluster
