// What one request costs, in counts that do not depend on the machine's speed.
//
// request_cost /filter|/prioritize NODES remembered|one|anew: posts it to an extender over NODES
// nodes, and prints the allocations and the bytes of the reply. "remembered": a pod of the same
// shape was judged before; "one": the same, with a shortlist of one, as shipped, and somebody who
// wants to hear of the decision; "anew": none was.
// Under `valgrind --tool=callgrind --instr-atstart=no` the instructions of that one request are
// counted, and of nothing else.

#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/bench_cluster.h"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: request_cost /filter|/prioritize NODES remembered|one|anew\n", stderr);
    return 2;
  }
  const std::string path = argv[1];
  const auto nodes = static_cast<std::size_t>(std::atoi(argv[2]));
  const std::string_view shape = argv[3];
  const bool remembered = shape != "anew";

  berth::extender::Listener listener;
  std::vector<berth::extender::DecisionObserver*> observers;
  if (shape == "one") observers = {&listener};
  berth::extender::BenchCluster berth(nodes, shape == "one" ? 1 : 0, observers);
  const std::string body = berth.Body(nodes, 1, "u-measured");
  // What is allocated once and kept is allocated now: by this shape, or by another. Their bindings
  // are not seen yet when the request comes.
  for (int i = 0; i < 3; ++i) {
    berth.Post(path, berth.Body(nodes, remembered ? 1 : 2, "u-before-" + std::to_string(i)));
  }
  const std::size_t before = allocations;
  CALLGRIND_START_INSTRUMENTATION;
  const std::string reply = berth.Post(path, body);
  CALLGRIND_STOP_INSTRUMENTATION;
  std::printf("allocations %zu\nbytes %zu\n", allocations - before, reply.size());
}
