#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>

namespace berth::server {

/// Limits the memory that all connections of a listener hold together for request bodies and for
/// replies that clients have not read yet. A body counts from its first byte, by what has arrived
/// and not by the length that its header announces.
///
/// When the budget is used up, the connection that has waited longest for its client must make way
/// first. Clients that hold memory without sending or reading therefore lose it to clients that do.
///
/// The listener owns the budget. Each connection has one Share of it. Thread-safe.
class BodyBudget {
 public:
  /// Bytes up to which a share may use the whole budget. A larger share leaves the last eighth
  /// free, so that a few large bodies leave room for many small ones.
  static constexpr std::size_t kSmall = 1024 * 1024;

  /// `bytes` is the limit for all shares together.
  explicit BodyBudget(std::size_t bytes) : limit_(bytes) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  /// Whether a share may hold `bytes` if no other holds any.
  bool Fits(std::size_t bytes) const { return bytes <= LimitFor(bytes); }

  /// What one connection holds. It starts with 0 bytes, in the working state. A connection either
  /// waits for its client or works on what it holds, and only a waiting one is asked to make way.
  ///
  /// A share must not outlive its budget. Only one thread at a time may call its methods; several
  /// shares may be used at the same time.
  class Share {
   public:
    /// The budget calls `make_way` when this share shall give back its bytes soon, at most once for
    /// each Wait(). The call comes from the thread that calls Hold() on another share, under the
    /// budget's mutex, so `make_way` must not block and must not call the budget or a share.
    Share(BodyBudget& budget, std::function<void()> make_way);

    /// Gives back all bytes.
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Says that the connection waits for its client from now on. The share goes to the end of the
    /// line: all shares that wait already make way before it. Withdraws an earlier request to make
    /// way.
    void Wait();

    /// Says that the connection works on what it holds from now on. The share is not asked to make
    /// way until the next Wait(). Withdraws an earlier request to make way.
    void Work();

    /// Changes the bytes that this share holds to `bytes`; this is the total, not a difference. A
    /// smaller total always succeeds.
    ///
    /// For a larger total, the budget asks the shares at the front of the line to make way until
    /// there is room. Their bytes cease to count at once, so until they have given them back, the
    /// memory in use may exceed the limit.
    ///
    /// Returns false, and the share keeps what it held, if there is not enough room and no share
    /// has waited longer than this one.
    bool Hold(std::size_t bytes);

    /// Returns true if the share was asked to make way, and neither Wait() nor Work() was called
    /// since.
    bool IsLeaving() const;

   private:
    friend class BodyBudget;
    // In which line the share stands; kLeaving: it was asked to make way.
    enum class State { kWorking, kWaiting, kLeaving };

    BodyBudget& budget_;
    const std::function<void()> make_way_;
    // The budget's mutex guards the following.
    std::size_t bytes_ = 0;
    State state_ = State::kWorking;
    std::list<Share*>::iterator place_;  // in line_, while kWaiting
  };

 private:
  // The limit for the bytes of all shares, for a request to hold `bytes` in one share.
  std::size_t LimitFor(std::size_t bytes) const {
    return bytes > kSmall ? limit_ - limit_ / 8 : limit_;
  }
  // Asks shares to make way until `share` may take `more` bytes, and then hold `bytes`. Returns
  // false if it may not. The mutex is held.
  bool MakeRoom(const Share& share, std::size_t more, std::size_t bytes);
  // Put a share into a state, and take it out of its state (it works then). The mutex is held.
  void Enter(Share& share, Share::State state);
  void Leave(Share& share);

  const std::size_t limit_;
  // Guards the following, and the state of all shares.
  mutable std::mutex mutex_;
  // Bytes of all shares.
  std::size_t held_ = 0;
  // The part of held_ in shares that were asked to make way.
  std::size_t leaving_ = 0;
  std::list<Share*> line_;  // shares that wait; the one that has waited longest is first
};

}  // namespace berth::server
