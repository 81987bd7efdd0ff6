#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace berth::planner {

/// How long gangs rest that have failed. What failed once may fail in the same way for ever, and a
/// gang that tries again at once takes the same nodes before others that wait. So it rests for
/// kFirst or less, and twice as long after each further failure, up to kMost. It holds nothing
/// meanwhile.
///
/// The pods of a gang that was evicted are made anew, so nothing of theirs can say that it rests: a
/// controller that starts knows of no rest.
///
/// Not thread-safe.
class GangRests {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kFirst{30};
  static constexpr std::chrono::minutes kMost{10};
  /// How long after its last rest a gang is forgotten of which no pod waits.
  static constexpr std::chrono::minutes kForget{60};

  /// The gang, "<namespace>/<name>", has failed: `why` is a clause. Its rest begins with the next
  /// call of Reason(), when all its pods are there again; until then it fails no second time.
  /// `first`: how long it would rest if this was its first failure.
  void OnFailed(const std::string& gang, std::string_view why, Clock::time_point now,
                std::chrono::seconds first = kFirst);
  /// All its pods run.
  void OnRan(const std::string& gang) { rests_.erase(gang); }

  /// Why a gang that could be planned now rests: "rests until 2026-11-23T22:31:05Z, because ...".
  /// Nothing if it does not.
  std::optional<std::string> Reason(const std::string& gang, Clock::time_point now,
                                    model::Time time);

  /// Forgets gangs that have rested long ago. `waits`: whether any pods of the gang wait.
  void Prune(Clock::time_point now, const std::function<bool(const std::string& gang)>& waits);

  bool empty() const { return rests_.empty(); }

 private:
  struct Rest {
    std::size_t failures = 0;
    std::chrono::seconds first = kFirst;
    std::string why = {};
    // Not set until it begins.
    std::optional<Clock::time_point> until = {};
    model::Time until_time = model::kNoTime;
    // When it failed, or until when it rests.
    Clock::time_point last = {};
  };

  std::map<std::string, Rest> rests_;
};

}  // namespace berth::planner
