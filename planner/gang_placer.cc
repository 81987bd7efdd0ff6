#include "planner/gang_placer.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "model/resources.h"
#include "model/saturating.h"
#include "policies/fit/fit.h"

namespace berth::planner {

using model::NodeIndex;
using model::NodeState;

namespace {

void AppendNodes(const Topology::Domain& domain, std::vector<NodeIndex>& nodes) {
  for (const auto& [key, child] : domain.children) AppendNodes(*child, nodes);
  nodes.insert(nodes.end(), domain.nodes.begin(), domain.nodes.end());
}

// Takes from `missing` what a node has of it.
void Subtract(const model::Resources& allocatable, model::Resources& missing) {
  for (const auto& [name, amount] : allocatable) {
    if (missing.Get(name) > 0) missing.Add(name, -amount);
  }
}

// Whether the domain, or one around it, has that level.
bool IsBelow(const Topology::Domain& domain, std::size_t level) {
  const Topology::Domain* each = &domain;
  while (each != nullptr && each->level < level) each = each->parent;
  return each != nullptr && each->level == level;
}

bool IsWithin(const Topology::Domain& domain, const Topology::Domain* outer) {
  const Topology::Domain* each = &domain;
  while (each != nullptr && each != outer) each = each->parent;
  return outer == nullptr || each == outer;
}

}  // namespace

// One attempt to book all groups in a domain.
class GangPlacer::Trial {
 public:
  Trial(GangPlacer& placer, const Limits& limits)
      : placer_(placer),
        limits_(limits),
        // A view of the ledger, not a copy.
        scratch_(static_cast<const model::ClusterView&>(placer.ledger_)) {}

  // Books all pods of the group in the domain. Returns false if not all fit.
  bool Add(std::size_t group, const Domain& domain) {
    const std::size_t count = placer_.groups_[group].count;
    places_.emplace_back();
    const std::size_t there = std::min(Capacity(group, domain), count);
    Fill(group, domain, there);
    placed_ += there;
    auto& nodes = places_.back();
    std::ranges::stable_sort(nodes, {},
                             [this](NodeIndex node) { return placer_.topology_.PositionOf(node); });
    return there == count;
  }
  Places Take() { return std::move(places_); }
  std::size_t placed() const { return placed_; }

 private:
  // A domain or a node that has room for some pods.
  struct Part {
    // Whether it comes behind all nodes that have no flaw.
    bool last;
    std::size_t room;
    Candidates::Worth worth;
    const Domain* domain;  // or else:
    NodeIndex node;
  };

  std::size_t Room(std::size_t group, NodeIndex node) {
    if (!scratch_.HasBookings(node)) {
      return static_cast<std::size_t>(placer_.Room(group, node, limits_));
    }
    const PodGroup& pods = placer_.groups_[group];
    if (!placer_.Allows(group, node, limits_) || !pods.candidates->Fits(node)) return 0;
    return static_cast<std::size_t>(policies::fit::RoomFor(*pods.pod, *scratch_.At(node),
                                                           static_cast<std::int64_t>(pods.count)));
  }
  std::size_t Capacity(std::size_t group, const Domain& domain) {
    return placer_.Sum(domain, 2 * placer_.groups_[group].count,
                       [&](NodeIndex node) { return Room(group, node); });
  }

