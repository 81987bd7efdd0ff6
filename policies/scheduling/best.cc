#include "policies/scheduling/best.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace berth::scheduling {
namespace {

// Greater is better, the scores of nodes that come last being below all others.
using Worth = std::uint64_t;

Worth WorthOf(const Judgement& judgement) {
  constexpr Worth kNotLast = Worth{1} << 32;
  return judgement.score + (judgement.last ? 0 : kNotLast);
}

std::vector<Worth> WorthsOfFitting(std::span<const Judgement> judgements) {
  std::vector<Worth> worths;
  worths.reserve(judgements.size());
  for (const Judgement& judgement : judgements) {
    if (judgement.fits) worths.push_back(WorthOf(judgement));
  }
  return worths;
}

// The worth of the last one that is chosen; 0 where all are.
Worth LeastChosen(std::vector<Worth> worths, std::size_t size) {
  if (worths.size() <= size) return 0;
  const auto last = worths.begin() + static_cast<std::ptrdiff_t>(size) - 1;
  std::nth_element(worths.begin(), last, worths.end(), std::greater<>());
  return *last;
}

// A node and its turn among equally good ones.
using Tied = std::pair<std::size_t, std::size_t>;

// Adds the places of the `room` whose turn is first.
void AddFirst(std::vector<Tied> tied, std::size_t room, std::vector<std::size_t>& chosen) {
  if (room < tied.size()) {
    std::nth_element(tied.begin(), tied.begin() + static_cast<std::ptrdiff_t>(room), tied.end());
    tied.resize(room);
  }
  for (const auto& [turn, place] : tied) chosen.push_back(place);
}

}  // namespace

std::vector<std::size_t> Best(std::span<const Judgement> judgements,
                              std::span<const std::string_view> names, std::string_view pod_uid,
                              std::size_t size) {
  const std::hash<std::string_view> hash;
  const std::size_t pod = hash(pod_uid);
  const Worth least = LeastChosen(WorthsOfFitting(judgements), size);
  std::vector<std::size_t> chosen;
  std::vector<Tied> tied;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (!judgements[i].fits) continue;
    const Worth worth = WorthOf(judgements[i]);
    if (worth > least) {
      chosen.push_back(i);
    } else if (worth == least) {
      tied.emplace_back(hash(names[i]) ^ pod, i);
    }
  }
  AddFirst(std::move(tied), size - chosen.size(), chosen);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace berth::scheduling
