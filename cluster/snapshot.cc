#include "cluster/snapshot.h"

#include <utility>

namespace berth::cluster {

Snapshot::Reader::Reader(const NodeTable* nodes, std::shared_lock<std::shared_mutex> lock)
    : nodes_(nodes), lock_(std::move(lock)) {}

model::NodeIndex Snapshot::Reader::EndIndex() const { return nodes_->end(); }

const model::NodeState* Snapshot::Reader::At(model::NodeIndex index) const {
  return nodes_->At(index);
}

std::optional<model::NodeIndex> Snapshot::Reader::Find(std::string_view name) const {
  return nodes_->Find(name);
}

const model::PoolStats& Snapshot::Reader::Pools() const { return nodes_->pools(); }

std::uint64_t Snapshot::Reader::Generation() const { return nodes_->generation(); }

Snapshot::Snapshot(Options options)
    : catalog_(std::move(options.catalog)),
      trimmer_(catalog_, options.labels),
      on_ambiguous_(std::move(options.on_ambiguous)),
      pods_(catalog_, &nodes_) {}

Snapshot::Reader Snapshot::Read() const {
  const std::lock_guard<std::mutex> gate(gate_);
  return {&nodes_, std::shared_lock(mutex_)};
}

std::unique_lock<std::shared_mutex> Snapshot::Lock() {
  const std::lock_guard<std::mutex> gate(gate_);
  return std::unique_lock(mutex_);
}

void Snapshot::UpsertNode(model::Node node) {
  node = trimmer_.Trim(std::move(node));
  const model::AcceleratorCatalog::Index accelerator = catalog_->Match(node);
  const auto hidden =
      on_ambiguous_ ? catalog_->HiddenBy(accelerator, node) : model::AcceleratorCatalog::kNone;
  const std::string name = node.name;
  const bool moved = Put(std::move(node), accelerator);
  if (moved && hidden != model::AcceleratorCatalog::kNone) {
    on_ambiguous_(name, accelerator, hidden);
  }
}

bool Snapshot::Put(model::Node node, model::AcceleratorCatalog::Index accelerator) {
  const auto lock = Lock();
  return nodes_.Upsert(std::move(node), accelerator);
}

void Snapshot::DeleteNode(std::string_view name) {
  const auto lock = Lock();
  nodes_.Remove(name);
}

void Snapshot::UpsertPod(const model::Pod& pod) {
  const auto lock = Lock();
  pods_.Upsert(pod);
}

void Snapshot::DeletePod(const model::Pod& pod) {
  const auto lock = Lock();
  pods_.Remove(pod);
}

void Snapshot::BeginReplace(Kind kind) {
  const auto lock = Lock();
  if (kind == Kind::kNodes) {
    nodes_.BeginReplace();
  } else {
    pods_.BeginReplace();
  }
}

void Snapshot::EndReplace(Kind kind) {
  {
    const auto lock = Lock();
    if (kind == Kind::kNodes) {
      nodes_.EndReplace();
    } else {
      pods_.EndReplace();
    }
  }
  ProgressOf(kind).listed = true;
}

bool Snapshot::Synced() const {
  return ProgressOf(Kind::kNodes).listed && ProgressOf(Kind::kPods).listed;
}

void Snapshot::MarkHeard(Kind kind, Clock::time_point now) {
  ProgressOf(kind).last_heard = now.time_since_epoch();
  ProgressOf(kind).heard = true;
}

std::optional<Snapshot::Clock::time_point> Snapshot::LastHeard(Kind kind) const {
  if (!ProgressOf(kind).heard) return std::nullopt;
  return Clock::time_point(ProgressOf(kind).last_heard.load());
}

}  // namespace berth::cluster
