#include "cluster/node_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cluster/condition_memory.h"

namespace berth::cluster {
namespace {

// What is left when `taken` is subtracted from `used`, without resources of which nothing is left.
model::Resources Difference(const model::Resources& used, const model::Resources& taken) {
  model::Resources left;
  for (const auto& [name, amount] : used) {
    const std::int64_t rest = amount - taken.Get(name);
    if (rest != 0) left.Set(name, rest);
  }
  return left;
}

// Guesses which names are looked up next: those of the nodes that follow the ones just found.
// kube-scheduler keeps nodes in the order in which they came, as the table does. Each of its 16
// workers takes a part of that order, and all append the nodes that pass to one list
// (findNodesThatPassFilters in pkg/scheduler/schedule_one.go, v1.36.3). So several names may be
// next, and they are told apart by their endings.
class NextNames {
 public:
  NextNames() { indices_.fill(kNoNode); }

  void Expect(std::string_view name, model::NodeIndex index) { indices_[SlotOf(name)] = index; }

  /// The only index at which `name` is expected, or kNoNode.
  model::NodeIndex Guess(std::string_view name) const { return indices_[SlotOf(name)]; }

 private:
  static constexpr std::size_t kSlots = 128;

  // Any two names that end in different pairs of digits have different slots.
  static std::size_t SlotOf(std::string_view name) {
    if (name.size() < 2) return 0;
    const auto byte = [&](std::size_t from_end) {
      return static_cast<unsigned char>(name[name.size() - from_end]);
    };
    return (11U * byte(2) + byte(1)) % kSlots;
  }

