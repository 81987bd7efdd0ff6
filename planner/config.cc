#include "planner/config.h"

#include <algorithm>
#include <cstddef>

namespace berth::planner {

std::vector<model::FieldError> Validate(const PlannerConfig& config) {
  constexpr std::int32_t kMostPods = 10000;
  std::vector<model::FieldError> errors;
  const auto& schedulers = config.schedulers;
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    const std::string path = "planner.schedulers[" + std::to_string(i) + "]";
    const auto before = schedulers.begin() + static_cast<std::ptrdiff_t>(i);
    if (schedulers[i].empty()) {
      errors.push_back({path,
                        "must not be empty; write the schedulerName of a profile, such as "
                        "berth"});
    } else if (std::find(schedulers.begin(), before, schedulers[i]) != before) {
      errors.push_back({path, "\"" + schedulers[i] + "\" is listed twice; remove one"});
    }
  }
  if (config.backlog.pods < 0 || config.backlog.pods > kMostPods) {
    errors.push_back({"planner.backlog.pods",
                      "must be from 0 to 10000, got " + std::to_string(config.backlog.pods)});
  }
  return errors;
}

}  // namespace berth::planner
