#include "policies/scheduling/best.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

#include "policies/scheduling/rank.h"

namespace berth::policies::scheduling {
namespace {

// The worth of the worst node that is chosen; 0 if all nodes are.
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

// A node's turn among equally good nodes, and its position.
using Tied = std::pair<std::size_t, std::size_t>;

// The nodes whose turn comes first, with the last of them on top.
using First = std::priority_queue<Tied>;

void Add(const Tied& tied, std::size_t size, First& first) {
  if (first.size() == size && tied >= first.top()) return;
  first.push(tied);
  if (first.size() > size) first.pop();
}

}  // namespace

std::vector<std::size_t> Best(std::span<const Judgement> judgements,
                              std::span<const std::string_view> names, std::string_view pod_uid,
                              std::size_t size) {
  const std::hash<std::string_view> hash;
  const std::size_t pod = hash(pod_uid);
  const Worth least = LeastChosen(judgements, size);
  std::vector<std::size_t> chosen;
  First first;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (!judgements[i].fits) continue;
    const Worth worth = WorthOf(judgements[i]);
    if (worth > least) {
      chosen.push_back(i);
    } else if (worth == least) {
      Add({hash(names[i]) ^ pod, i}, size, first);
    }
  }
  while (chosen.size() + first.size() > size) first.pop();
  for (; !first.empty(); first.pop()) chosen.push_back(first.top().second);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace berth::policies::scheduling
