#include "process/extender_server.h"

#include <utility>

#include "placement/cluster_metrics.h"
#include "process/certificates.h"
#include "process/log_level.h"
#include "process/version.h"
#include "server/start_listener.h"

namespace berth::process {

namespace {

extender::ExtenderOptions OptionsOf(const config::ExtenderConfig& config) {
  return {.max_body = static_cast<std::size_t>(config.max_body_bytes),
          .max_nodes_body = static_cast<std::size_t>(config.max_nodes_body_bytes),
          .now = Now};
}

// Metrics about the cluster by whatever configuration is in use when they are asked for.
class CurrentClusterMetrics final : public prometheus::Collectable {
 public:
  explicit CurrentClusterMetrics(const ConfiguredPlacer& placer) : placer_(placer) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    const auto current = placer_.Current();
    return placement::ClusterMetrics(current->cluster->snapshot(), current->health(), Now,
                                     breaker_log_)
        .Collect();
  }

 private:
  const ConfiguredPlacer& placer_;
  mutable placement::BreakerLog breaker_log_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ExtenderServer>> ExtenderServer::Start(
    ConfigFollower::Options config, kube::ApiConfig api,
    std::shared_ptr<const server::TlsCertificates> certificates) {
  std::unique_ptr<ExtenderServer> server(new ExtenderServer(config.config, std::move(api)));
  server->AddMetrics();
  const absl::Status listening = server->Listen(config.config, std::move(certificates));
  if (!listening.ok()) return listening;
  server->placer_.Start([self = server.get()](std::shared_ptr<extender::Placer> placer) {
    self->extender_.Use(std::move(placer));
  });
  server->follower_ = std::make_unique<ConfigFollower>(
      std::move(config), *server->metrics_,
      [self = server.get()](const config::BerthConfiguration& changed) {
        server::SetLogLevel(LogLevelOf(changed.log));
        self->placer_.Apply(changed);
      });
  return server;
}

ExtenderServer::ExtenderServer(const config::BerthConfiguration& config, kube::ApiConfig api)
    : metrics_(std::make_shared<server::Metrics>()),
      placer_(config, std::move(api), *metrics_, {&decision_log_, &decisions_}),
      extender_(placer_.Current()->placer, *metrics_, OptionsOf(config.extender)) {}

void ExtenderServer::AddMetrics() {
  metrics_->AddBuildInfo(Version(), Revision());
  metrics_->AddCollectable(std::make_shared<CurrentClusterMetrics>(placer_));
}

absl::Status ExtenderServer::Listen(const config::BerthConfiguration& config,
                                    std::shared_ptr<const server::TlsCertificates> certificates) {
  AddCertificateMetrics(certificates, *metrics_);
  auto plain = server::StartPlainListeners(
      {.metrics = config.metrics.listen, .probes = config.probes.listen}, metrics_,
      [this] { return NotReady(); });
  if (!plain.ok()) return plain.status();
  plain_listeners_ = *std::move(plain);
  auto extender_listener = server::StartListener(
      "extender", config.extender.listen, extender_.Routes(), std::move(certificates), *metrics_);
  if (!extender_listener.ok()) return extender_listener.status();
  extender_listener_ = *std::move(extender_listener);
  return config.grpc.listen.empty() ? absl::OkStatus() : ServePlacement(config.grpc);
}

absl::Status ExtenderServer::ServePlacement(const config::GrpcConfig& config) {
  auto placement = PlacementServer::Start(
      config,
      {.placer = [this] { return extender_.Current(); }, .decisions = decisions_, .now = Now},
      [this] { return NotReady(); }, *metrics_);
  if (!placement.ok()) return placement.status();
  placement_ = *std::move(placement);
  return absl::OkStatus();
}

std::vector<std::string> ExtenderServer::NotReady() const {
  std::vector<std::string> reasons;
  if (!extender_.Current()->snapshot().Synced())
    reasons.push_back("snapshot: nodes and pods are not listed yet");
  if (draining_) reasons.push_back("shutdown: draining");
  return reasons;
}

bool ExtenderServer::Drain() {
  draining_ = true;
  follower_.reset();
  bool answered_all = server::DrainListener(*extender_listener_);
  if (placement_ != nullptr) answered_all = placement_->Drain() && answered_all;
  placer_.Stop();
  return answered_all;
}

}  // namespace berth::process
