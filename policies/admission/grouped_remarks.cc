#include "policies/admission/grouped_remarks.h"

#include <utility>

namespace berth::policies::admission {

namespace {

// All further groups are joined, so that thousands of different containers cause neither many
// remarks nor a slow search.
constexpr std::size_t kMaxGroups = 8;
constexpr std::size_t kMaxNames = 2;

constexpr std::string_view kRestBefore = "cpu and memory of ";
constexpr std::string_view kRestAfter = " set or equalised likewise";

}  // namespace

GroupedRemarks::Group& GroupedRemarks::GroupFor(std::string_view before, std::string_view after) {
  for (Group& group : groups_) {
    if (group.before == before && group.after == after) return group;
  }
  if (groups_.size() > kMaxGroups) return groups_.back();
  const bool rest = groups_.size() == kMaxGroups;
  groups_.push_back({.before = std::string(rest ? kRestBefore : before),
                     .after = std::string(rest ? kRestAfter : after),
                     .names = {}});
  return groups_.back();
}

void GroupedRemarks::Add(std::string_view before, std::string_view container,
                         std::string_view after) {
  Group& group = GroupFor(before, after);
  if (group.names.size() < kMaxNames) {
    group.names.emplace_back(container);
  } else {
    ++group.more;
  }
}

void GroupedRemarks::WriteTo(Remarks& remarks) const {
  for (const Group& group : groups_) {
    std::string text = group.before;
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      const bool last = i + 1 == group.names.size() && group.more == 0;
      if (i > 0) text += last ? " and " : ", ";
      text += "'" + group.names[i] + "'";
    }
    if (group.more > 0) text += " and " + std::to_string(group.more) + " more";
    remarks.Changed(text + group.after);
  }
}

}  // namespace berth::policies::admission
