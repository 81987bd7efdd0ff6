#include "process/live_cluster.h"

#include <random>
#include <string>
#include <utility>

#include "process/engine.h"

namespace berth::process {

cluster::Feed::Options FeedOptions(kube::ApiConfig api) {
  cluster::Feed::Options options;
  options.api = std::move(api);
  options.seed = std::random_device()();
  return options;
}

class LiveCluster::Observer final : public kube::ListWatchObserver {
 public:
  Observer(LiveCluster& cluster, kube::ListWatchObserver& next) : cluster_(cluster), next_(next) {}

  void OnListed(std::size_t items) override {
    next_.OnListed(items);
    cluster_.OnListed();
  }
  void OnWatchEnd(kube::WatchEnd end) override { next_.OnWatchEnd(end); }
  void OnUnreadable(const kube::UnreadableObject& object) override { next_.OnUnreadable(object); }
  void OnError(const absl::Status& error) override { next_.OnError(error); }
  void OnBackoff(std::chrono::milliseconds wait) override { next_.OnBackoff(wait); }

 private:
  LiveCluster& cluster_;
  kube::ListWatchObserver& next_;
};

LiveCluster::LiveCluster(std::shared_ptr<const model::AcceleratorCatalog> catalog,
                         std::string creator_annotation, kube::ApiConfig api,
                         kube::ListWatchObserver& nodes, kube::ListWatchObserver& pods,
                         kube::ListWatchObserver& nominated_pods, kube::ListWatchObserver* services,
                         std::function<void()> on_synced)
    : on_synced_(std::move(on_synced)),
      catalogue_log_(catalog),
      snapshot_({.catalog = catalog,
                 .labels = {},
                 .whole_pods = true,
                 .checkpoint_times = true,
                 .now = Now,
                 .creator_annotation = std::move(creator_annotation),
                 .on_ambiguous =
                     [this](const std::string& node, auto entry, auto hidden) {
                       catalogue_log_.OnAmbiguous(node, entry, hidden);
                     }}),
      nominated_pods_(std::move(catalog)),
      nodes_(std::make_unique<Observer>(*this, nodes)),
      pods_(std::make_unique<Observer>(*this, pods)),
      feed_(FeedOptions(std::move(api)), &snapshot_, nodes_.get(), pods_.get(), services,
            {.pods = &nominated_pods_, .observer = &nominated_pods}) {}

LiveCluster::~LiveCluster() = default;

void LiveCluster::Start() {
  const std::lock_guard lock(mutex_);
  if (!stopped_) feed_.Start();
}

void LiveCluster::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  feed_.Stop();
}

void LiveCluster::OnListed() {
  if (!snapshot_.Synced() || told_.exchange(true)) return;
  if (on_synced_) on_synced_();
}

}  // namespace berth::process