  std::vector<Part> PartsOf(std::size_t group, const Domain& domain) {
    std::vector<Part> parts;
    for (const auto& [key, child] : domain.children) {
      parts.push_back({false, Capacity(group, *child), 0, child.get(), 0});
    }
    for (const NodeIndex node : domain.nodes) {
      const std::size_t room = Room(group, node);
      if (room == 0) continue;
      const Candidates::Worth worth = placer_.groups_[group].candidates->Of(node);
      parts.push_back({Candidates::ComesLast(worth), room, worth, nullptr, node});
    }
    std::erase_if(parts, [](const Part& part) { return part.room == 0; });
    std::ranges::stable_sort(parts, [](const Part& one, const Part& other) {
      return std::tuple(one.last, other.room, other.worth) <
             std::tuple(other.last, one.room, one.worth);
    });
    return parts;
  }
  // Of the parts from `next` on, the smallest that holds `count` pods; the largest if none does.
  static std::size_t Choose(const std::vector<Part>& parts, std::size_t next, std::size_t count) {
    std::size_t best = next;
    for (std::size_t i = next; i < parts.size() && parts[i].last == parts[next].last; ++i) {
      if (parts[i].room < count) break;
      if (parts[i].room < parts[best].room) best = i;
    }
    return best;
  }
  // Books `count` pods, which the domain has room for, on as few parts as possible.
  void Fill(std::size_t group, const Domain& domain, std::size_t count) {
    if (count == 0) return;
    std::vector<Part> parts = PartsOf(group, domain);
    for (std::size_t next = 0; count > 0 && next < parts.size(); ++next) {
      std::swap(parts[next], parts[Choose(parts, next, count)]);
      const Part& part = parts[next];
      const std::size_t taken = std::min(count, part.room);
      count -= taken;
      if (part.domain != nullptr) {
        Fill(group, *part.domain, taken);
      } else {
        Book(group, part.node, taken);
      }
    }
  }
  void Book(std::size_t group, NodeIndex node, std::size_t count) {
    for (; count > 0; --count) {
      scratch_.Book(*placer_.groups_[group].pod, node);
      places_.back().push_back(node);
    }
  }

  GangPlacer& placer_;
  const Limits& limits_;
  PlannedView scratch_;
  Places places_;
  std::size_t placed_ = 0;
};

// The nodes of one domain on which room may be kept.
class GangPlacer::Picks {
 public:
  // How good they are. The greater one is the better one.
  struct Merit {
    // How many pods they are for.
    std::size_t pods = 0;
    // Whether room was kept in the domain last time.
    bool kept = false;
    // How many of the pods fit now, and how many devices of the nodes are free.
    std::int64_t room = 0;
    double free = 0;

    friend auto operator<=>(const Merit&, const Merit&) = default;
  };

  Picks(GangPlacer& placer, const Limits& limits, const Nodes& kept)
      : placer_(placer), limits_(limits), kept_(kept), places_(placer.groups_.size()) {}

  // Picks nodes of the domain for the pods of the group, beside those of the groups before.
  void Add(std::size_t group, const Domain& domain) {
    const std::size_t count = placer_.groups_[group].count;
    const std::span<const PodGroup> later = std::span(placer_.groups_).subspan(group + 1);
    const bool books = std::ranges::any_of(later, &PodGroup::asks);
    std::vector<NodeIndex>& nodes = places_[group];
    for (const Part& part : PartsOf(group, domain)) {
      const auto missing = static_cast<std::int64_t>(count - nodes.size());
      if (missing == 0) break;
      const std::int64_t taken = std::min(missing, part.idle);
      nodes.insert(nodes.end(), static_cast<std::size_t>(taken), part.node);
      merit_.room += std::min(taken, part.room);
      merit_.free += part.free;
      if (books) Book(*placer_.groups_[group].pod, part.node, taken);
    }
    merit_.pods += nodes.size();
  }
  const Merit& merit() const { return merit_; }
  Places Take() { return std::move(places_); }

 private:
  // A node on which some pods could run.
  struct Part {
    NodeIndex node;
    // For how many pods there would be room if nobody else ran there, and for how many there is.
    std::int64_t idle;
    std::int64_t room;
    bool kept;
    double free;
  };
  // What pods leave of a node, as far as RoomFor() reads it: those that were picked for it alone,
  // and all.
  struct Booked {
    NodeState idle;
    NodeState now;
  };

