#include "cluster/snapshot.h"

#include <utility>

#include "absl/hash/hash.h"

namespace berth::cluster {

Snapshot::Reader::Reader(const Snapshot* snapshot, std::shared_lock<std::shared_mutex> lock)
    : snapshot_(snapshot), lock_(std::move(lock)) {}

model::NodeIndex Snapshot::Reader::EndIndex() const { return snapshot_->nodes_.end(); }

const model::NodeState* Snapshot::Reader::At(model::NodeIndex index) const {
  return snapshot_->nodes_.At(index);
}

std::optional<model::NodeIndex> Snapshot::Reader::Find(std::string_view name) const {
  return snapshot_->nodes_.Find(name);
}

std::vector<model::NodeIndex> Snapshot::Reader::FindAll(
    std::span<const std::string_view> names) const {
  return snapshot_->nodes_.FindAll(names);
}

const NodeVersions& Snapshot::Reader::Versions() const { return snapshot_->nodes_.versions(); }

const model::PoolStats& Snapshot::Reader::Pools() const { return snapshot_->nodes_.pools(); }

std::optional<model::PlanningPlace> Snapshot::Reader::LastKept(
    const model::PlanningPlace& place) const {
  return snapshot_->nodes_.kept().LastUpTo(place);
}

std::uint64_t Snapshot::Reader::Generation() const { return snapshot_->nodes_.generation(); }

bool Snapshot::Reader::WasSeenBound(const std::string& key, const std::string& uid) const {
  return snapshot_->pods_.WasSeen(key, uid);
}

const PodLedger& Snapshot::Reader::BoundPods() const { return snapshot_->pods_; }

const GangPods& Snapshot::Reader::Gangs() const { return snapshot_->gangs_; }

const TerminatingPods& Snapshot::Reader::Terminating() const { return snapshot_->terminating_; }

const CheckpointTimes& Snapshot::Reader::Checkpoints() const { return snapshot_->checkpoints_; }

bool Snapshot::Reader::AffinitySelects(const model::Pod& pod) const {
  // The index stores nothing of pods without terms, so a pod in quarantine may have terms that are
  // not in the index.
  return !Quarantined(Kind::kPods).empty() || snapshot_->affinity_.Selects(pod);
}

std::optional<bool> Snapshot::Reader::ServiceSelects(const model::Pod& pod) const {
  if (!snapshot_->ProgressOf(Kind::kServices).listed) return std::nullopt;
  return snapshot_->services_.Selects(pod);
}

std::uint64_t Snapshot::Reader::ResourceVersion(Kind kind) const {
  return snapshot_->ProgressOf(kind).resource_version;
}

bool Snapshot::Reader::OutageLately() const {
  return snapshot_->ProgressOf(Kind::kNodes).outage_lately ||
         snapshot_->ProgressOf(Kind::kPods).outage_lately;
}

bool Snapshot::Reader::IsBehind() const { return snapshot_->ProgressOf(Kind::kPods).is_behind; }

const Quarantine& Snapshot::Reader::Quarantined(Kind kind) const {
  return snapshot_->QuarantineOf(kind);
}

Snapshot::Snapshot(Options options)
    : catalog_(std::move(options.catalog)),
      trimmer_(catalog_, {.labels = options.labels,
                          .taint = options.taint,
                          .uids = options.node_uids,
                          .whole_pods = options.whole_pods}),
      now_(std::move(options.now)),
      on_ambiguous_(std::move(options.on_ambiguous)),
      passing_(std::move(options.passing)),
      pods_(catalog_, &nodes_, options.whole_pods, options.creator_annotation),
      gangs_(options.gang_prefix),
      checkpoints_(options.checkpoint_times) {}

Snapshot::Reader Snapshot::Read() const {
  const std::lock_guard<std::mutex> gate(gate_);
  return {this, std::shared_lock(mutex_)};
}

std::unique_lock<std::shared_mutex> Snapshot::Lock() {
  const std::lock_guard<std::mutex> gate(gate_);
  return std::unique_lock(mutex_);
}

void Snapshot::UpsertNode(model::Node node) {
  const std::uint64_t uid_hash = absl::Hash<std::string>()(node.uid);
  node = trimmer_.Trim(std::move(node));
  const model::AcceleratorCatalog::Index accelerator = catalog_->Match(node);
  const auto hidden =
      on_ambiguous_ ? catalog_->HiddenBy(accelerator, node) : model::AcceleratorCatalog::kNone;
  const std::string name = node.name;
  const bool moved = Put(std::move(node), uid_hash, accelerator);
  if (moved && hidden != model::AcceleratorCatalog::kNone) {
    on_ambiguous_(name, accelerator, hidden);
  }
}

bool Snapshot::Put(model::Node node, std::uint64_t uid_hash,
                   model::AcceleratorCatalog::Index accelerator) {
  const auto lock = Lock();
  QuarantineOf(Kind::kNodes).Remove(node.name);
  return nodes_.Upsert(std::move(node), uid_hash, accelerator, now_ ? now_() : model::kNoTime);
}

void Snapshot::DeleteNode(std::string_view name) {
  const auto lock = Lock();
  QuarantineOf(Kind::kNodes).Remove(name);
  nodes_.Remove(name);
}

template <typename T>
void Snapshot::Release(Kind kind, const T& object) {
  Quarantine& quarantine = QuarantineOf(kind);
  if (!quarantine.empty()) quarantine.Remove(object.namespace_ + '/' + object.name);
}

void Snapshot::UpsertPod(const model::Pod& pod) {
  const auto lock = Lock();
  Release(Kind::kPods, pod);
  if (passing_ && passing_(pod)) return;
  pods_.Upsert(pod);
  gangs_.Upsert(pod);
  terminating_.Upsert(pod);
  checkpoints_.Upsert(pod);
  affinity_.Upsert(pod);
}

void Snapshot::DeletePod(const model::Pod& pod) {
  const auto lock = Lock();
  Release(Kind::kPods, pod);
  pods_.Remove(pod);
  gangs_.Remove(pod);
  terminating_.Remove(pod);
  checkpoints_.Remove(pod);
  affinity_.Remove(pod);
}

void Snapshot::UpsertService(const model::Service& service) {
  const auto lock = Lock();
  Release(Kind::kServices, service);
  services_.Upsert(service);
}

void Snapshot::DeleteService(const model::Service& service) {
  const auto lock = Lock();
  Release(Kind::kServices, service);
  services_.Remove(service);
}

void Snapshot::QuarantineNode(const kube::UnreadableObject& node) {
  const auto lock = Lock();
  QuarantineOf(Kind::kNodes).Put(node);
  if (!node.name.empty()) nodes_.Quarantine(node.name);
}

void Snapshot::QuarantinePod(const kube::UnreadableObject& pod) {
  const auto lock = Lock();
  QuarantineOf(Kind::kPods).Put(pod);
  pods_.Keep(pod);
  gangs_.Keep(pod);
  terminating_.Keep(pod);
  checkpoints_.Keep(pod);
  affinity_.Keep(pod);
}

void Snapshot::QuarantineService(const kube::UnreadableObject& service) {
  const auto lock = Lock();
  QuarantineOf(Kind::kServices).Put(service);
  services_.Quarantine(service);
}

template <typename Visit>
void Snapshot::VisitTables(Kind kind, Visit visit) {
  switch (kind) {
    case Kind::kNodes:
      return visit(nodes_);
    case Kind::kPods:
      visit(pods_);
      visit(gangs_);
      visit(terminating_);
      visit(checkpoints_);
      return visit(affinity_);
    case Kind::kServices:
      return visit(services_);
  }
}

void Snapshot::BeginReplace(Kind kind) {
  const auto lock = Lock();
  QuarantineOf(kind).BeginReplace();
  VisitTables(kind, [](auto& table) { table.BeginReplace(); });
}

void Snapshot::EndReplace(Kind kind, std::uint64_t resource_version) {
  {
    const auto lock = Lock();
    QuarantineOf(kind).EndReplace();
    VisitTables(kind, [](auto& table) { table.EndReplace(); });
  }
  if (resource_version != 0) ProgressOf(kind).resource_version = resource_version;
  ProgressOf(kind).listed = true;
}

bool Snapshot::Synced() const {
  return ProgressOf(Kind::kNodes).listed && ProgressOf(Kind::kPods).listed;
}

void Snapshot::MarkHeard(Kind kind, Clock::time_point now, std::uint64_t resource_version) {
  if (resource_version != 0) ProgressOf(kind).resource_version = resource_version;
  ProgressOf(kind).last_heard = now.time_since_epoch();
  ProgressOf(kind).heard = true;
}

std::optional<Snapshot::Clock::time_point> Snapshot::LastHeard(Kind kind) const {
  if (!ProgressOf(kind).heard) return std::nullopt;
  return Clock::time_point(ProgressOf(kind).last_heard.load());
}

void Snapshot::SetOutage(Kind kind, bool is_behind, bool lately) {
  ProgressOf(kind).is_behind = is_behind;
  ProgressOf(kind).outage_lately = lately;
}

}  // namespace berth::cluster
