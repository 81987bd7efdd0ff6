// Where the pods of gangs go.

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/node.h"
#include "planner/gangs.h"

namespace berth::planner {

using model::Pod;

void Gangs::Confirm(Round& round) {
  for (auto& [key, gang] : gangs_) {
    for (Member& member : gang.members) {
      const WaitingPod& pod = *member.pod;
      if (!pod.IsOurs() || pod.HasFailed()) continue;
      const auto node = round.view.Find(pod.Node());
      // One that is too large by now cannot be judged. What it holds counts until it is withdrawn.
      const bool is_judged = member.excess.empty();
      if (!node || (is_judged && !round.Of(*member.shape, pod.pod())->Fits(*node))) continue;
      round.Book(pod.pod(), *node);
      member.held = true;
    }
  }
}

Gangs::Alike Gangs::AlikeOf(const std::vector<Member*>& pods) {
  // By what is hardest to place: many accelerators. Of equal shapes the first rank comes first.
  std::map<std::pair<std::int64_t, std::string_view>, std::vector<Member*>> groups;
  for (Member* member : pods) groups[{-member->devices, *member->shape}].push_back(member);
  Alike alike;
  for (auto& [key, members] : groups) alike.push_back(std::move(members));
  return alike;
}

std::string Gangs::SignatureOf(const Record& gang, const Alike& pods, bool unkept) {
  std::string signature;
  for (const auto& members : pods) {
    signature += std::to_string(members.size()) + 'x' + *members.front()->shape + ';';
  }
  const model::Gang& said = gang.gang();
  return signature + said.topology + (said.any_models ? "|any" : "|one") + (unkept ? "|all" : "");
}

Gangs::Wanted Gangs::WantedOf(const Record& gang, const Alike& pods, bool unkept, Round& round) {
  Wanted wanted;
  for (const auto& members : pods) {
    const Member& first = *members.front();
    const Pod& pod = first.pod->pod();
    wanted.candidates.push_back(unkept ? round.OfUnkept(*first.shape, pod)
                                       : round.Of(*first.shape, pod));
    wanted.groups.push_back({.pod = &pod,
                             .candidates = wanted.candidates.back().get(),
                             .count = members.size(),
                             .asks = first.devices > 0 || !gang.asks});
    for (const auto& [resource, amount] : model::AcceleratorRequests(pod, round.engine.catalog())) {
      wanted.groups.back().devices.push_back(resource);
    }
  }
  return wanted;
}

const Topology& Gangs::TopologyOf(const Record& gang, const Round& round) {
  return TopologyFor(gang.gang().topology, round);
}

const Topology& Gangs::TopologyFor(const std::string& required, const Round& round) {
  std::vector<std::string> labels;
  for (const TopologyLevel& level : config_.topology) labels.push_back(level.label);
  const bool known = required.empty() || std::ranges::find(labels, required) != labels.end();
  std::unique_ptr<Topology>& topology = topologies_[known ? "" : required];
  // It may be wider or narrower than the levels. As the widest it divides them, which is right for
  // both: nodes of one domain always share it.
  if (!known) labels.push_back(required);
  if (topology == nullptr) topology = std::make_unique<Topology>(round.view, std::move(labels));
  return *topology;
}

GangPlacer::Limits Gangs::LimitsOf(const Record& gang, const Topology& topology,
                                   const Round& round) const {
  GangPlacer::Limits limits;
  if (!gang.gang().topology.empty()) limits.level = topology.LevelOf(gang.gang().topology);
  std::vector<std::string> nodes = gang.running;
  for (const Member& member : gang.members) {
    const bool counts = member.devices > 0 || !gang.asks;
    if (member.held && counts) nodes.push_back(member.pod->Node());
  }
  for (const std::string& name : nodes) {
    const auto node = round.view.Find(name);
    if (!node) continue;
    const auto model = round.view.At(*node)->accelerator;
    // In a gang that asks for accelerators, a pod that does not may run anywhere.
    if (gang.asks && model == model::AcceleratorCatalog::kNone) continue;
    if (limits.near.empty()) {
      if (gang.wants_one_model()) limits.model = model;
      if (limits.level) limits.within = &topology.Around(*node, *limits.level);
    }
    limits.near.push_back(*node);
  }
  return limits;
}

std::optional<GangPlacer::Places> Gangs::PlaceOnOneModel(const Record& gang, GangPlacer& placer,
                                                         GangPlacer::Limits limits) const {
  const std::vector<GangPlacer::Model> models = placer.Models();
  if (limits.model || !gang.wants_one_model() || models.empty()) return placer.Place(limits);
  for (const GangPlacer::Model model : models) {
    limits.model = model;
    if (auto places = placer.Place(limits)) return places;
  }
  return std::nullopt;
}

std::string Gangs::NameOf(std::optional<GangPlacer::Model> model, const Round& round) {
  const auto index = model.value_or(model::AcceleratorCatalog::kNone);
  return index == model::AcceleratorCatalog::kNone ? "" : round.engine.catalog()[index].name;
}

bool Gangs::PlaceMissing(Record& gang, const std::vector<Member*>& pods, Round& round) {
  std::vector<Member*> missing;
  for (Member* member : pods) {
    if (!member->held) missing.push_back(member);
  }
  gang.waits_for_turn = false;
  if (missing.empty()) return true;
  // What is kept for gangs that have not begun may serve one that has.
  const bool unkept = gang.released || std::ranges::all_of(missing, [&](const Member* member) {
                        return MayUseKept(member->pod->pod(), round);
                      });
  const Alike alike = AlikeOf(missing);
  if (alike.size() > kMostShapes) return false;
  const std::string signature = SignatureOf(gang, alike, unkept);
  const bool whole = missing.size() == gang.members.size() && !gang.released;
  if (const auto unfit = unfit_.find(signature); whole && unfit != unfit_.end()) {
    gang.fitting = unfit->second;
    return false;
  }
  // A gang that has begun may hold what others wait for, so it waits for nobody.
  gang.waits_for_turn = !gang.released && !turns_.Take(gang.turn, alike.size());
  if (gang.waits_for_turn) return false;
  const Wanted wanted = WantedOf(gang, alike, unkept, round);
  const Topology& topology = TopologyOf(gang, round);
  GangPlacer placer(topology, unkept && round.unkept ? *round.unkept : round.planned,
                    wanted.groups);
  const GangPlacer::Limits limits = LimitsOf(gang, topology, round);
  const auto places = PlaceOnOneModel(gang, placer, limits);
  if (!places) {
    const auto& [most, model] = placer.most();
    gang.fitting = {.pods = gang.members.size() - missing.size() + most,
                    .model = NameOf(model ? model : limits.model, round)};
    if (whole) unfit_[signature] = gang.fitting;
    return false;
  }
  for (std::size_t group = 0; group < places->size(); ++group) {
    for (std::size_t i = 0; i < (*places)[group].size(); ++i) {
      Nominate(gang, *alike[group][i], (*places)[group][i], round);
    }
  }
  return true;
}

void Gangs::PlaceOne(const Record& gang, Member& member, Round& round) {
  const WaitingPod& pod = *member.pod;
  const bool is_others = !pod.IsOurs() && !pod.Node().empty();
  const bool is_left = is_others || !member.excess.empty();
  if (is_left || pod.IsWithdrawn() || pod.IsBackingOff(round.now)) {
    if (pod.HasFailed()) Withdraw(gang, member, round);
    return;
  }
  const Topology& topology = TopologyOf(gang, round);
  GangPlacer::Limits limits = LimitsOf(gang, topology, round);
  limits.avoided = round.view.Find(pod.failed_node());
  // What is kept for gangs that have not begun may serve one that has.
  const Wanted wanted = WantedOf(gang, {{&member}}, true, round);
  GangPlacer placer(topology, round.unkept ? *round.unkept : round.planned, wanted.groups);
  auto places = placer.Place(limits);
  if (!places && limits.avoided) {
    limits.avoided.reset();
    places = placer.Place(limits);
  }
  if (places) return Nominate(gang, member, places->front().front(), round);
  if (pod.IsOurs()) Withdraw(gang, member, round);
}

std::string Gangs::WhyItWaits(const Record& gang, const Topology& topology, const Round& round) {
  const std::string& label = gang.gang().topology;
  const auto level = topology.LevelOf(label);
  if (level && topology.At(*level).empty()) return "no node has the label " + label;
  const std::string most = std::to_string(std::min(gang.fitting.pods, gang.members.size()));
  std::string reason = most + " of " + std::to_string(gang.members.size()) + " pods fit at once";
  if (gang.wants_one_model()) reason += " on nodes of one model";
  if (!gang.fitting.model.empty()) reason += " (" + gang.fitting.model + ")";
  if (!label.empty()) reason += " with the same " + label;
  if (!gang.possible) reason += ", and all of them would not fit even if nothing else ran there";
  // Where nothing is kept on purpose, there is nothing to say of it.
  const std::size_t beyond = gang.kept.beyond_share;
  if (beyond > 0 && gang.kept.nodes > 0) {
    reason += ", and room is kept on " + std::to_string(gang.kept.nodes) + " of " +
              std::to_string(gang.kept.nodes + beyond) + " nodes";
    const auto node = round.view.Find(gang.kept.places.back().node);
    const auto model = node ? round.view.At(*node)->accelerator : model::AcceleratorCatalog::kNone;
    const std::string name = NameOf(model, round);
    if (gang.wants_one_model() && !name.empty()) reason += " of " + name;
    reason += " (planner.gangs.maxShare)";
  }
  return reason;
}

void Gangs::Wait(Record& gang, Round& round) {
  gang.possible = Keep(gang, round);
  std::string reason = WhyItWaits(gang, TopologyOf(gang, round), round);
  if (gang.unplanned_at && !gang.trouble.empty()) reason += ", and " + gang.trouble;
  Enter(gang, GangPhase::kWaiting, std::move(reason), round);
  if (!gang.lacks_nodes) gang.lacks_nodes = round.now;
  const std::chrono::seconds limit = config_.gangs.ungate_after;
  const bool is_over =
      limit > std::chrono::seconds::zero() && *gang.lacks_nodes + limit <= round.now;
  // An autoscaler starts nodes only for pods without gates.
  if (!is_over) return;
  if (gang.unplanned_at && round.now < *gang.unplanned_at + kReleaseAgain) return;
  gang.unplanned_at = round.now;
  gang.unplanned = true;
  Release(gang, round);
}

}  // namespace berth::planner