  std::vector<Part> PartsOf(std::size_t group, const Domain& domain) {
    std::vector<NodeIndex> nodes;
    AppendNodes(domain, nodes);
    std::vector<Part> parts;
    for (const NodeIndex node : nodes) {
      merit_.kept = merit_.kept || kept_.contains(node);
      const Part part = PartOf(group, node);
      if (part.idle > 0) parts.push_back(part);
    }
    // Pods that ask for whole nodes have room on none that is in use, be it nearly free or full. A
    // node that is a little freer than a kept one may be full again before it is kept. But one that
    // was filled before anybody heard that it is kept is not worth waiting for.
    const double lead = DevicesOf(placer_.groups_[group]) / 2;
    std::ranges::stable_sort(parts, std::ranges::greater(), [lead](const Part& part) {
      return std::pair(part.room, part.free + (part.kept ? lead : 0));
    });
    return parts;
  }
  Part PartOf(std::size_t group, NodeIndex node) {
    const PodGroup& pods = placer_.groups_[group];
    Part part{.node = node,
              .idle = placer_.IdleRoom(group, node, limits_),
              .room = 0,
              .kept = kept_.contains(node),
              .free = 0};
    if (part.idle == 0) return part;
    part.room = placer_.Room(group, node, limits_);
    const auto booked = booked_.find(node);
    const bool is_booked = booked != booked_.end();
    if (is_booked) {
      const auto count = static_cast<std::int64_t>(pods.count);
      part.idle = policies::fit::RoomFor(*pods.pod, booked->second.idle, count);
      if (part.room > 0) part.room = policies::fit::RoomFor(*pods.pod, booked->second.now, count);
    }
    part.free = Free(pods, is_booked ? booked->second.now : *placer_.ledger_.At(node));
    return part;
  }
  // How many devices one pod of the group asks for.
  static double DevicesOf(const PodGroup& pods) {
    double devices = 0;
    for (const std::string& name : pods.devices) {
      devices += static_cast<double>(pods.pod->requests.Get(name));
    }
    return devices;
  }
  // How many of the devices that the pods ask for are free. Below 0 where more than all of them are
  // promised or kept.
  static double Free(const PodGroup& pods, const NodeState& node) {
    double free = 0;
    for (const std::string& name : pods.devices) {
      // A difference of what somebody has written might not fit into an integer.
      free += static_cast<double>(node.node.allocatable.Get(name));
      free -= static_cast<double>(node.used.Get(name));
    }
    return free;
  }
  void Book(const model::Pod& pod, NodeIndex node, std::int64_t count) {
    const auto [found, is_new] = booked_.try_emplace(node);
    Booked& booked = found->second;
    if (is_new) {
      const NodeState& state = *placer_.ledger_.At(node);
      booked.idle.node.allocatable = booked.now.node.allocatable = state.node.allocatable;
      booked.now.used = state.used;
      booked.now.pods = state.pods;
      booked.now.ports = state.ports;
    }
    for (; count > 0; --count) {
      policies::fit::Book(pod, booked.idle);
      policies::fit::Book(pod, booked.now);
    }
  }

