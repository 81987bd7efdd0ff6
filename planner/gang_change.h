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

/// A gang of which something new is to be said. A plain value.
struct GangChange {
  std::string namespace_;
  std::string name;
  std::size_t size = 0;
  GangEvent event = GangEvent::kCollecting;
  /// Why, as in GangOutlook::reason. Empty if there is nothing to add.
  std::string reason = {};
  /// When the first of its pods was created.
  model::Time created = model::kNoTime;
  /// Of kReleased: over how many domains of each level of `planner.topology` its pods are spread,
  /// those without accelerators aside. 1 is best.
  std::vector<std::size_t> spans = {};
  /// Of kLeft: how many of its pods run.
  std::size_t running = 0;

  friend bool operator==(const GangChange&, const GangChange&) = default;
};

}  // namespace berth::planner
