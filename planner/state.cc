#include "planner/state.h"

#include <array>

namespace berth::planner {

std::string_view NameOf(State state) {
  static constexpr std::array<std::string_view, kStates> kNames = {
      "nominated", "eviction",        "nominated_by_other", "withdrawn",   "head",
      "queued",    "no_node",         "left_to_scan",       "backing_off", "gated",
      "deleted",   "other_scheduler", "no_accelerator",
  };
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view NameOf(Outcome outcome) {
  static constexpr std::array<std::string_view, kOutcomes> kNames = {
      "bound", "gone", "withdrawn", "replaced", "cleared", "superseded", "evicted"};
  return kNames[static_cast<std::size_t>(outcome)];
}

}  // namespace berth::planner
