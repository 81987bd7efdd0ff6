#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::planner {

/// For which gangs nodes are sought in a round, if there are too many that wait. Each search looks
/// at all nodes, so whoever creates thousands of gangs that differ would hold up everybody else.
///
/// Those that ask first, kFirst of them, have a turn in every round. The others take turns, kOthers
/// in each round: of n others each has one in n / kOthers rounds. A search for pods of several
/// shapes counts as several.
///
/// Not thread-safe.
class SearchTurns {
 public:
  static constexpr std::size_t kFirst = 32;
  static constexpr std::size_t kOthers = 32;

  void BeginRound() {
    ++round_;
    cycle_ = others_ == 0 ? 1 : 1 + (others_ - 1) / kOthers;
    first_ = others_ = taken_ = 0;
  }

  /// Whether it is the gang's turn. `last` is the gang's own: the round of its last turn, 0 at
  /// first. Asked again in the same round, the answer is the same if it was yes. `cost`: as how
  /// many searches it counts; the last one that fits in may cost more than is left.
  bool Take(std::uint64_t& last, std::size_t cost = 1) {
    if (last == round_) return true;
    if (first_ < kFirst) {
      first_ += cost;
      last = round_;
      return true;
    }
    others_ += cost;
    const bool is_due = last == 0 || last + cycle_ <= round_;
    if (!is_due || taken_ >= kOthers) return false;
    taken_ += cost;
    last = round_;
    return true;
  }

 private:
  std::uint64_t round_ = 0;
  // After how many rounds each of the others has had a turn.
  std::uint64_t cycle_ = 1;
  // Of this round: how many searches were asked for, and how many of the others' were made.
  std::size_t first_ = 0;
  std::size_t others_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace berth::planner
