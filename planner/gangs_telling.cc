// What is told of gangs, for metrics and the log.

#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "planner/gangs.h"

namespace berth::planner {

std::string_view NameOf(GangEvent event) {
  static constexpr std::array<std::string_view, kGangEvents> kNames = {
      "collecting", "waiting", "planned", "released", "evicted", "left"};
  return kNames[static_cast<std::size_t>(event)];
}

GangChange Gangs::ChangeOf(const Record& gang, GangEvent event) {
  return {.namespace_ = gang.namespace_,
          .name = gang.name,
          .size = gang.said_size,
          .event = event,
          .reason = gang.reason,
          .created = std::get<1>(gang.place)};
}

void Gangs::TellLeft(const std::string& key, const Record& gang, Round& round) {
  // Nothing was ever known of one whose pods were deleted when they were first seen.
  if (gang.name.empty()) return;
  GangChange change = ChangeOf(gang, GangEvent::kLeft);
  change.reason.clear();
  if (round.gangs.running) change.running = round.gangs.running(key).size();
  round.changes.push_back(std::move(change));
}

void Gangs::TellReleased(const Record& gang, Round& round) {
  GangChange change = ChangeOf(gang, GangEvent::kReleased);
  change.spans = SpansOf(gang, round);
  round.changes.push_back(std::move(change));
}

std::vector<std::size_t> Gangs::SpansOf(const Record& gang, const Round& round) {
  // By the levels of the configuration, whatever the gang requires.
  const Topology& topology = TopologyFor("", round);
  std::vector<std::set<const Topology::Domain*>> domains(config_.topology.size());
  for (const Member& member : gang.members) {
    const auto node = round.view.Find(member.pod->Node());
    if (!node || (gang.asks && member.devices == 0)) continue;
    for (std::size_t level = 0; level < domains.size(); ++level) {
      domains[level].insert(&topology.Around(*node, level));
    }
  }
  std::vector<std::size_t> spans;
  spans.reserve(domains.size());
  for (const auto& level : domains) spans.push_back(level.size());
  return spans;
}

model::Time Gangs::OldestWaiting() const {
  model::Time oldest = model::kNoTime;
  for (const auto& [key, gang] : gangs_) {
    const model::Time created = std::get<1>(gang.place);
    const bool waits = gang.phase != GangPhase::kReleased && !gang.is_held_back;
    if (waits && (oldest == model::kNoTime || created < oldest)) oldest = created;
  }
  return oldest;
}

}  // namespace berth::planner
