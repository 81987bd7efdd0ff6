#include "tests/simulation/live_bytes.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace berth::simulation {
namespace {

std::atomic<std::size_t> live = 0;

void Free(void* memory) {
  live -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

std::size_t LiveBytes() { return live; }

}  // namespace berth::simulation

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  berth::simulation::live += ::malloc_usable_size(memory);
  return memory;
}

void operator delete(void* memory) noexcept { berth::simulation::Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { berth::simulation::Free(memory); }
