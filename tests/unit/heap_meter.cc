#include "tests/unit/heap_meter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
// Of <sanitizer/allocator_interface.h>, which Debian packages for clang alone.
extern "C" std::size_t __sanitizer_get_allocated_size(void* memory);
#endif

namespace berth::tests {
namespace {

std::atomic<std::size_t> live = 0;
std::atomic<std::size_t> peak = 0;

}  // namespace

std::size_t LiveBytes() { return live; }
std::size_t PeakBytes() { return peak; }
void ResetPeak() { peak = live.load(); }

}  // namespace berth::tests

#if defined(BERTH_METER_DESPITE_SANITIZERS) || \
    (!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__))

namespace {

// How much of the heap the memory takes.
std::size_t SizeOf(void* memory) {
#if defined(__SANITIZE_ADDRESS__)
  // AddressSanitizer's malloc_usable_size unwinds the stack at each call.
  return __sanitizer_get_allocated_size(memory);
#else
  return malloc_usable_size(memory);
#endif
}

}  // namespace

// The other forms call these, but for AddressSanitizer's, of which each allocates by itself.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  using berth::tests::live;
  using berth::tests::peak;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  const std::size_t now = live += SizeOf(memory);
  for (std::size_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  berth::tests::live -= SizeOf(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }

#endif
