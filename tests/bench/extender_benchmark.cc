// What one request costs inside the extender, without HTTP and TLS: from the body to the reply.
// BM_ReadNames is the yardstick in the same run: the same body, parsed and looked up, judged by
// nobody.

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>

#include "cluster/snapshot.h"
#include "extender/extender.h"
#include "extender/wire.h"
#include "policies/scheduling/engine.h"
#include "server/metrics.h"

namespace berth::extender {
namespace {

constexpr model::Time kNow{model::Duration{1'800'000'000}};

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

model::Node MakeNode(std::size_t i) {
  const Kind& kind = kMix[i % kMix.size()];
  model::Node node{.name = "node-" + std::to_string(100000 + i)};
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
                               kNow - std::chrono::hours(5), kNow});
  }
  return node;
}

std::shared_ptr<const model::AcceleratorCatalog> Catalog() {
  return std::make_shared<const model::AcceleratorCatalog>(
      model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());
}

struct Cluster {
  std::shared_ptr<const model::AcceleratorCatalog> catalog = Catalog();
  cluster::Snapshot snapshot{{.catalog = catalog}};
  server::Metrics metrics;
  std::shared_ptr<const scheduling::SchedulingEngine> engine =
      std::make_shared<const scheduling::SchedulingEngine>(catalog, "berth.dev",
                                                           scheduling::SchedulingConfig{});
  Extender extender{
      std::make_shared<Placer>(engine, snapshot, metrics), metrics, {.now = [] { return kNow; }}};
  std::string body;

  explicit Cluster(std::size_t nodes) {
    body = R"({"Pod":{"metadata":{"name":"train","namespace":"team","annotations":)"
           R"({"berth.dev/accelerators":"A100,V100"}},"spec":{"containers":[{"name":"c",)"
           R"("resources":{"requests":{"cpu":"4","memory":"40Gi","nvidia.com/gpu":"1"}}}]}},)"
           R"("Nodes":null,"NodeNames":[)";
    snapshot.BeginReplace(cluster::Kind::kNodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      model::Node node = MakeNode(i);
      body += (i == 0 ? "\"" : ",\"") + node.name + '"';
      snapshot.UpsertNode(std::move(node));
    }
    snapshot.EndReplace(cluster::Kind::kNodes);
    snapshot.BeginReplace(cluster::Kind::kPods);
    snapshot.EndReplace(cluster::Kind::kPods);
    body += "]}";
  }
};

void Post(benchmark::State& state, const char* path) {
  Cluster berth(static_cast<std::size_t>(state.range(0)));
  for (const server::Route& route : berth.extender.Routes()) {
    if (route.path != path) continue;
    for (auto _ : state) benchmark::DoNotOptimize(route.handle({"POST", path, berth.body}));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Filter(benchmark::State& state) { Post(state, "/filter"); }
void BM_Prioritize(benchmark::State& state) { Post(state, "/prioritize"); }

void BM_ReadNames(benchmark::State& state) {
  Cluster berth(static_cast<std::size_t>(state.range(0)));
  ArgsReader reader;
  for (auto _ : state) {
    const auto args = reader.Read(berth.body);
    const auto view = berth.snapshot.Read();
    for (const std::string_view name : args->node_names) {
      benchmark::DoNotOptimize(view.Find(name));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_ReadNames)->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Filter)->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Prioritize)->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::extender

BENCHMARK_MAIN();
