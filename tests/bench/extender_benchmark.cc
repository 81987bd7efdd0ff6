// What one request costs inside the extender, without HTTP and TLS: from the body to the reply.
// BM_ReadNames is the yardstick in the same run: the same body, parsed and looked up, judged by
// nobody.

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "extender/wire.h"
#include "tests/bench/bench_cluster.h"

namespace berth::extender {
namespace {

void Post(benchmark::State& state, const char* path) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  BenchCluster berth(nodes);
  const std::string body = berth.Body(nodes);
  for (const server::Route& route : berth.extender.Routes()) {
    if (route.path != path) continue;
    for (auto _ : state) benchmark::DoNotOptimize(route.handle({"POST", path, body}));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Filter(benchmark::State& state) { Post(state, "/filter"); }
void BM_Prioritize(benchmark::State& state) { Post(state, "/prioritize"); }

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

BENCHMARK(BM_ReadNames)->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Filter)->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Prioritize)->Arg(375)->Arg(7498)->Arg(65000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::extender

BENCHMARK_MAIN();
