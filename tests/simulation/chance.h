#pragma once

#include <cstdint>
#include <random>

namespace berth::simulation {

/// All that a seed decides.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  /// Both ends included.
  int Between(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  int Below(int end) { return Between(0, end - 1); }
  bool Percent(int share) { return Below(100) < share; }

 private:
  std::mt19937_64 random_;
};

}  // namespace berth::simulation
