// What it costs to plan 1,000 waiting pods, in processor time: from the list of waiting pods to the
// nodes to nominate, without writing. All of them were refused, so none waits for its turn. The
// first argument is the number of nodes, the second one the number of the pods' shapes.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cluster_view.h"
#include "planner/planner.h"
#include "tests/bench/bench_cluster.h"

namespace berth::planner {
namespace {

constexpr std::size_t kPods = 1000;

// The nodes of a BenchCluster with room for pods; a snapshot keeps that only of whole pods.
class WholeView final : public model::ClusterView {
 public:
  explicit WholeView(const cluster::Snapshot& snapshot) : reader_(snapshot.Read()) {
    for (model::NodeIndex i = 0; i < reader_.EndIndex(); ++i) {
      nodes_.push_back(*reader_.At(i));
      model::Resources& allocatable = nodes_.back().node.allocatable;
      allocatable.Set("cpu", 64'000);
      allocatable.Set("memory", std::int64_t{1} << 40);
      allocatable.Set("pods", 110);
    }
  }

  model::NodeIndex EndIndex() const override { return reader_.EndIndex(); }
  const model::NodeState* At(model::NodeIndex index) const override { return &nodes_[index]; }
  std::optional<model::NodeIndex> Find(std::string_view name) const override {
    return reader_.Find(name);
  }
  const model::PoolStats& Pools() const override { return reader_.Pools(); }
  std::optional<model::PlanningPlace> LastKept(const model::PlanningPlace& place) const override {
    return reader_.LastKept(place);
  }
  std::uint64_t Generation() const override { return reader_.Generation(); }
  bool SeenBound(const std::string& key, const std::string& uid) const {
    return reader_.WasSeenBound(key, uid);
  }

 private:
  const cluster::Snapshot::Reader reader_;
  std::vector<model::NodeState> nodes_;
};

struct Planning {
  Planning(std::size_t nodes, std::size_t shapes, std::int64_t gpus)
      : berth(nodes), view(berth.snapshot) {
    for (std::size_t i = 0; i < kPods; ++i) {
      model::Pod pod{.namespace_ = "team", .name = std::to_string(i), .uid = std::to_string(i)};
      pod.scheduler = "berth";
      pod.unschedulable = "0/9 nodes are available: 9 Odd. preemption: 0/9 nodes are available.";
      pod.annotations = {{"berth.dev/accelerators", "A100,V100"}};
      pod.requests.Set("cpu", 4'000 + static_cast<std::int64_t>(i % shapes));
      pod.requests.Set("memory", std::int64_t{40} << 30);
      pod.requests.Set("nvidia.com/gpu", gpus);
      pod.created = extender::kBenchTime;
      pods.push_back(pod);
    }
  }

  // A planner with the list of the pods.
  std::unique_ptr<Planner> Begin(PlannerConfig config = {}) const {
    config.backlog.enabled = true;
    auto planner = std::make_unique<Planner>(berth.engine, std::move(config));
    planner->BeginReplace();
    for (const model::Pod& pod : pods) planner->Upsert(pod, {});
    planner->EndReplace();
    return planner;
  }
  std::size_t Plan(Planner& planner, Planner::Clock::time_point now) const {
    const auto seen = [this](const std::string& key, const std::string& uid) {
      return view.SeenBound(key, uid);
    };
    return planner.Plan(view, seen, extender::kBenchTime, now).size();
  }

  extender::BenchCluster berth;
  WholeView view;
  std::vector<model::Pod> pods;
};

Planning Make(const benchmark::State& state, std::int64_t gpus) {
  return {static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), gpus};
}

// All pods get a node.
void BM_PlanPods(benchmark::State& state) {
  const Planning planning = Make(state, 1);
  for (auto _ : state) {
    const auto planner = planning.Begin();
    if (planning.Plan(*planner, {}) != kPods) state.SkipWithError("not all pods are planned");
  }
}

// All pods have a node, and keep it.
void BM_PlanAgain(benchmark::State& state) {
  const Planning planning = Make(state, 1);
  const auto planner = planning.Begin();
  planning.Plan(*planner, {});
  for (auto _ : state) {
    if (planning.Plan(*planner, {}) != 0) state.SkipWithError("a plan has changed");
  }
}

// No node fits any pod, and the last look was long ago.
void BM_PlanInVain(benchmark::State& state) {
  const Planning planning = Make(state, 9);
  const auto planner = planning.Begin();
  Planner::Clock::time_point now{};
  for (auto _ : state) {
    if (planning.Plan(*planner, now) != 0) state.SkipWithError("a pod is planned");
    now += Planner::kLookAgain;
  }
}

// A gang of 512 pods of 8 devices each is planned, and one that is too large for the free nodes is
// not, and has room kept for it. The only argument is the number of nodes.
void PlanGang(benchmark::State& state, std::size_t pods, std::size_t expected) {
  Planning planning(static_cast<std::size_t>(state.range(0)), 1, 8);
  planning.pods.resize(pods, planning.pods.front());
  for (std::size_t i = 0; i < pods; ++i) {
    model::Pod& pod = planning.pods[i];
    pod.name = pod.uid = std::to_string(i);
    pod.unschedulable.clear();
    pod.gates = {"berth.dev/gang"};
    pod.gated = true;
    pod.annotations = {{"berth.dev/gang-name", "train"},
                       {"berth.dev/gang-size", std::to_string(pods)}};
  }
  PlannerConfig config;
  config.gangs.enabled = true;
  for (auto _ : state) {
    const auto planner = planning.Begin(config);
    if (planning.Plan(*planner, {}) != expected) state.SkipWithError("the gang is planned wrong");
  }
}

void BM_PlanGang(benchmark::State& state) { PlanGang(state, 512, 512); }
void BM_PlanGangInVain(benchmark::State& state) { PlanGang(state, 4096, 0); }

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({7498, 1})->Args({7498, 50})->Args({15000, 50})->Unit(benchmark::kMillisecond);
}

BENCHMARK(BM_PlanPods)->Apply(Sizes);
BENCHMARK(BM_PlanAgain)->Apply(Sizes);
BENCHMARK(BM_PlanInVain)->Apply(Sizes);
BENCHMARK(BM_PlanGang)->Arg(7498)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PlanGangInVain)->Arg(7498)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::planner

BENCHMARK_MAIN();
