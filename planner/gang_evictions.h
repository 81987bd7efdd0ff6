#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"
#include "planner/round.h"
#include "planner/step.h"

namespace berth::planner {

/// When a gang, or the rest of one, may be evicted again. Not thread-safe.
class EvictionAttempts {
 public:
  using Clock = Round::Clock;

  /// How long after an attempt that failed the next one comes.
  static constexpr std::chrono::seconds kAgain{30};
  /// The same if the API server has not answered: a request of many was lost. It doubles each
  /// time, up to kAgain.
  static constexpr std::chrono::seconds kAskAgain{5};

  /// Whether the next attempt may come. The first one may at once.
  bool AreDue(Clock::time_point now) const { return !due_ || *due_ <= now; }
  /// The next attempt comes then.
  void BeDueAt(Clock::time_point due) { due_ = due; }
  /// An attempt begins. Unless it fails, the next one comes after `pause`.
  void OnTried(Clock::time_point now, Clock::duration pause);
  /// The last attempt has failed. Does nothing if there was none.
  void OnFailed(Failure failure);
  /// The clock has stood still for that long.
  void Shift(Clock::duration span);

  std::optional<Clock::time_point> due() const { return due_; }

 private:
  std::optional<Clock::time_point> due_ = {};
  std::optional<Clock::time_point> tried_ = {};
  // How many attempts had no answer, one after the other.
  std::size_t unanswered_ = 0;
};

/// The evictions of gangs that have begun and not ended, as the pods' annotations say: they are
/// gone on with if they have ended half-way, or may have. Not thread-safe.
class BegunEvictions {
 public:
  using Clock = Round::Clock;
  /// Whether the gang, "<namespace>/<gang>", has pods that wait and was let go by hand.
  using IsFreed = std::function<bool(const std::string& gang)>;

  /// Notes what the round shows of them, and adds steps for those that are due. `is_first`: this is
  /// the first round since the controller leads.
  void Update(Round& round, bool is_first, const IsFreed& is_freed);

  /// Whether one of the gang has begun and is to be gone on with.
  bool IsOpen(const std::string& gang) const;
  /// The same, and pods of the gang have gone since then.
  bool IsHalfWay(const std::string& gang) const;

  /// A kEvictRest of the gang has failed; see Planner::Failed().
  void OnRestFailed(const std::string& gang, std::string_view why, Failure failure);
  /// A kEvict of the gang has failed, which comes again at that time: it does not go on just now.
  void OnFailed(const std::string& gang, Clock::time_point again);

  void Clear() { evictions_.clear(); }

 private:
  struct Eviction {
    EvictionAttempts attempts = {};
    // How many pods of the gang there were, and whether fewer have run since then.
    std::size_t needed = 0;
    bool lacked = false;
    // Whether the gang has been whole since then, or was let go by hand, or the rest of it may not
    // be evicted.
    bool is_over = false;
    model::Time began = model::kNoTime;
  };

  const Eviction* Find(const std::string& gang) const;
  // Notes what the pods of the gang show of it.
  static void Judge(const std::string& gang, Eviction& eviction, bool is_freed, const Round& round);

  std::map<std::string, Eviction> evictions_;  // by "<namespace>/<gang>"
};

}  // namespace berth::planner
