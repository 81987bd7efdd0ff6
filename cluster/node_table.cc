#include "cluster/node_table.h"

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

NodeTable::NodeTable() : by_name_(0, ByName{&places_}, ByName{&places_}) {}

const model::NodeState* NodeTable::At(model::NodeIndex index) const {
  if (index >= places_.size() || !places_[index].exists) return nullptr;
  return &places_[index].state;
}

std::optional<model::NodeIndex> NodeTable::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || !places_[*found].exists) return std::nullopt;
  return *found;
}

bool NodeTable::Upsert(model::Node node, model::AcceleratorCatalog::Index accelerator) {
  Place& place = places_[IndexOf(node.name)];
  place.epoch = epoch_;
  model::NodeState& state = place.state;
  const bool moved = !place.exists || state.accelerator != accelerator;
  if (!moved && state.node == node) return false;
  // Of a place without a node there is nothing to take off: it is of no accelerator.
  pools_.Remove(state.accelerator, state.node.conditions);
  pools_.Add(accelerator, node.conditions);
  place.exists = true;
  state.node = std::move(node);
  state.accelerator = accelerator;
  state.gpu = model::ReadGpuLabels(state.node.labels);
  Changed(place);
  return moved;
}

void NodeTable::Remove(std::string_view name) {
  const std::optional<model::NodeIndex> index = Find(name);
  if (index) Remove(places_[*index]);
}

void NodeTable::EndReplace() {
  for (Place& place : places_) {
    if (place.exists && place.epoch != epoch_) Remove(place);
  }
}

model::NodeIndex NodeTable::Hold(std::string_view name) {
  const model::NodeIndex index = IndexOf(name);
  ++places_[index].holds;
  return index;
}

void NodeTable::Release(model::NodeIndex index) {
  --places_[index].holds;
  FreeIfUnused(places_[index]);
}

void NodeTable::AddUsed(model::NodeIndex index, std::string_view resource, std::int64_t amount) {
  if (amount == 0) return;
  Place& place = places_[index];
  place.state.used.Add(resource, amount);
  if (amount < 0) place.state.used = WithoutZeros(place.state.used);
  Changed(place);
}

void NodeTable::Remove(Place& place) {
  pools_.Remove(place.state.accelerator, place.state.node.conditions);
  model::Node bare;
  bare.name = std::move(place.state.node.name);
  place.exists = false;
  place.state.node = std::move(bare);
  place.state.accelerator = model::AcceleratorCatalog::kNone;
  Changed(place);
  FreeIfUnused(place);
}

void NodeTable::FreeIfUnused(Place& place) {
  if (place.exists || place.holds > 0) return;
  const auto found = by_name_.find(std::string_view(place.state.node.name));
  free_.push_back(*found);
  by_name_.erase(found);
}

model::NodeIndex NodeTable::IndexOf(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return *found;
  model::NodeIndex index = end();
  if (free_.empty()) {
    places_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  places_[index].state.node.name = name;
  by_name_.insert(index);
  return index;
}

}  // namespace berth::cluster
