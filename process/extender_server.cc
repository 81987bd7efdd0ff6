#include "process/extender_server.h"

#include <utility>

#include "model/annotation.h"
#include "placement/cluster_metrics.h"
#include "placement/placement_service.h"
#include "process/certificates.h"
#include "server/start_listener.h"

namespace berth::process {

namespace {

extender::ExtenderOptions OptionsOf(const config::ExtenderConfig& config) {
  return {.max_body = static_cast<std::size_t>(config.max_body_bytes),
          .max_nodes_body = static_cast<std::size_t>(config.max_nodes_body_bytes),
          .now = Now};
}

// Metrics of the cluster by the configuration that is in use when they are scraped.
class CurrentClusterMetrics final : public prometheus::Collectable {
 public:
  explicit CurrentClusterMetrics(const ConfiguredPlacer& placer) : placer_(placer) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    const auto current = placer_.Current();
    const auto& health = current->health();
    return placement::ClusterMetrics(current->cluster->snapshot(), health.config, health.mode,
                                     model::kExcludedTaint.Below(current->config.prefix), Now,
                                     breaker_log_)
        .Collect();
  }

 private:
  const ConfiguredPlacer& placer_;
  mutable placement::BreakerLog breaker_log_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> ExtenderServer::Start(ConfigFollower::Options config,
                                                              kube::ApiConfig api) {
  LogApiServer(api);
  std::unique_ptr<ExtenderServer> server(new ExtenderServer(config.config, std::move(api)));
  const absl::Status opened = server->Open(config.config);
  if (!opened.ok()) return opened;
  server->placer_.Start([self = server.get()](std::shared_ptr<extender::Placer> placer) {
    self->extender_.Use(std::move(placer));
  });
  server->follower_ = Follow(std::move(config), *server->metrics_,
                             [self = server.get()](const config::BerthConfiguration& changed) {
                               self->placer_.Apply(changed);
                             });
  return server;
}

ExtenderServer::ExtenderServer(const config::BerthConfiguration& config, kube::ApiConfig api)
    : metrics_(std::make_shared<server::Metrics>()),
      placer_(config, std::move(api), *metrics_, {&decision_log_, &decisions_}),
      extender_(placer_.Current()->placer, *metrics_, OptionsOf(config.extender)) {}

absl::Status ExtenderServer::Open(const config::BerthConfiguration& config) {
  const config::ExtenderConfig& extender = config.extender;
  auto certificates = OpenCertificates("extender", extender.tls, extender.insecure_loopback);
  if (!certificates.ok()) return certificates.status();
  metrics_->AddCollectable(std::make_shared<CurrentClusterMetrics>(placer_));
  auto listeners = Listen(config,
                          Endpoint{.name = "extender",
                                   .address = extender.listen,
                                   .routes = extender_.Routes(),
                                   .certificates = *std::move(certificates)},
                          metrics_, [this] { return NotReady(); });
  if (!listeners.ok()) return listeners.status();
  listeners_ = *std::move(listeners);
  return config.grpc.listen.empty() ? absl::OkStatus() : ServePlacement(config);
}

absl::Status ExtenderServer::ServePlacement(const config::BerthConfiguration& config) {
  auto placement = GrpcServer::Start(
      config.grpc,
      {.service = placement::MakePlacementService(
           {.placer = [this] { return extender_.Current(); },
            .decisions = decisions_,
            .now = Now,
            .planner = [this] { return placer_.Current()->config.planner; }}),
       .name = placement::kPlacementService,
       .end_streams = [this] { decisions_.Close(); }},
      [this] { return NotReady(); }, *metrics_);
  if (!placement.ok()) return placement.status();
  placement_ = *std::move(placement);
  return absl::OkStatus();
}

std::vector<std::string> ExtenderServer::NotReady() const {
  std::vector<std::string> reasons;
  if (!extender_.Current()->snapshot().Synced())
    reasons.emplace_back("snapshot: nodes and pods are not listed yet");
  if (draining_) reasons.emplace_back("shutdown: draining");
  return reasons;
}

bool ExtenderServer::Drain() {
  draining_ = true;
  follower_.reset();
  bool answered_all = server::DrainListener(*listeners_.endpoint);
  if (placement_ != nullptr) answered_all = placement_->Drain() && answered_all;
  placer_.Stop();
  return answered_all;
}

}  // namespace berth::process
