#include "process/controller_server.h"

#include <absl/strings/ascii.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks/preflight_pod.h"
#include "cluster/feed.h"
#include "cluster/snapshot.h"
#include "controller/avoid_plan.h"
#include "controller/controller.h"
#include "controller/identity.h"
#include "controller/kept_plan.h"
#include "controller/lost_pods_plan.h"
#include "controller/node_label.h"
#include "model/annotation.h"
#include "placement/gang_service.h"
#include "process/engine.h"
#include "process/live_cluster.h"
#include "server/log.h"
#include "yaml/file.h"

namespace berth::process {

namespace {

constexpr std::size_t kMaxNamespaceFile = 4096;

controller::CertificateSettings SettingsOf(const controller::CertificatesConfig& config) {
  controller::CertificateSettings settings{.authority_secret = config.authority.secret,
                                           .authority_life = config.authority.validity,
                                           .server_life = config.validity,
                                           .webhooks = config.webhooks};
  for (const controller::ServerCertificateConfig& server : config.servers) {
    settings.servers.push_back({server.secret, server.service, server.hosts});
  }
  for (const controller::ClientCertificateConfig& client : config.clients) {
    settings.servers.push_back(
        {.secret = client.secret, .hosts = {client.name}, .usage = certs::Usage::kClient});
  }
  return settings;
}

const auto& HealthOf(const config::BerthConfiguration& config) {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  return std::get<Settings>(config.scheduling.policies.all);
}

// In Observe the rules exclude no node.
bool Excludes(const config::BerthConfiguration& config) {
  return HealthOf(config).mode == policies::scheduling::Mode::kEnforce;
}

controller::RepairConfig RepairOf(const config::BerthConfiguration& config) {
  controller::RepairConfig repair = config.controller.repair;
  repair.enabled = repair.enabled && Excludes(config);
  return repair;
}

std::vector<controller::EvictConfig> EvictOf(const config::BerthConfiguration& config) {
  if (!Excludes(config)) return {};
  return config.controller.evict;
}

// The pods of preflights hold what is promised to the gang for which they run, and are gone before
// it needs that.
std::function<bool(const model::Pod&)> PreflightPods(const config::BerthConfiguration& config,
                                                     const std::string& namespace_name) {
  if (!RunsPreflights(config.planner)) return {};
  return [names = checks::Names{.prefix = config.prefix, .namespace_name = namespace_name}](
             const model::Pod& pod) {
    return checks::IsPreflightPod(pod.namespace_, pod.name, names);
  };
}

// The labels of nodes that the controller writes.
std::vector<std::string> LabelsBelow(const std::string& prefix) {
  std::vector<std::string> labels = controller::NodeLabelNames(prefix).all();
  labels.push_back(model::kRepairLabel.Below(prefix));
  return labels;
}

}  // namespace

class ControllerServer::Work {
 public:
  Work(const config::BerthConfiguration& config, const Lease& lease, ControllerServer& server)
      : engine_(MakeEngine(config)),
        avoid_annotation_(model::kAvoidAnnotation.Below(config.prefix)),
        kept_annotation_(model::kKeptAnnotation.Below(config.prefix)),
        snapshot_({.catalog = engine_.catalog,
                   .labels = LabelsBelow(config.prefix),
                   .taint = model::kExcludedTaint.Below(config.prefix),
                   .node_uids = true,
                   .whole_pods = !config.planner.schedulers.empty() ||
                                 !config.controller.active_checks.empty(),
                   .gang_prefix = PlansGangs(config.planner) ? config.prefix : "",
                   .now = Now,
                   .passing = PreflightPods(config, lease.namespace_name),
                   .creator_annotation = config.controller.idle.enabled
                                             ? model::kCreatedByAnnotation.Below(config.prefix)
                                             : ""}),
        feed_(FeedOptions(server.api_), &snapshot_, &server.node_observer_, &server.pod_observer_),
        controller_({.api = server.api_,
                     .lease_namespace = lease.namespace_name,
                     .lease_name = lease.name,
                     .prefix = config.prefix,
                     .identity = server.identity_,
                     .certificates = SettingsOf(config.controller.certificates),
                     .owner = config.controller.owner,
                     .owned_leases = config.controller.owned_leases,
                     .lost_nodes = config.controller.lost_nodes,
                     .evict = EvictOf(config),
                     .avoid_for = config.controller.avoid_for,
                     .failed_observer = &server.failed_observer_,
                     .active_checks = config.controller.active_checks,
                     .check_pods = config.controller.check_pods,
                     .idle = config.controller.idle,
                     .idle_rules = config.idle,
                     .prometheus = config.prometheus,
                     .idle_metrics = &server.idle_metrics_,
                     .taints = config.controller.taints && Excludes(config),
                     .repair = RepairOf(config),
                     .health = HealthOf(config).config,
                     .events = config.controller.events && Excludes(config),
                     .fault_metrics = Excludes(config) ? &server.fault_metrics_ : nullptr,
                     .planner = config.planner,
                     .gang_feed = server.grpc_ == nullptr ? nullptr : &server.gang_feed_,
                     .preflight_metrics = &server.preflight_metrics_,
                     .now = Now,
                     .seed = std::random_device()()},
                    engine_.scheduling, &snapshot_, &server.observer_, &server.certificate_report_,
                    &server.pending_observer_, &server.planner_metrics_, &server.check_metrics_) {
    feed_.Start();
    controller_.Start();
  }

