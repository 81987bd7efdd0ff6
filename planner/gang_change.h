#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace berth::planner {

/// What has become of a gang.
enum class GangEvent : std::uint8_t {
  /// The phases that it enters before its release; see GangPhase.
  kCollecting,
  kWaiting,
  kPlanned,
  /// Its gates are taken away.
  kReleased,
  /// It lacked some of its pods for too long, so all of them are evicted.
  kEvicted,
  /// None of its pods waits any more: they are bound, or gone.
  kLeft,
};
inline constexpr std::size_t kGangEvents = 6;

/// A word for metrics and the log: "collecting", "released".
std::string_view NameOf(GangEvent event);

/// Over how many domains of a level of `planner.topology` the pods of a gang are spread, those
/// without accelerators aside.
struct GangSpan {
  std::string label;
  /// 1 is best. 0: it was released without nodes.
  std::size_t domains = 0;

  friend bool operator==(const GangSpan&, const GangSpan&) = default;
};

/// A gang of which something new is to be said. A plain value.
struct GangChange {
  std::string namespace_;
  std::string name;
  std::size_t size = 0;
  GangEvent event = GangEvent::kCollecting;
  /// The time of the round that noticed it.
  model::Time time = model::kNoTime;
  /// Why, as in GangOutlook::reason. Empty if there is nothing to add.
  std::string reason = {};
  /// When the first of its pods was created.
  model::Time created = model::kNoTime;
  /// Of kReleased: one for each level of `planner.topology`.
  std::vector<GangSpan> spans = {};
  /// Of kLeft: how many of its pods run.
  std::size_t running = 0;

  friend bool operator==(const GangChange&, const GangChange&) = default;
};

}  // namespace berth::planner
