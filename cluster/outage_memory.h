#pragma once

#include <chrono>
#include <optional>

namespace berth::cluster {

/// What one list-and-watch remembers of the API server's being away. It tells when a view of the
/// cluster may lack something, and for how long kube-scheduler may know less than Berth.
///
/// When the API server goes away, bindings may be stored although their answers are lost.
/// kube-scheduler then forgets those pods, and gives their places to others. It goes on doing so
/// when the API server is back, until its own watch is. Not thread-safe.
class OutageMemory {
 public:
  using Clock = std::chrono::steady_clock;

  /// Failures for a shorter time are no outage. After a single failure kube-scheduler tries again
  /// within 1.6 s, as Berth does within half a second.
  static constexpr std::chrono::seconds kShortest{2};

  /// How long an outage is remembered after its end. kube-scheduler may wait for a minute until it
  /// tries to watch again: 30 s, with jitter up to twice as long. An API server that was restarted
  /// then tells it that the resource version has expired, so that it waits for as long again before
  /// it lists everything (defaultBackoffMax, defaultBackoffJitter and RunWithContext in
  /// k8s.io/client-go/tools/cache/reflector.go, v0.36.3). Half a minute is for the list.
  static constexpr std::chrono::seconds kRemembered{150};

  /// How long a view counts as behind at most. After that it is rather Berth that is cut off, and
  /// kube-scheduler that knows better.
  static constexpr std::chrono::minutes kLongestBehind{10};

  /// Records that a request failed.
  void OnFailed(Clock::time_point now) {
    if (!behind_since_) behind_since_ = now;
    if (!failing_since_) failing_since_ = now;
  }

  /// Records that a watch was heard. The first sign after a failure is that it was granted; what
  /// has happened meanwhile is yet to come.
  void OnHeard(Clock::time_point now) {
    if (failing_since_) {
      EndFailing(now);
    } else {
      behind_since_.reset();
    }
  }

  /// Records that everything was listed.
  void OnListed(Clock::time_point now) {
    EndFailing(now);
    behind_since_.reset();
  }

  /// Whether a request has failed less than kLongestBehind before `now`, and nothing has been
  /// learned since.
  bool IsBehind(Clock::time_point now) const {
    return behind_since_ && now - *behind_since_ < kLongestBehind;
  }

  /// Whether an outage ended less than kRemembered before `now`.
  bool EndedLately(Clock::time_point now) const { return ended_ && now - *ended_ < kRemembered; }

 private:
  void EndFailing(Clock::time_point now) {
    if (failing_since_ && now - *failing_since_ >= kShortest) ended_ = now;
    failing_since_.reset();
  }

  /// The first failure since something was learned.
  std::optional<Clock::time_point> behind_since_;
  /// The first failure since the last success.
  std::optional<Clock::time_point> failing_since_;
  /// The end of the last outage.
  std::optional<Clock::time_point> ended_;
};

}  // namespace berth::cluster