  std::array<model::NodeIndex, kSlots> indices_{};
};

}  // namespace

NodeTable::NodeTable() : by_name_(0, ByName{&names_}, ByName{&names_}) {}

const model::NodeState* NodeTable::At(model::NodeIndex index) const {
  if (index >= places_.size() || !Exists(index)) return nullptr;
  return &places_[index].state;
}

template <typename Name>
model::NodeIndex NodeTable::FindOne(const Name& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() || !Exists(*found) ? kNoNode : *found;
}

std::optional<model::NodeIndex> NodeTable::Find(std::string_view name) const {
  const model::NodeIndex index = FindOne(name);
  if (index == kNoNode) return std::nullopt;
  return index;
}

std::vector<model::NodeIndex> NodeTable::FindAll(std::span<const std::string_view> names) const {
  // Names that are hashed before the first of them is looked up. The waits for memory then overlap.
  constexpr std::size_t kAtOnce = 16;
  std::vector<model::NodeIndex> found;
  found.reserve(names.size());
  NextNames next;
  const auto expect_after = [&](model::NodeIndex index) {
    if (index < end() && index + 1 < end()) next.Expect(names_[index + 1], index + 1);
  };
  // Each place is written before it is read, and zeros would show in tests/bench/budgets.json.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  std::array<std::size_t, kAtOnce> places;
  std::array<HashedName, kAtOnce> hashed;
  while (found.size() < names.size()) {
    std::size_t sought = 0;
    const std::size_t until = std::min(found.size() + kAtOnce, names.size());
    for (std::size_t place = found.size(); place < until; ++place) {
      const std::string_view name = names[place];
      found.push_back(next.Guess(name));
      if (IsAt(found.back(), name)) {
        expect_after(found.back());
        continue;
      }
      places[sought] = place;
      hashed[sought] = {name, by_name_.hash_function()(name)};
      by_name_.prefetch(hashed[sought++]);
    }
    for (std::size_t i = 0; i < sought; ++i) {
      const model::NodeIndex index = found[places[i]] = FindOne(hashed[i]);
      expect_after(index);
    }
  }
  return found;
}

bool NodeTable::Upsert(model::Node node, std::uint64_t uid_hash,
                       model::AcceleratorCatalog::Index accelerator, model::Time now) {
  const model::NodeIndex known = FindOne(node.name);
  // A list does not say that one node was deleted and another created meanwhile.
  if (known != kNoNode && places_[known].uid_hash != uid_hash) Remove(known);
  const model::NodeIndex index = IndexOf(node.name);
  Place& place = places_[index];
  place.epoch = epoch_;
  place.uid_hash = uid_hash;
  model::NodeState& state = place.state;
  const bool moved = !Exists(index) || state.accelerator != accelerator;
  if (!moved && !state.quarantined && state.node == node) return false;
  // A place without a node has kNone as its accelerator, so that Remove() does nothing. It needs
  // what was remembered when the node was added.
  pools_.Remove(state.accelerator, state.node.conditions, state.past);
  RememberStatus(state.node.conditions, node.conditions, now, state.past);
  pools_.Add(accelerator, node.conditions, state.past);
  pools_.RemoveAvoided(state.node.annotations);
  pools_.AddAvoided(node.annotations);
  kept_.Remove(state.node.annotations);
  kept_.Add(node.annotations);
  state.node = std::move(node);
  state.accelerator = accelerator;
  state.quarantined = false;
  state.gpu = model::ReadGpuLabels(state.node.labels);
  state.digest = model::DigestOf(state.node.conditions, state.past);
  Changed(index);
  return moved;
}

void NodeTable::Quarantine(std::string_view name) {
  const model::NodeIndex index = IndexOf(name);
  Place& place = places_[index];
  place.epoch = epoch_;
  model::NodeState& state = place.state;
  if (std::exchange(state.quarantined, true)) return;
  if (!Exists(index)) {
    state.node.name = name;
    state.gpu = {};
    state.digest = model::DigestOf({});
  }
  Changed(index);
}

void NodeTable::Remove(std::string_view name) {
  const model::NodeIndex index = FindOne(name);
  if (index != kNoNode) Remove(index);
}

void NodeTable::EndReplace() {
  for (model::NodeIndex index = 0; index < end(); ++index) {
    if (Exists(index) && places_[index].epoch != epoch_) Remove(index);
  }
}

model::NodeIndex NodeTable::Hold(std::string_view name) {
  const model::NodeIndex index = IndexOf(name);
  ++places_[index].holds;
  return index;
}

void NodeTable::Release(model::NodeIndex index) {
  --places_[index].holds;
  FreeIfUnused(index);
}

void NodeTable::Add(model::NodeIndex index, const Demand& demand) {
  model::NodeState& state = places_[index].state;
  state.used.Add(demand.resources);
  state.pods += demand.pods;
  state.ports.insert(state.ports.end(), demand.ports.begin(), demand.ports.end());
  if (demand.pods > 0) state.bound.push_back(&demand);
  if (Exists(index)) Changed(index);
}

void NodeTable::Subtract(model::NodeIndex index, const Demand& demand) {
  model::NodeState& state = places_[index].state;
  state.used = Difference(state.used, demand.resources);
  state.pods -= demand.pods;
  for (const model::HostPort& port : demand.ports) {
    state.ports.erase(std::ranges::find(state.ports, port));
  }
  if (demand.pods > 0) state.bound.erase(std::ranges::find(state.bound, &demand));
  if (Exists(index)) Changed(index);
}

void NodeTable::Changed(model::NodeIndex index) {
  places_[index].state.version = ++generation_;
  versions_.Set(index, generation_);
}

void NodeTable::Remove(model::NodeIndex index) {
  model::NodeState& state = places_[index].state;
  pools_.Remove(state.accelerator, state.node.conditions, state.past);
  pools_.RemoveAvoided(state.node.annotations);
  kept_.Remove(state.node.annotations);
  state.node = {};
  state.past.clear();
  state.accelerator = model::AcceleratorCatalog::kNone;
  state.quarantined = false;
  places_[index].uid_hash = 0;
  versions_.Clear(index);
  ++generation_;
  FreeIfUnused(index);
}

void NodeTable::FreeIfUnused(model::NodeIndex index) {
  if (Exists(index) || places_[index].holds > 0) return;
  by_name_.erase(names_[index]);
  free_.push_back(index);
}

model::NodeIndex NodeTable::IndexOf(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return *found;
  model::NodeIndex index = end();
  if (free_.empty()) {
    places_.emplace_back();
    versions_.Add();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  names_.Set(index, name);
  by_name_.insert(index);
  return index;
}

}  // namespace berth::cluster
