#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>

namespace berth::server {

/// What all connections together hold of requests' bodies and of replies that nobody has taken yet,
/// counted from the first byte. Where it is used up, whoever has kept its bytes waiting longest
/// makes way: those who hold bodies or replies to take the memory lose it to those who send and
/// read. Thread-safe.
class BodyBudget {
 public:
  /// A share of more than this may not take the last eighth of the budget, so that a few large
  /// bodies leave room for the many small ones.
  static constexpr std::size_t kSmall = 1024 * 1024;

  explicit BodyBudget(std::size_t bytes) : limit_(bytes) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  /// What one connection holds: nothing at first. Waits for its client or works on what it holds;
  /// only one that waits is asked to make way. Must not outlive the budget. One thread at a time.
  class Share {
   public:
    /// `make_way` asks to hold nothing soon. Called by any thread; must not block or call back.
    Share(BodyBudget& budget, std::function<void()> make_way);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// From now on it waits for its client; it is the last to make way.
    void Wait();
    /// From now on it works.
    void Work();
    /// Takes or gives back what it takes to hold `bytes`. False where there is not so much, and
    /// nobody has waited longer: then it holds what it held before.
    bool Hold(std::size_t bytes);
    /// Whether it was asked to make way and has not worked or waited anew since.
    bool IsLeaving() const;

   private:
    friend class BodyBudget;
    enum class State { kWorking, kWaiting, kLeaving };

    BodyBudget& budget_;
    const std::function<void()> make_way_;
    // Guarded by the budget's mutex.
    std::size_t bytes_ = 0;
    State state_ = State::kWorking;
    std::list<Share*>::iterator place_;  // in the line, while it waits
  };

 private:
  std::size_t LimitFor(std::size_t bytes) const {
    return bytes > kSmall ? limit_ - limit_ / 8 : limit_;
  }
  /// Whether there is room for `more` bytes of a share that then has `bytes`.
  bool MakeRoom(const Share& share, std::size_t more, std::size_t bytes);
  void Enter(Share& share, Share::State state);
  void Leave(Share& share);

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t held_ = 0;
  /// Of `held_`, what those hold that were asked to make way.
  std::size_t leaving_ = 0;
  std::list<Share*> line_;  // those that wait, the longest first
};

}  // namespace berth::server