  GangPlacer& placer_;
  const Limits& limits_;
  const Nodes& kept_;
  absl::flat_hash_map<NodeIndex, Booked> booked_;
  Places places_;
  Merit merit_;
};

GangPlacer::GangPlacer(const Topology& topology, const PlannedView& ledger,
                       std::vector<PodGroup> groups)
    : topology_(topology),
      ledger_(ledger),
      groups_(std::move(groups)),
      room_(groups_.size(), std::vector<std::int64_t>(ledger.EndIndex(), -1)),
      idle_room_(room_) {}

bool GangPlacer::Allows(std::size_t group, NodeIndex node, const Limits& limits) const {
  if (limits.avoided == node) return false;
  if (!groups_[group].asks) return true;
  if (!allowed_.empty() && !allowed_[node]) return false;
  return !limits.model || ledger_.At(node)->accelerator == *limits.model;
}

std::int64_t GangPlacer::Room(std::size_t group, NodeIndex node, const Limits& limits) {
  const NodeState* const state = ledger_.At(node);
  if (state == nullptr || !Allows(group, node, limits)) return 0;
  std::int64_t& room = room_[group][node];
  const PodGroup& pods = groups_[group];
  if (room < 0) {
    const bool fits = pods.candidates->Fits(node);
    const auto count = static_cast<std::int64_t>(pods.count);
    room = fits ? policies::fit::RoomFor(*pods.pod, *state, count) : 0;
  }
  return room;
}

std::int64_t GangPlacer::IdleRoom(std::size_t group, NodeIndex node, const Limits& limits) {
  const NodeState* const state = ledger_.At(node);
  const PodGroup& pods = groups_[group];
  if (state == nullptr || !Allows(group, node, limits)) return 0;
  std::int64_t& room = idle_room_[group][node];
  if (room >= 0) return room;
  room = 0;
  if (!pods.candidates->FitsIdle(node)) return room;
  NodeState idle;
  idle.node.allocatable = state->node.allocatable;
  return room = policies::fit::RoomFor(*pods.pod, idle, static_cast<std::int64_t>(pods.count));
}

template <typename RoomOf>
std::size_t GangPlacer::Sum(const Domain& domain, std::size_t most, RoomOf room) const {
  std::size_t sum = 0;
  for (const auto& [key, child] : domain.children) {
    if (sum < most) sum += Sum(*child, most, room);
  }
  for (const NodeIndex node : domain.nodes) {
    if (sum < most) sum += room(node);
  }
  return sum;
}

std::size_t GangPlacer::Capacity(std::size_t group, const Domain& domain, const Limits& limits) {
  // Twice the size, so that of two domains that hold the group the smaller one can be told.
  return Sum(domain, 2 * groups_[group].count,
             [&](NodeIndex node) { return static_cast<std::size_t>(Room(group, node, limits)); });
}

std::size_t GangPlacer::WidestLevel(const Limits& limits) const {
  return limits.level.value_or(topology_.labels().size());
}

void GangPlacer::NoteMost(std::size_t pods, const Limits& limits) {
  if (pods > most_.pods) most_ = {.pods = pods, .model = limits.model};
}

std::vector<const Topology::Domain*> GangPlacer::Holding(std::size_t level, const Limits& limits) {
  std::vector<std::pair<std::size_t, const Domain*>> holding;
  for (const Domain* domain : topology_.At(level)) {
    if (!IsWithin(*domain, limits.within)) continue;
    // A rack whose nodes lack the required label of a zone is in no zone.
    if (limits.level && !IsBelow(*domain, *limits.level)) continue;
    const std::size_t capacity = Capacity(0, *domain, limits);
    NoteMost(std::min(capacity, groups_[0].count), limits);
    if (capacity >= groups_[0].count) holding.emplace_back(capacity, domain);
  }
  std::ranges::stable_sort(holding, {}, [](const auto& each) { return each.first; });
  std::vector<const Domain*> domains;
  domains.reserve(holding.size());
  for (const auto& [capacity, domain] : holding) domains.push_back(domain);
  return domains;
}

std::optional<GangPlacer::Places> GangPlacer::Place(const Limits& limits) {
  if (groups_.empty()) return Places{};
  const bool is_near = groups_[0].asks && !limits.near.empty();
  for (std::size_t level = 0; is_near && level < topology_.labels().size(); ++level) {
    AllowAround(limits.near, level);
    auto places = PlaceInAny(limits);
    allowed_.clear();
    if (places) return places;
  }
  return PlaceInAny(limits);
}

void GangPlacer::AllowAround(const std::vector<NodeIndex>& others, std::size_t level) {
  std::set<const Domain*> domains;
  for (const NodeIndex node : others) domains.insert(&topology_.Around(node, level));
  allowed_.assign(ledger_.EndIndex(), false);
  for (NodeIndex node = 0; node < ledger_.EndIndex(); ++node) {
    if (ledger_.At(node) == nullptr) continue;
    allowed_[node] = domains.contains(&topology_.Around(node, level));
  }
}

std::optional<GangPlacer::Places> GangPlacer::PlaceInAny(const Limits& limits) {
  const std::size_t widest = groups_[0].asks ? WidestLevel(limits) : topology_.labels().size();
  for (std::size_t level = groups_[0].asks ? 0 : widest; level <= widest; ++level) {
    for (const Domain* domain : Holding(level, limits)) {
      if (auto places = Try(*domain, limits)) return places;
    }
  }
  return std::nullopt;
}

std::optional<GangPlacer::Places> GangPlacer::Try(const Domain& domain, const Limits& limits) {
  Trial trial(*this, limits);
  bool all = true;
  for (std::size_t group = 0; group < groups_.size() && all; ++group) {
    all = trial.Add(group, groups_[group].asks ? domain : topology_.cluster());
  }
  if (all) return trial.Take();
  NoteMost(trial.placed(), limits);
  return std::nullopt;
}

std::vector<GangPlacer::Model> GangPlacer::Models() {
  std::map<Model, Candidates::Worth> best;
  for (NodeIndex node = 0; node < ledger_.EndIndex(); ++node) {
    const NodeState* const state = ledger_.At(node);
    if (state == nullptr || groups_.empty() || !groups_[0].asks) continue;
    if (!groups_[0].candidates->FitsIdle(node)) continue;
    Candidates::Worth& worth = best[state->accelerator];
    worth = std::max(worth, groups_[0].candidates->Of(node));
  }
  std::vector<Model> models;
  models.reserve(best.size());
  for (const auto& [model, worth] : best) models.push_back(model);
  std::ranges::stable_sort(models, std::ranges::greater(),
                           [&best](Model model) { return best.at(model); });
  return models;
}

bool GangPlacer::HoldsIdle(const Domain& domain, const Limits& limits) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const Domain& where = groups_[group].asks ? domain : topology_.cluster();
    const std::size_t capacity = Sum(where, groups_[group].count, [&](NodeIndex node) {
      return static_cast<std::size_t>(IdleRoom(group, node, limits));
    });
    if (capacity < groups_[group].count) return false;
  }
  return groups_.size() == 1 || HoldsSumIdle(domain, limits);
}

