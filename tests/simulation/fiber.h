#pragma once

#include <functional>
#include <memory>

namespace berth::simulation {

/// A function on a stack of its own: it runs when it is resumed, until it suspends itself or
/// returns. All of a simulation is on one thread, one fiber at a time, so that its seed alone says
/// what happens in which order. Not thread-safe.
class Fiber {
 public:
  /// `body` must not throw.
  explicit Fiber(std::function<void()> body);
  /// It has returned, or was never resumed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it suspends itself or returns. Not from within a fiber; not once it has ended.
  void Resume();

  /// Goes back to who resumed the fiber that calls this.
  static void Suspend();

  bool ended() const;

 private:
  struct Stack;

  static void Begin();

  const std::function<void()> body_;
  const std::unique_ptr<Stack> stack_;
};

}  // namespace berth::simulation
