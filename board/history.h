#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "board/picture.h"
#include "model/time.h"

namespace berth::board {

/// What the pools had over the last day, in a sample every ten seconds. It begins when the board
/// does. Takes 400 KiB a pool at most. Not thread-safe.
class History {
 public:
  static constexpr model::Duration kInterval{10};
  static constexpr model::Duration kSpan{24 * 3600};

  /// Adds a sample, unless the last one is younger than kInterval, and drops those that are older
  /// than kSpan. Where `now` goes back, as a clock that is set, the samples after it are dropped.
  void Add(model::Time now, const std::map<std::string, PoolTotals>& pools);

  /// A JSON object with the averages over `bars` equal parts of the last `span`, the oldest first.
  /// `bars` and `span` must be greater than 0. docs/board.md describes it.
  std::string Encode(model::Time now, model::Duration span, std::size_t bars) const;

 private:
  struct Sample {
    model::Time time;
    // As in PoolTotals, or the most that 32 bits hold.
    std::int32_t held = 0;
    std::int32_t planned = 0;
    std::int32_t free = 0;
    std::int32_t broken = 0;
  };

  // Drops the samples after `now`.
  void ForgetAfter(model::Time now);

  std::map<std::string, std::deque<Sample>> samples_;  // by pool; ascending by time
  model::Time last_ = model::kNoTime;
};

}  // namespace berth::board
