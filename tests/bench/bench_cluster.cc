#include "tests/bench/bench_cluster.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::extender {

namespace {

struct Kind {
  const char* product;  // empty: MN-Core
  std::int64_t devices;
};

// About the reference cluster's shares: of 28 nodes 13 V100, 5 MN-Core, 4 A100, 4 A30; here of 8.
constexpr std::array<Kind, 8> kMix = {{{"Tesla-V100-SXM2-16GB", 8},
                                       {"Tesla-V100-SXM2-32GB", 8},
                                       {"Tesla-V100-SXM2-32GB", 8},
                                       {"Tesla-V100-SXM2-16GB", 8},
                                       {"NVIDIA-A100-SXM4-40GB", 4},
                                       {"NVIDIA-A30", 6},
                                       {"NVIDIA-A30", 6},
                                       {"", 4}}};

std::string NameOf(std::size_t i) { return "node-" + std::to_string(100000 + i); }

model::Node MakeNode(std::size_t i) {
  const Kind& kind = kMix[i % kMix.size()];
  model::Node node{.name = NameOf(i)};
  const bool gpu = *kind.product != '\0';
  const char* resource = gpu ? "nvidia.com/gpu" : "preferred.jp/mncore";
  if (gpu) {
    node.labels = {{"nvidia.com/gpu.count", std::to_string(kind.devices)},
                   {"nvidia.com/gpu.memory", "32510"},
                   {"nvidia.com/gpu.product", kind.product},
                   {"nvidia.com/gpu.replicas", "1"},
                   {"nvidia.com/mig.strategy", "none"}};
  }
  node.capacity.Set(resource, kind.devices);
  node.allocatable.Set(resource, kind.devices);
  for (const char* type :
       {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "GPUIsLost", "GPURuntimeError",
        "GPUPendingPage", "DStateProcess", "PCIeLinkDegraded", "NICLinkDown", "NICLinkFlapping"}) {
    const bool broken = std::string_view(type) == "GPUIsLost" && i % 20 == 0;
    const bool on = broken || std::string_view(type) == "Ready";
    node.conditions.push_back({type,
                               on ? model::ConditionStatus::kTrue : model::ConditionStatus::kFalse,
                               kBenchTime - std::chrono::hours(5), kBenchTime});
  }
  return node;
}

std::shared_ptr<const model::AcceleratorCatalog> Catalog() {
  return std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
}

}  // namespace

BenchCluster::BenchCluster(std::size_t nodes, std::int32_t shortlist,
                           std::vector<DecisionObserver*> observers)
    : catalog(Catalog()),
      snapshot({.catalog = catalog}),
      engine(std::make_shared<const policies::scheduling::SchedulingEngine>(
          catalog, "berth.dev", policies::scheduling::SchedulingConfig{})),
      extender(std::make_shared<Placer>(engine, snapshot, metrics, std::move(observers),
                                        policies::scheduling::ShortlistConfig{
                                            .size = shortlist, .default_spreading = false}),
               metrics, {.now = [] { return kBenchTime; }}) {
  snapshot.BeginReplace(cluster::Kind::kNodes);
  for (std::size_t i = 0; i < nodes; ++i) snapshot.UpsertNode(MakeNode(i));
  snapshot.EndReplace(cluster::Kind::kNodes);
  snapshot.BeginReplace(cluster::Kind::kPods);
  snapshot.EndReplace(cluster::Kind::kPods);
}

std::string BenchCluster::Body(std::size_t names, int gpus, const std::string& uid) const {
  std::string body = R"({"Pod":{"metadata":{"name":"train","namespace":"team","uid":")" + uid +
                     R"(","annotations":)"
                     R"({"berth.dev/accelerators":"A100,V100"}},"spec":{"containers":[{"name":"c",)"
                     R"("resources":{"requests":{"cpu":"4","memory":"40Gi","nvidia.com/gpu":")" +
                     std::to_string(gpus) + R"("}}}]}},"Nodes":null,"NodeNames":[)";
  for (std::size_t i = 0; i < names; ++i) body += (i == 0 ? "\"" : ",\"") + NameOf(i) + '"';
  return body + "]}";
}

std::string BenchCluster::Post(const std::string& path, const std::string& body) {
  for (const server::Route& route : extender.Routes()) {
    if (route.path == path) return route.handle({"POST", path, body}).body;
  }
  return {};
}

}  // namespace berth::extender
