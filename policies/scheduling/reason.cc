#include "policies/scheduling/reason.h"

#include <utility>

namespace berth::policies::scheduling {

ReasonId ReasonTable::Intern(Reason reason) {
  // A linear search suffices: there are a few dozen reasons, interned only while the configuration
  // is loaded.
  for (std::size_t id = 1; id < reasons_.size(); ++id) {
    if (reasons_[id].policy == reason.policy && reasons_[id].text == reason.text) {
      return static_cast<ReasonId>(id);
    }
  }
  reasons_.push_back(std::move(reason));
  return static_cast<ReasonId>(reasons_.size() - 1);
}

}  // namespace berth::policies::scheduling
