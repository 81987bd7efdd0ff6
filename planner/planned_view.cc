#include "planner/planned_view.h"

#include "policies/fit/fit.h"

namespace berth::planner {

void PlannedView::Book(const model::Pod& pod, model::NodeIndex index) {
  const auto [found, is_new] = changed_.try_emplace(index);
  if (is_new) found->second = *view_.At(index);
  policies::fit::Book(pod, found->second);
  bookings_.push_back(index);
}

const model::NodeState* PlannedView::At(model::NodeIndex index) const {
  const auto found = changed_.find(index);
  return found == changed_.end() ? view_.At(index) : &found->second;
}

}  // namespace berth::planner
