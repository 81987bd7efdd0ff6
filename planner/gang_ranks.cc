#include "planner/gang_ranks.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "model/annotation.h"

namespace berth::planner {

using model::Pod;

namespace {

// Pods without an index come last.
std::uint64_t RankOf(const Pod& pod) {
  std::uint64_t rank = std::numeric_limits<std::uint64_t>::max();
  const auto text = model::Find(pod.annotations, model::kJobCompletionIndex);
  if (text) std::from_chars(text->data(), text->data() + text->size(), rank);
  return rank;
}

bool IsDigit(char each) { return each >= '0' && each <= '9'; }

// Takes the number at the front of a text away, and returns what orders numbers of any length.
std::pair<std::size_t, std::string_view> TakeNumber(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, IsDigit) - text.begin();
  std::string_view number = text.substr(0, static_cast<std::size_t>(end));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return {number.size(), number};
}

std::strong_ordering CompareNames(std::string_view one, std::string_view other) {
  const std::strong_ordering by_letters = one <=> other;
  while (!one.empty() && !other.empty()) {
    if (IsDigit(one.front()) && IsDigit(other.front())) {
      const auto order = TakeNumber(one) <=> TakeNumber(other);
      if (order != 0) return order;
    } else if (one.front() != other.front()) {
      return one.front() <=> other.front();
    } else {
      one.remove_prefix(1);
      other.remove_prefix(1);
    }
  }
  const std::strong_ordering order = one.size() <=> other.size();
  return order != 0 ? order : by_letters;
}

}  // namespace

bool IsNameBefore(std::string_view one, std::string_view other) {
  return CompareNames(one, other) < 0;
}

std::vector<std::size_t> OrderByRank(const std::vector<const Pod*>& pods) {
  std::map<std::string_view, std::string_view> first_names;  // by the UID of what controls the pods
  for (const Pod* pod : pods) {
    const auto [first, is_new] = first_names.try_emplace(pod->controller_uid, pod->name);
    if (!is_new && IsNameBefore(pod->name, first->second)) first->second = pod->name;
  }
  struct Rank {
    std::string_view first;
    std::uint64_t index;
    std::string_view name;
  };
  std::vector<Rank> ranks;
  ranks.reserve(pods.size());
  for (const Pod* pod : pods) {
    ranks.push_back({first_names[pod->controller_uid], RankOf(*pod), pod->name});
  }
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&ranks](std::size_t a, std::size_t b) {
    const Rank& one = ranks[a];
    const Rank& other = ranks[b];
    if (one.first != other.first) return IsNameBefore(one.first, other.first);
    if (one.index != other.index) return one.index < other.index;
    return IsNameBefore(one.name, other.name);
  });
  return order;
}

}  // namespace berth::planner
