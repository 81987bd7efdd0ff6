#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "board/picture.h"
#include "board/pod_table.h"
#include "cluster/snapshot.h"
#include "policies/scheduling/engine.h"
#include "tests/unit/cluster/cluster_fixtures.h"

namespace berth::board {

using cluster::kGpu;
using cluster::MakeNode;
using cluster::MakePod;
using cluster::TestCatalog;

inline constexpr model::Time kNow{model::Duration{1'800'000'000}};
inline constexpr char kRack[] = "example.com/rack";
inline constexpr char kZone[] = "example.com/zone";

/// A pod that waits.
inline model::Pod Waiting(const std::string& name, std::int64_t gpus, std::int32_t priority = 0,
                          model::Time created = kNow) {
  model::Pod pod = MakePod(name, "", gpus);
  pod.priority = priority;
  pod.created = created;
  return pod;
}

inline model::Pod Nominated(const std::string& name, std::int64_t gpus, const std::string& node) {
  model::Pod pod = Waiting(name, gpus);
  pod.nominated_node = node;
  return pod;
}

inline model::Node Broken(const std::string& name) {
  model::Node node = MakeNode(name);
  node.conditions = {
      {"GPUIsLost", model::ConditionStatus::kTrue, kNow - std::chrono::hours(3), kNow}};
  return node;
}

/// A board without a server: what a feed would write, and the picture of it.
struct BoardUnderTest {
  explicit BoardUnderTest(std::shared_ptr<const model::AcceleratorCatalog> devices = TestCatalog())
      : catalog(std::move(devices)) {}

  const std::shared_ptr<const model::AcceleratorCatalog> catalog;
  cluster::Snapshot snapshot{{.catalog = catalog, .labels = {kRack, kZone}}};
  policies::scheduling::SchedulingEngine engine{catalog, "berth.dev", {}};
  PodTable pods{catalog, "berth.dev"};
  Picture picture{engine, {kRack, kZone}};

  void Put(model::Node node) { snapshot.UpsertNode(std::move(node)); }
  void Put(const model::Pod& pod) {
    snapshot.UpsertPod(pod);
    pods.Upsert(pod);
  }
  void Remove(const model::Pod& pod) {
    snapshot.DeletePod(pod);
    pods.Delete(pod);
  }
  bool Update(model::Time now = kNow) { return picture.Update(snapshot.Read(), pods, now); }
};

}  // namespace berth::board
