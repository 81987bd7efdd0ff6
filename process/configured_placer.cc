#include "process/configured_placer.h"

#include <utility>

#include "model/annotation.h"
#include "server/log.h"

namespace berth::process {

namespace {

// A placer and the cluster that it reads. A pointer to the placer keeps both alive.
struct HeldPlacer {
  std::shared_ptr<LiveCluster> cluster;
  extender::Placer placer;
};

bool NeedsServices(const config::BerthConfiguration& config) {
  return config.extender.shortlist.NeedsServices();
}

void Stop(const std::shared_ptr<const ConfiguredPlacer::Generation>& generation) {
  if (generation != nullptr) generation->cluster->Stop();
}

}  // namespace

const policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>&
ConfiguredPlacer::Generation::health() const {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  return std::get<Settings>(config.scheduling.policies.all);
}

ConfiguredPlacer::ConfiguredPlacer(const config::BerthConfiguration& config, kube::ApiConfig api,
                                   server::Metrics& metrics,
                                   std::vector<extender::DecisionObserver*> observers)
    : api_(std::move(api)),
      metrics_(metrics),
      observers_(std::move(observers)),
      node_observer_("nodes", metrics),
      pod_observer_("pods", metrics),
      nominated_pod_observer_("nominated_pods", metrics),
      service_observer_("services", metrics),
      lease_follower_(api_) {
  metrics.AddGauge("berth_extender_controller_leads",
                   "1 while the extender sees that a controller leads, from its Lease.", {},
                   [leads = lease_follower_.leads()] { return leads() ? 1 : 0; });
  Engine engine = MakeEngine(config);
  std::shared_ptr<LiveCluster> cluster = NewCluster(config, engine);
  current_ = Make(config, std::move(engine), std::move(cluster));
}

ConfiguredPlacer::~ConfiguredPlacer() { Stop(); }

std::shared_ptr<LiveCluster> ConfiguredPlacer::NewCluster(const config::BerthConfiguration& config,
                                                          const Engine& engine) {
  // The feed's thread calls back. Stop() waits for that thread, so the pointer is valid then.
  auto self = std::make_shared<const LiveCluster*>(nullptr);
  auto cluster = std::make_shared<LiveCluster>(
      engine.catalog, model::kCreatedByAnnotation.Below(config.prefix), api_, node_observer_,
      pod_observer_, nominated_pod_observer_, NeedsServices(config) ? &service_observer_ : nullptr,
      [this, self] { OnSynced(*self); });
  *self = cluster.get();
  return cluster;
}

std::shared_ptr<const ConfiguredPlacer::Generation> ConfiguredPlacer::Make(
    const config::BerthConfiguration& config, Engine engine, std::shared_ptr<LiveCluster> cluster) {
  const cluster::Snapshot& snapshot = cluster->snapshot();
  const std::shared_ptr<HeldPlacer> held(new HeldPlacer{
      cluster, extender::Placer(engine.scheduling, snapshot, metrics_, observers_,
                                config.extender.shortlist, &cluster->nominated_pods(),
                                {.controller_leads = lease_follower_.leads(),
                                 .schedulers = config.planner.schedulers})});
  std::shared_ptr<extender::Placer> placer(held, &held->placer);
  return std::make_shared<const Generation>(
      Generation{config, std::move(engine), std::move(cluster), std::move(placer)});
}

void ConfiguredPlacer::Start(Use use) {
  use_ = std::move(use);
  lease_follower_.Follow(Current()->config);
  Current()->cluster->Start();
}

void ConfiguredPlacer::Apply(const config::BerthConfiguration& config) {
  lease_follower_.Follow(config);
  std::shared_ptr<const Generation> superseded;
  std::shared_ptr<LiveCluster> starting;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    superseded = std::move(next_);
    if (current_->config.accelerators == config.accelerators &&
        current_->config.prefix == config.prefix &&
        NeedsServices(current_->config) == NeedsServices(config)) {
      Engine engine = MakeEngine(config, current_->engine.catalog);
      current_ = Make(config, std::move(engine), current_->cluster);
      use_(current_->placer);
    } else {
      Engine engine = MakeEngine(config);
      starting = NewCluster(config, engine);
      next_ = Make(config, std::move(engine), starting);
    }
  }
  // Not under the lock, because the superseded feed's thread may wait for the lock.
  process::Stop(superseded);
  if (starting == nullptr) return;
  server::Log(server::LogLevel::kInfo,
              "the catalogue of accelerators, the prefix, or what the shortlist needs, changed; "
              "listing the cluster anew");
  starting->Start();
}

void ConfiguredPlacer::OnSynced(const LiveCluster* cluster) {
  std::shared_ptr<const Generation> former;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || next_ == nullptr || next_->cluster.get() != cluster) return;
    former = std::exchange(current_, std::move(next_));
    use_(current_->placer);
  }
  process::Stop(former);
}

void ConfiguredPlacer::Stop() {
  std::shared_ptr<const Generation> current;
  std::shared_ptr<const Generation> next;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    current = current_;
    next = std::move(next_);
  }
  lease_follower_.Stop();
  process::Stop(current);
  process::Stop(next);
}

std::shared_ptr<const ConfiguredPlacer::Generation> ConfiguredPlacer::Current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

}  // namespace berth::process
