#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace berth::kube {

/// Waits between attempts. They double from one failure to the next, from kFirst up to a limit,
/// which is kLongest by default. Each is spread over [half, whole], so that the many clients of a
/// server that returns do not return at the same time. The first waits are 250 to 500 ms, 500 to
/// 1,000 ms, 1 to 2 s. Not thread-safe.
class Backoff {
 public:
  /// The first wait, before spreading.
  static constexpr std::chrono::milliseconds kFirst{500};
  /// The longest wait by default, before spreading.
  static constexpr std::chrono::milliseconds kLongest{30000};

  /// `seed` determines the spread; it should differ between processes. No wait is longer than
  /// `longest`.
  explicit Backoff(std::uint64_t seed, std::chrono::milliseconds longest = kLongest)
      : longest_(longest), random_(seed) {}

  /// Returns how long to wait after a failure, and doubles the next wait. Does not block.
  std::chrono::milliseconds Next();

  /// Records a success: the next wait is a first one again.
  void Reset() { whole_ = kFirst; }

 private:
  const std::chrono::milliseconds longest_;
  std::mt19937_64 random_;
  /// The next wait, before spreading.
  std::chrono::milliseconds whole_ = kFirst;
};

}  // namespace berth::kube