bool GangPlacer::HoldsSumIdle(const Domain& domain, const Limits& limits) {
  model::Resources missing;
  for (const PodGroup& group : groups_) {
    const auto count = static_cast<std::int64_t>(group.count);
    for (const auto& [name, amount] : group.pod->requests) {
      if (group.asks) missing.Add(name, model::SaturatingMultiply(amount, count));
    }
  }
  std::vector<NodeIndex> nodes;
  AppendNodes(domain, nodes);
  for (const NodeIndex node : nodes) {
    const auto serves = [&](std::size_t group) {
      return groups_[group].asks && IdleRoom(group, node, limits) > 0;
    };
    std::size_t group = 0;
    while (group < groups_.size() && !serves(group)) ++group;
    if (group < groups_.size()) Subtract(ledger_.At(node)->node.allocatable, missing);
  }
  return std::ranges::all_of(missing, [](const auto& each) { return each.second <= 0; });
}

std::optional<GangPlacer::Places> GangPlacer::PlaceIdle(const Limits& limits, const Nodes& kept) {
  std::optional<Places> places;
  Picks::Merit best;
  for (const Domain* domain : topology_.At(WidestLevel(limits))) {
    if (!IsWithin(*domain, limits.within) || !HoldsIdle(*domain, limits)) continue;
    Picks picks(*this, limits, kept);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (groups_[group].asks) picks.Add(group, *domain);
    }
    if (places && !(picks.merit() > best)) continue;
    best = picks.merit();
    places = picks.Take();
  }
  return places;
}

}  // namespace berth::planner
