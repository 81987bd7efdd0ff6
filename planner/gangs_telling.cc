// What is told of gangs, for metrics and the log.

#include <algorithm>
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

std::vector<GangOutlook> Gangs::Outlooks() const {
  std::vector<GangOutlook> outlooks;
  outlooks.reserve(gangs_.size());
  for (const auto& [key, gang] : gangs_) outlooks.push_back(OutlookOf(gang));
  return outlooks;
}

GangOutlook Gangs::OutlookOf(const Record& gang) {
  const auto [negative_priority, created] = gang.place;
  // Of the members only their number: their pods may be gone since the last round.
  return {.namespace_ = gang.namespace_,
          .name = gang.name,
          .phase = gang.phase,
          .size = gang.said_size,
          .waiting = gang.members.size(),
          .running = gang.running.size(),
          .reason = gang.reason,
          .priority = static_cast<std::int32_t>(-negative_priority),
          .created = created,
          .since = gang.since_time,
          .spans = gang.spans};
}

GangChange Gangs::ChangeOf(const Record& gang, GangEvent event, const Round& round) {
  return {.namespace_ = gang.namespace_,
          .name = gang.name,
          .size = gang.said_size,
          .event = event,
          .time = round.time,
          .reason = gang.reason,
          .created = std::get<1>(gang.place)};
}

void Gangs::Leave(const std::string& key, const Record& gang, const Round& round) {
  // Nothing was ever known of one whose pods were deleted when they were first seen.
  if (gang.name.empty()) return;
  GangChange change = ChangeOf(gang, GangEvent::kLeft, round);
  change.reason.clear();
  left_.insert_or_assign(key, Left{.change = std::move(change), .needed = gang.needed});
}

void Gangs::TellLeft(Round& round) {
  const auto is_certain = [&](const std::string& key) {
    const bool starts_anew = gangs_.contains(key);
    return starts_anew || !round.leaving.contains(key);
  };
  for (auto& [key, left] : left_) {
    if (!is_certain(key)) continue;
    GangChange& change = left.change;
    if (round.gangs.running) change.running = round.gangs.running(key).size();
    if (left.needed > 0 && change.running >= left.needed) rests_.OnRan(key);
    change.time = round.time;
    round.changes.push_back(change);
  }
  std::erase_if(left_, [&](const auto& entry) { return is_certain(entry.first); });
}

void Gangs::TellReleased(Record& gang, Round& round) {
  gang.spans = SpansOf(gang, round);
  GangChange change = ChangeOf(gang, GangEvent::kReleased, round);
  change.spans = gang.spans;
  round.changes.push_back(std::move(change));
}

std::vector<GangSpan> Gangs::SpansOf(const Record& gang, const Round& round) {
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
  std::vector<GangSpan> spans;
  spans.reserve(domains.size());
  for (std::size_t level = 0; level < domains.size(); ++level) {
    spans.push_back({config_.topology[level].label, domains[level].size()});
  }
  return spans;
}

bool Gangs::IsAnyPaused() const {
  return std::ranges::any_of(gangs_,
                             [](const auto& each) { return each.second.paused.has_value(); });
}

Gangs::Clock::duration Gangs::LongestIncomplete() const {
  Clock::duration longest = Clock::duration::zero();
  if (!round_) return longest;
  for (const auto& [key, gang] : gangs_) {
    if (gang.phase != GangPhase::kReleased || !gang.incomplete || IsFreed(gang)) continue;
    // While nothing is known of its PodGroup, its clocks stand still.
    const Clock::duration span = gang.paused.value_or(*round_) - *gang.incomplete;
    if (span >= config_.gangs.timeout) longest = std::max(longest, span);
  }
  return longest;
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
