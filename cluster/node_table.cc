#include "cluster/node_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::cluster {
namespace {

model::Resources WithoutZeros(const model::Resources& resources) {
  model::Resources kept;
  for (const auto& [name, amount] : resources) {
    if (amount != 0) kept.Set(name, amount);
  }
  return kept;
}

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
  // So many are hashed before the first is looked up: memory is waited for once, and not each time.
  constexpr std::size_t kAtOnce = 16;
  std::vector<model::NodeIndex> found;
  found.reserve(names.size());
  std::array<HashedName, kAtOnce> hashed;
  while (!names.empty()) {
    const std::size_t count = std::min(kAtOnce, names.size());
    for (std::size_t i = 0; i < count; ++i) {
      hashed[i] = {names[i], by_name_.hash_function()(names[i])};
      by_name_.prefetch(hashed[i]);
    }
    for (std::size_t i = 0; i < count; ++i) found.push_back(FindOne(hashed[i]));
    names = names.subspan(count);
  }
  return found;
}

bool NodeTable::Upsert(model::Node node, model::AcceleratorCatalog::Index accelerator) {
  const model::NodeIndex index = IndexOf(node.name);
  Place& place = places_[index];
  place.epoch = epoch_;
  model::NodeState& state = place.state;
  const bool moved = !Exists(index) || state.accelerator != accelerator;
  if (!moved && state.node == node) return false;
  // Of a place without a node there is nothing to take off: it is of no accelerator.
  pools_.Remove(state.accelerator, state.node.conditions);
  pools_.Add(accelerator, node.conditions);
  state.node = std::move(node);
  state.accelerator = accelerator;
  state.gpu = model::ReadGpuLabels(state.node.labels);
  state.digest = model::DigestOf(state.node.conditions);
  Changed(index);
  return moved;
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

void NodeTable::AddUsed(model::NodeIndex index, std::string_view resource, std::int64_t amount) {
  if (amount == 0) return;
  model::Resources& used = places_[index].state.used;
  used.Add(resource, amount);
  if (amount < 0) used = WithoutZeros(used);
  if (Exists(index)) Changed(index);
}

void NodeTable::Changed(model::NodeIndex index) {
  places_[index].state.version = ++generation_;
  versions_.Set(index, generation_);
}

void NodeTable::Remove(model::NodeIndex index) {
  model::NodeState& state = places_[index].state;
  pools_.Remove(state.accelerator, state.node.conditions);
  state.node = {};
  state.accelerator = model::AcceleratorCatalog::kNone;
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
