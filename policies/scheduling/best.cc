#include "policies/scheduling/best.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

namespace berth::scheduling {
namespace {

// Greater is better, the scores of nodes that come last being below all others.
using Worth = std::uint64_t;

Worth WorthOf(const Judgement& judgement) {
  constexpr Worth kNotLast = Worth{1} << 32;
  return judgement.score + (judgement.last ? 0 : kNotLast);
}

// The worth of the last one that is chosen; 0 where all are.
Worth LeastChosen(std::span<const Judgement> judgements, std::size_t size) {
  std::priority_queue<Worth, std::vector<Worth>, std::greater<>> best;  // the least on top
  for (const Judgement& judgement : judgements) {
    if (!judgement.fits) continue;
    const Worth worth = WorthOf(judgement);
    if (best.size() == size && worth <= best.top()) continue;
    best.push(worth);
    if (best.size() > size) best.pop();
  }
  return best.size() < size ? 0 : best.top();
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
  const Worth least = LeastChosen(judgements, size);
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
