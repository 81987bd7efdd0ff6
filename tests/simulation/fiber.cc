#include "tests/simulation/fiber.h"

#include <ucontext.h>

#include <cstddef>
#include <cstdlib>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace berth::simulation {
namespace {

constexpr std::size_t kStackSize = 512 * 1024;

Fiber* current = nullptr;

// What the sanitizers have to be told of a change of stacks, or they take it for an error.
#if defined(__SANITIZE_ADDRESS__)
void Leave(void** left, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(left, bottom, size);
}
void Arrive(void* left, const void** bottom, std::size_t* size) {
  __sanitizer_finish_switch_fiber(left, bottom, size);
}
#else
void Leave(void**, const void*, std::size_t) {}
void Arrive(void*, const void**, std::size_t*) {}
#endif

#if defined(__SANITIZE_THREAD__)
void* NewThread() { return __tsan_create_fiber(0); }
void EndThread(void* thread) { __tsan_destroy_fiber(thread); }
void* ThisThread() { return __tsan_get_current_fiber(); }
void SwitchThread(void* thread) { __tsan_switch_to_fiber(thread, 0); }
#else
void* NewThread() { return nullptr; }
void EndThread(void*) {}
void* ThisThread() { return nullptr; }
void SwitchThread(void*) {}
#endif

}  // namespace

struct Fiber::Stack {
  Stack() : memory(std::make_unique_for_overwrite<std::byte[]>(kStackSize)), thread(NewThread()) {}
  ~Stack() { EndThread(thread); }

  const std::unique_ptr<std::byte[]> memory;
  ucontext_t inside{};
  ucontext_t outside{};
  bool ended = false;

  // As the sanitizers see both sides.
  void* const thread;
  void* outer_thread = nullptr;
  void* fake_inside = nullptr;
  const void* outer_bottom = nullptr;
  std::size_t outer_size = 0;
};

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(std::make_unique<Stack>()) {
  getcontext(&stack_->inside);
  stack_->inside.uc_stack = {.ss_sp = stack_->memory.get(), .ss_flags = 0, .ss_size = kStackSize};
  stack_->inside.uc_link = nullptr;
  makecontext(&stack_->inside, &Fiber::Begin, 0);
  // Only makecontext needs them. AddressSanitizer would take all of the stack for unused at each
  // change (the interceptor of swapcontext in its asan_interceptors.cpp), which took a quarter of
  // the time.
  stack_->inside.uc_stack = {};
}

Fiber::~Fiber() = default;

bool Fiber::ended() const { return stack_->ended; }

void Fiber::Resume() {
  if (current != nullptr || stack_->ended) std::abort();
  current = this;
  void* fake_outside = nullptr;
  stack_->outer_thread = ThisThread();
  Leave(&fake_outside, stack_->memory.get(), kStackSize);
  SwitchThread(stack_->thread);
  swapcontext(&stack_->outside, &stack_->inside);
  Arrive(fake_outside, nullptr, nullptr);
  current = nullptr;
}

void Fiber::Suspend() {
  Stack& stack = *current->stack_;
  Leave(stack.ended ? nullptr : &stack.fake_inside, stack.outer_bottom, stack.outer_size);
  SwitchThread(stack.outer_thread);
  swapcontext(&stack.inside, &stack.outside);
  Arrive(stack.fake_inside, &stack.outer_bottom, &stack.outer_size);
}

void Fiber::Begin() {
  Stack& stack = *current->stack_;
  Arrive(nullptr, &stack.outer_bottom, &stack.outer_size);
  current->body_();
  stack.ended = true;
  Suspend();
}

}  // namespace berth::simulation