  void Stop() {
    controller_.Stop();
    feed_.Stop();
  }

  bool Leads() const { return controller_.Leads(); }
  absl::Status GangsStatus() const { return controller_.GangsStatus(); }
  bool Synced() const { return snapshot_.Synced(); }
  std::size_t Quarantined(cluster::Kind kind) const {
    return snapshot_.Read().Quarantined(kind).size();
  }
  std::size_t LostPods() const {
    const cluster::Snapshot::Reader reader = snapshot_.Read();
    return controller::CountLostPods(reader, reader.Terminating(), Now());
  }
  std::size_t Avoided() const {
    return controller::CountAvoided(snapshot_.Read(), avoid_annotation_, Now());
  }
  std::size_t KeptNodes() const {
    return controller::CountKept(snapshot_.Read(), kept_annotation_, Now());
  }

 private:
  const Engine engine_;
  const std::string avoid_annotation_;
  const std::string kept_annotation_;
  cluster::Snapshot snapshot_;
  cluster::Feed feed_;
  controller::Controller controller_;
};

absl::StatusOr<std::string> LeaseNamespace(const config::BerthConfiguration& config,
                                           const std::string& file) {
  const std::string& configured = config.controller.lease.namespace_name;
  if (!configured.empty()) return configured;
  // A kubeconfig may lead to another cluster than the pod's own.
  if (config.kubernetes.kubeconfig.empty()) {
    const auto text = yaml::ReadFile(file, kMaxNamespaceFile);
    if (text.ok()) return std::string(absl::StripAsciiWhitespace(*text));
  }
  return absl::FailedPreconditionError(
      "controller.lease.namespace: is not set, and only a pod that uses the credentials of its "
      "service account has a default; write the namespace of the Lease, such as berth-system");
}

absl::StatusOr<std::unique_ptr<Server>> ControllerServer::Start(
    ConfigFollower::Options config, kube::ApiConfig api, const std::string& lease_namespace) {
  LogApiServer(api);
  std::unique_ptr<ControllerServer> server(new ControllerServer(std::move(api), lease_namespace));
  server->AddMetrics();
  auto listeners = Listen(config.config, std::nullopt, server->metrics_,
                          [self = server.get()] { return self->NotReady(); });
  if (!listeners.ok()) return listeners.status();
  server->listeners_ = *std::move(listeners);
  const absl::Status serves = server->ServeGangs(config.config.grpc);
  if (!serves.ok()) return serves;
  server->StartWork(config.config);
  server->follower_ = Follow(std::move(config), *server->metrics_,
                             [self = server.get()](const config::BerthConfiguration& changed) {
                               self->StopWork();
                               self->StartWork(changed);
                             });
  return server;
}

ControllerServer::ControllerServer(kube::ApiConfig api, const std::string& lease_namespace)
    : api_(std::move(api)),
      lease_namespace_(lease_namespace),
      identity_(controller::MakeIdentity()),
      metrics_(std::make_shared<server::Metrics>()),
      observer_(*metrics_),
      certificate_report_(*metrics_),
      planner_metrics_(*metrics_),
      fault_metrics_(*metrics_),
      check_metrics_(*metrics_),
      preflight_metrics_(*metrics_),
      idle_metrics_(*metrics_),
      node_observer_("nodes", *metrics_),
      pod_observer_("pods", *metrics_),
      pending_observer_("pending_pods", *metrics_),
      failed_observer_("failed_pods", *metrics_) {}

ControllerServer::~ControllerServer() = default;

void ControllerServer::AddMetrics() {
  metrics_->AddGauge("berth_controller_leads",
                     "1 while this controller leads; only the leader writes.", {},
                     [this] { return Leads() ? 1 : 0; });
  const std::pair<const char*, cluster::Kind> kinds[] = {{"nodes", cluster::Kind::kNodes},
                                                         {"pods", cluster::Kind::kPods}};
  for (const auto& [name, kind] : kinds) {
    metrics_->AddGauge("berth_quarantined_objects",
                       "Objects that the API server has and Berth cannot read, by kind.",
                       {{"kind", name}},
                       [this, which = kind] { return static_cast<double>(Quarantined(which)); });
  }
  metrics_->AddGauge("berth_pods_terminating_on_lost_nodes",
                     "Deleted pods of Jobs that are past their grace period, on nodes that are not "
                     "Ready.",
                     {}, [this] { return static_cast<double>(LostPods()); });
  metrics_->AddGauge("berth_avoided_jobs",
                     "Entries on nodes that name a Job whose pod has failed there lately.", {},
                     [this] { return static_cast<double>(Avoided()); });
  metrics_->AddGauge("berth_kept_nodes",
                     "Nodes that say that devices there are kept for gangs that wait.", {},
                     [this] { return static_cast<double>(KeptNodes()); });
}

absl::Status ControllerServer::ServeGangs(const config::GrpcConfig& config) {
  if (config.listen.empty()) return absl::OkStatus();
  auto started = GrpcServer::Start(
      config,
      {.service = placement::MakeGangService({.status = [this] { return GangsStatus(); },
                                              .known = [this] { return gang_feed_.Known(); },
                                              .changes = gang_feed_.changes()}),
       .name = placement::kGangService,
       .end_streams = [this] { gang_feed_.changes().Close(); }},
      [this] { return NotReady(); }, *metrics_);
  if (!started.ok()) return started.status();
  grpc_ = *std::move(started);
  return absl::OkStatus();
}

ControllerServer::Lease ControllerServer::LeaseOf(const config::BerthConfiguration& config) const {
  // A pod's own namespace does not change.
  return {.namespace_name = LeaseNamespace(config).value_or(lease_namespace_),
          .name = config.controller.lease.name};
}

void ControllerServer::StartWork(const config::BerthConfiguration& config) {
  const Lease lease = LeaseOf(config);
  server::Log(server::LogLevel::kInfo, "competing for the lease",
              {{"namespace", lease.namespace_name}, {"name", lease.name}, {"identity", identity_}});
  auto work = std::make_unique<Work>(config, lease, *this);
  const std::lock_guard guard(mutex_);
  work_ = std::move(work);
}

void ControllerServer::StopWork() {
  std::unique_ptr<Work> work;
  {
    const std::lock_guard guard(mutex_);
    work = std::move(work_);
  }
  if (work != nullptr) work->Stop();
}

bool ControllerServer::Leads() const {
  const std::lock_guard guard(mutex_);
  return work_ != nullptr && work_->Leads();
}

absl::Status ControllerServer::GangsStatus() const {
  const std::lock_guard guard(mutex_);
  if (work_ != nullptr) return work_->GangsStatus();
  return absl::UnavailableError("this controller is being started or stopped; try again");
}

std::size_t ControllerServer::Quarantined(cluster::Kind kind) const {
  const std::lock_guard guard(mutex_);
  return work_ == nullptr ? 0 : work_->Quarantined(kind);
}

std::size_t ControllerServer::LostPods() const {
  const std::lock_guard guard(mutex_);
  return work_ == nullptr ? 0 : work_->LostPods();
}

std::size_t ControllerServer::Avoided() const {
  const std::lock_guard guard(mutex_);
  return work_ == nullptr ? 0 : work_->Avoided();
}

std::size_t ControllerServer::KeptNodes() const {
  const std::lock_guard guard(mutex_);
  return work_ == nullptr ? 0 : work_->KeptNodes();
}

std::vector<std::string> ControllerServer::NotReady() const {
  const std::lock_guard guard(mutex_);
  if (work_ != nullptr && work_->Synced()) return {};
  return {"snapshot: nodes and pods are not listed yet"};
}

bool ControllerServer::Drain() {
  follower_.reset();
  StopWork();
  return grpc_ == nullptr || grpc_->Drain();
}

}  // namespace berth::process
