#include "cli/extender_server.h"

#include <chrono>
#include <thread>
#include <utility>

#include "cli/log_level.h"
#include "cli/start_listener.h"
#include "cli/version.h"
#include "extender/cluster_metrics.h"
#include "server/log.h"

namespace berth::cli {

namespace {

using server::Log;
using server::LogLevel;

// Between asking clients to close their connections and closing them; kube-scheduler, when busy,
// sends several requests a second.
constexpr std::chrono::milliseconds kClosingTime{1'000};
// For requests that have arrived. Well within the 30 s that kubelet gives a pod to end.
constexpr std::chrono::milliseconds kDrainTime{10'000};

extender::ExtenderOptions OptionsOf(const ExtenderConfig& config) {
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
    return extender::ClusterMetrics(current->cluster->snapshot(), current->health(), Now,
                                    breaker_log_)
        .Collect();
  }

 private:
  const ConfiguredPlacer& placer_;
  mutable extender::BreakerLog breaker_log_;
};

void AddCertificateMetrics(const std::shared_ptr<const server::TlsCertificates>& certificates,
                           server::Metrics& metrics) {
  metrics.AddGauge("berth_certificate_seconds_left",
                   "Until the extender's certificate ends; negative afterwards.", {},
                   [certificates] { return certificates->TimeLeft().count(); });
  metrics.AddGauge("berth_certificate_reloads", "Changed certificate files taken over.", {},
                   [certificates] { return static_cast<double>(certificates->reloads()); });
  metrics.AddGauge("berth_certificate_reload_failures",
                   "Changed certificate files found broken; the former ones went on serving.", {},
                   [certificates] { return static_cast<double>(certificates->reload_failures()); });
}

void LogReload(const absl::Status& status) {
  if (status.ok()) return Log(LogLevel::kInfo, "certificate reloaded");
  Log(LogLevel::kError, "certificate files are broken; the former ones go on serving",
      {{"error", std::string(status.message())}});
}

}  // namespace

absl::StatusOr<std::shared_ptr<const server::TlsCertificates>> OpenCertificates(
    const ExtenderConfig& config) {
  if (config.insecure_loopback) return nullptr;
  server::TlsCertificatesOptions options;
  options.files.certificate = config.tls.cert_file;
  options.files.key = config.tls.key_file;
  options.files.client_ca = config.tls.client_ca_file;
  options.on_reload = LogReload;
  return server::TlsCertificates::Open(std::move(options));
}

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
  server->follower_ =
      std::make_unique<ConfigFollower>(std::move(config), *server->metrics_,
                                       [self = server.get()](const BerthConfiguration& changed) {
                                         server::SetLogLevel(LogLevelOf(changed.log));
                                         self->placer_.Apply(changed);
                                       });
  return server;
}

ExtenderServer::ExtenderServer(const BerthConfiguration& config, kube::ApiConfig api)
    : metrics_(std::make_shared<server::Metrics>()),
      placer_(config, std::move(api), *metrics_, {&decision_log_, &decisions_}),
      extender_(placer_.Current()->placer, *metrics_, OptionsOf(config.extender)) {}

void ExtenderServer::AddMetrics() {
  metrics_->AddBuildInfo(Version(), Revision());
  metrics_->AddCollectable(std::make_shared<CurrentClusterMetrics>(placer_));
}

absl::Status ExtenderServer::Listen(const BerthConfiguration& config,
                                    std::shared_ptr<const server::TlsCertificates> certificates) {
  if (certificates != nullptr) AddCertificateMetrics(certificates, *metrics_);
  auto metrics_listener =
      StartMetricsListener(config.metrics.listen, metrics_, [this] { return NotReady(); });
  if (!metrics_listener.ok()) return metrics_listener.status();
  metrics_listener_ = *std::move(metrics_listener);
  auto extender_listener = StartListener("extender", config.extender.listen, extender_.Routes(),
                                         std::move(certificates), *metrics_);
  if (!extender_listener.ok()) return extender_listener.status();
  extender_listener_ = *std::move(extender_listener);
  return config.grpc.listen.empty() ? absl::OkStatus() : ServePlacement(config.grpc);
}

absl::Status ExtenderServer::ServePlacement(const GrpcConfig& config) {
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
  extender_listener_->BeginClosing();
  std::this_thread::sleep_for(kClosingTime);
  bool answered_all = extender_listener_->Drain(kDrainTime);
  if (placement_ != nullptr) answered_all = placement_->Drain() && answered_all;
  placer_.Stop();
  return answered_all;
}

}  // namespace berth::cli
