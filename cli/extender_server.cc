#include "cli/extender_server.h"

#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "cli/listener_log.h"
#include "cli/version.h"
#include "extender/cluster_metrics.h"
#include "server/address.h"
#include "server/health.h"
#include "server/http_metrics.h"
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

cluster::Feed::Options FeedOptions(kube::ApiConfig api) {
  cluster::Feed::Options options;
  options.api = std::move(api);
  options.seed = std::random_device()();
  return options;
}

extender::ExtenderOptions OptionsOf(const ExtenderConfig& config) {
  return {.max_body = static_cast<std::size_t>(config.max_body_bytes),
          .max_nodes_body = static_cast<std::size_t>(config.max_nodes_body_bytes),
          .now = Now};
}

const scheduling::HealthConfig& HealthOf(const BerthConfiguration& config) {
  using Settings = scheduling::PolicySettings<scheduling::HealthPolicy>;
  return std::get<Settings>(config.scheduling.policies.all).config;
}

absl::StatusOr<std::unique_ptr<server::Listener>> StartListener(
    const std::string& name, const std::string& address, std::vector<server::Route> routes,
    std::shared_ptr<const server::TlsCertificates> certificates, server::Metrics& metrics) {
  server::ListenerOptions options;
  options.address = address;
  options.tls = std::move(certificates);
  options.observer =
      server::ObserveWithMetrics(metrics, name, routes, std::make_shared<ListenerLog>(name));
  auto listener = server::Listener::Start(std::move(options), std::move(routes));
  if (!listener.ok()) return listener;
  server::Address bound = server::ParseAddress(address).value();
  bound.port = (*listener)->port();
  Log(LogLevel::kInfo, "listening", {{"listener", name}, {"address", ToString(bound)}});
  return listener;
}

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
    const BerthConfiguration& config, kube::ApiConfig api,
    std::shared_ptr<const server::TlsCertificates> certificates) {
  std::unique_ptr<ExtenderServer> server(new ExtenderServer(config, std::move(api)));
  server->AddMetrics(config);
  const absl::Status listening = server->Listen(config, std::move(certificates));
  if (!listening.ok()) return listening;
  server->feed_.Start();
  return server;
}

ExtenderServer::ExtenderServer(const BerthConfiguration& config, kube::ApiConfig api)
    : metrics_(std::make_shared<server::Metrics>()),
      engine_(MakeEngine(config)),
      snapshot_({.catalog = engine_.catalog, .labels = {}}),
      extender_(std::make_shared<extender::Placer>(
                    engine_.scheduling, snapshot_, *metrics_,
                    std::vector<extender::DecisionObserver*>{&decision_log_}),
                *metrics_, OptionsOf(config.extender)),
      node_observer_("nodes", *metrics_),
      pod_observer_("pods", *metrics_),
      feed_(FeedOptions(std::move(api)), &snapshot_, &node_observer_, &pod_observer_) {}

void ExtenderServer::AddMetrics(const BerthConfiguration& config) {
  metrics_->AddBuildInfo(Version(), Revision());
  metrics_->AddCollectable(
      std::make_shared<extender::ClusterMetrics>(snapshot_, HealthOf(config), Now));
}

absl::Status ExtenderServer::Listen(const BerthConfiguration& config,
                                    std::shared_ptr<const server::TlsCertificates> certificates) {
  if (certificates != nullptr) AddCertificateMetrics(certificates, *metrics_);
  auto metrics_listener = StartListener("metrics", config.metrics.listen,
                                        {server::MetricsRoute(metrics_), server::HealthzRoute(),
                                         server::ReadyzRoute([this] { return NotReady(); })},
                                        nullptr, *metrics_);
  if (!metrics_listener.ok()) return metrics_listener.status();
  metrics_listener_ = *std::move(metrics_listener);
  auto extender_listener = StartListener("extender", config.extender.listen, extender_.Routes(),
                                         std::move(certificates), *metrics_);
  if (!extender_listener.ok()) return extender_listener.status();
  extender_listener_ = *std::move(extender_listener);
  return absl::OkStatus();
}

std::vector<std::string> ExtenderServer::NotReady() const {
  std::vector<std::string> reasons;
  if (!snapshot_.Synced()) reasons.push_back("snapshot: nodes and pods are not listed yet");
  if (draining_) reasons.push_back("shutdown: draining");
  return reasons;
}

bool ExtenderServer::Drain() {
  draining_ = true;
  extender_listener_->BeginClosing();
  std::this_thread::sleep_for(kClosingTime);
  const bool answered_all = extender_listener_->Drain(kDrainTime);
  feed_.Stop();
  return answered_all;
}

}  // namespace berth::cli
