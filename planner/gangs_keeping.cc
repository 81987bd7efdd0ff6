// Which room is kept for gangs that wait.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/accelerator_requests.h"
#include "model/node.h"
#include "planner/gangs.h"
#include "policies/scheduling/max_runtime.h"

namespace berth::planner {

using model::NodeIndex;
using model::Pod;

bool Gangs::Keep(Record& gang, Round& round) {
  if (gang.kept.vain_until && round.now < *gang.kept.vain_until) {
    ForgetKept(gang);
    return gang.possible;
  }
  const Alike alike = AlikeOf(MembersOf(gang));
  if (keeping_ >= kMostKept || !turns_.Take(gang.turn, alike.size())) {
    KeepAsBefore(gang, round);
    return gang.possible;
  }
  const GangPlacer::Nodes before = KeptNodes(gang, round);
  // What was free while nobody kept it tells nothing.
  if (before.empty()) gang.kept.all_free.reset();
  ForgetKept(gang);
  const Wanted wanted = WantedOf(gang, alike, false, round);
  const Topology& topology = TopologyOf(gang, round);
  GangPlacer placer(topology, round.planned, wanted.groups);
  std::vector<GangPlacer::Limits> choices;
  GangPlacer::Limits limits;
  if (!gang.gang().topology.empty()) limits.level = topology.LevelOf(gang.gang().topology);
  std::vector<GangPlacer::Model> models = placer.Models();
  // The best one is the one with a free node, and may be another the next moment.
  if (!before.empty()) {
    // That of std::ranges returns a subrange, which clang 14 cannot compile with libstdc++ 12.
    std::stable_partition(models.begin(), models.end(), [&](const GangPlacer::Model model) {
      return model == round.view.At(*before.begin())->accelerator;
    });
  }
  const bool one = gang.wants_one_model();
  if (!one || models.empty()) choices.push_back(limits);
  for (const GangPlacer::Model model : models) {
    limits.model = model;
    if (one) choices.push_back(limits);
  }
  for (const GangPlacer::Limits& choice : choices) {
    const auto places = placer.PlaceIdle(choice, before);
    if (!places) continue;
    std::vector<KeptPlace> kept;
    for (std::size_t group = 0; group < places->size(); ++group) {
      for (std::size_t i = 0; i < (*places)[group].size(); ++i) {
        kept.push_back(
            {round.view.At((*places)[group][i])->node.name, alike[group][i]->pod->pod().uid});
      }
    }
    KeepPlaces(gang, kept, round);
    if (IsKeptInVain(gang, round)) {
      ForgetKept(gang);
      gang.kept.vain_until = round.now + kKeepAgain;
    }
    return true;
  }
  return false;
}

void Gangs::KeepPlaces(Record& gang, const std::vector<KeptPlace>& places, Round& round) {
  gang.kept.until = KeptUntil(gang, round.time);
  absl::flat_hash_map<std::string_view, const Pod*> pods;
  for (const Member& member : gang.members) {
    pods.emplace(member.pod->pod().uid, &member.pod->pod());
  }
  std::set<NodeIndex> allowed;
  std::set<NodeIndex> beyond;
  bool any = false;
  for (const KeptPlace& place : places) {
    const auto node = round.view.Find(place.node);
    const auto found = pods.find(place.uid);
    // Nothing is kept for a pod that is gone.
    if (!node || found == pods.end()) continue;
    const Pod& pod = *found->second;
    const auto model = round.view.At(*node)->accelerator;
    const auto nodes = static_cast<double>(round.view.Pools().Nodes(model));
    const auto most = static_cast<std::size_t>(std::floor(config_.gangs.max_share * nodes));
    std::set<NodeIndex>& kept = kept_[model];
    if (kept.size() >= most && !kept.contains(*node)) {
      beyond.insert(*node);
      continue;
    }
    any = kept.insert(*node).second || any;
    allowed.insert(*node);
    round.Keep(pod, *node, gang.kept.until);
    gang.kept.places.push_back(place);
    for (const auto& [resource, amount] : model::AcceleratorRequests(pod, round.engine.catalog())) {
      gang.kept.devices[{place.node, resource}] += amount;
    }
  }
  gang.kept.nodes = allowed.size();
  gang.kept.beyond_share += beyond.size();
  if (any) ++keeping_;
}

bool Gangs::IsKeptInVain(Record& gang, const Round& round) {
  // The ledger has what is kept for this gang, too. What is also kept for one before it is not free
  // for it: it waits for nothing but its turn.
  const auto is_free = [&round](const auto& kept) {
    const auto& [name, resource] = kept.first;
    const model::NodeState& node = *round.planned.At(*round.view.Find(name));
    return node.used.Get(resource) <= node.node.allocatable.Get(resource);
  };
  const bool all_free =
      !gang.kept.devices.empty() && std::ranges::all_of(gang.kept.devices, is_free);
  if (!all_free) {
    gang.kept.all_free.reset();
    return false;
  }
  if (!gang.kept.all_free) gang.kept.all_free = round.now;
  return *gang.kept.all_free + kAllFree <= round.now;
}

void Gangs::KeepAsBefore(Record& gang, Round& round) {
  const std::vector<KeptPlace> places = std::exchange(gang.kept.places, {});
  const std::size_t beyond_share = gang.kept.beyond_share;
  ForgetKept(gang);
  if (keeping_ >= kMostKept) return;
  gang.kept.beyond_share = beyond_share;
  KeepPlaces(gang, places, round);
}

void Gangs::ForgetKept(Record& gang) {
  gang.kept.places.clear();
  gang.kept.devices.clear();
  gang.kept.nodes = 0;
  gang.kept.beyond_share = 0;
}

GangPlacer::Nodes Gangs::KeptNodes(const Record& gang, const Round& round) {
  GangPlacer::Nodes nodes;
  for (const KeptPlace& place : gang.kept.places) {
    if (const auto node = round.view.Find(place.node)) nodes.insert(*node);
  }
  return nodes;
}

model::Time Gangs::KeptUntil(const Record& gang, model::Time now) const {
  const model::Duration span = config_.gangs.backfill;
  if (span == model::Duration::zero()) return now;
  // The waiting is divided into spans, and at the end of each nobody else runs there: so the gang
  // starts no later than one span after the last pod that was there before.
  const model::Time since = std::get<1>(gang.place);
  const auto waited = std::max(now - since, model::Duration::zero());
  return since + (waited / span + 1) * span;
}

std::map<std::string, std::vector<model::KeptRoom>> Gangs::KeptRooms() const {
  std::map<std::string, std::vector<model::KeptRoom>> rooms;
  for (const auto& [key, gang] : gangs_) {
    const auto [negative_priority, created] = gang.place;
    for (const auto& [place, devices] : gang.kept.devices) {
      const auto& [node, resource] = place;
      rooms[node].push_back({.gang = key,
                             .resource = resource,
                             .devices = devices,
                             .priority = static_cast<std::int32_t>(-negative_priority),
                             .created = created,
                             .ends_by = gang.kept.until});
    }
  }
  return rooms;
}

bool Gangs::MayUseKept(const Pod& pod, const Round& round) const {
  if (!round.unkept) return false;
  const auto runtime = policies::scheduling::MaxRuntimeOf(pod, runtime_annotation_);
  return runtime && model::SaturatingAdd(round.time, *runtime) <= round.kept_until;
}

}  // namespace berth::planner
