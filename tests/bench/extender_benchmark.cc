// What one request costs inside the extender, without HTTP and TLS: from the body to the reply.
// BM_ReadNames is the yardstick in the same run: the same body, parsed and looked up, judged by
// nobody. "Cold": between two requests the processor's caches were filled with other things, as
// kube-scheduler fills them while it places a pod; "Short": with a shortlist of 8; "One": of one,
// and every decision is told; "Anew": every pod has a shape that was not seen before.

#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extender/wire.h"
#include "tests/bench/bench_cluster.h"

namespace berth::extender {
namespace {

struct Options {
  const char* path;
  std::int32_t shortlist = 0;
  bool cold = false;
  bool told = false;
  bool anew = false;
};

// Writes more than any cache holds.
void FillCaches() {
  static std::vector<char> memory(64 << 20);
  for (std::size_t i = 0; i < memory.size(); i += 64) ++memory[i];
  benchmark::ClobberMemory();
}

// The server has read the body a moment ago, so it is in the caches.
std::string Fresh(const std::string& body, bool cold) {
  if (cold) FillCaches();
  return body;
}

// Of this thread, in seconds: whatever else runs on the machine takes none of it.
double ProcessorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void Post(benchmark::State& state, const Options& options) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  Listener listener;
  std::vector<DecisionObserver*> observers;
  if (options.told) observers.push_back(&listener);
  BenchCluster berth(nodes, options.shortlist, observers);
  int devices = 1;
  std::string body = berth.Body(nodes);
  for (const server::Route& route : berth.extender.Routes()) {
    if (route.path != options.path) continue;
    for (auto _ : state) {
      if (options.anew) body = berth.Body(nodes, ++devices);
      const std::string fresh = Fresh(body, options.cold);
      const double begin = ProcessorTime();
      benchmark::DoNotOptimize(route.handle({"POST", options.path, fresh}));
      state.SetIterationTime(ProcessorTime() - begin);
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Filter(benchmark::State& state) { Post(state, {"/filter"}); }
void BM_FilterShort(benchmark::State& state) { Post(state, {"/filter", 8}); }
void BM_FilterShortCold(benchmark::State& state) { Post(state, {"/filter", 8, true}); }
void BM_FilterCold(benchmark::State& state) { Post(state, {"/filter", 0, true}); }
void BM_FilterOneCold(benchmark::State& state) { Post(state, {"/filter", 1, true}); }
void BM_FilterOneToldCold(benchmark::State& state) { Post(state, {"/filter", 1, true, true}); }
void BM_FilterAnewCold(benchmark::State& state) { Post(state, {"/filter", 1, true, false, true}); }
void BM_Prioritize(benchmark::State& state) { Post(state, {"/prioritize"}); }
void BM_PrioritizeCold(benchmark::State& state) { Post(state, {"/prioritize", 0, true}); }

void BM_ReadNames(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  BenchCluster berth(nodes);
  const std::string body = berth.Body(nodes);
  ArgsReader reader;
  for (auto _ : state) {
    const auto args = reader.Read(body);
    const auto view = berth.snapshot.Read();
    for (const std::string_view name : args->node_names) {
      benchmark::DoNotOptimize(view.Find(name));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);
}

// With times of its own; filling the caches takes most of each iteration.
void Timed(benchmark::internal::Benchmark* benchmark) {
  Sizes(benchmark->UseManualTime()->MinTime(0.1));
}

BENCHMARK(BM_ReadNames)->Apply(Sizes);
BENCHMARK(BM_Filter)->Apply(Timed);
BENCHMARK(BM_FilterCold)->Apply(Timed);
BENCHMARK(BM_FilterShort)->Apply(Timed);
BENCHMARK(BM_FilterShortCold)->Apply(Timed);
BENCHMARK(BM_FilterOneCold)->Apply(Timed);
BENCHMARK(BM_FilterOneToldCold)->Apply(Timed);
BENCHMARK(BM_FilterAnewCold)->Apply(Timed);
BENCHMARK(BM_Prioritize)->Apply(Timed);
BENCHMARK(BM_PrioritizeCold)->Apply(Timed);

}  // namespace
}  // namespace berth::extender

BENCHMARK_MAIN();
