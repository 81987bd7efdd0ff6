#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace berth::kube {

/// Waits that double from one failure to the next, each spread over [half, whole], so that many
/// clients of a server that comes back do not come back together. Not thread-safe.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{500};
  static constexpr std::chrono::milliseconds kLongest{30000};

  explicit Backoff(std::uint64_t seed) : random_(seed) {}

  std::chrono::milliseconds Next();

  /// It worked: the next wait is a first one.
  void Reset() { whole_ = kFirst; }

 private:
  std::mt19937_64 random_;
  std::chrono::milliseconds whole_ = kFirst;
};

}  // namespace berth::kube
