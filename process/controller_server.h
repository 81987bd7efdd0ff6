#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checks/metrics.h"
#include "cluster/snapshot.h"
#include "config/config.h"
#include "controller/certificate_report.h"
#include "controller/fault_metrics.h"
#include "controller/gang_feed.h"
#include "controller/idle_metrics.h"
#include "controller/observer.h"
#include "controller/planner_metrics.h"
#include "controller/preflight_metrics.h"
#include "kube/api_config.h"
#include "process/config_follower.h"
#include "process/feed_observer.h"
#include "process/grpc_server.h"
#include "process/server.h"
#include "server/metrics.h"

namespace berth::process {

/// Everything that `berth controller` runs: the snapshot and its feed, the controller, the
/// listeners for metrics and probes, the gRPC service of gangs if it is configured, and a follower
/// of the configuration file. A changed configuration replaces snapshot, feed and controller;
/// meanwhile the lease is given up.
class ControllerServer final : public Server {
 public:
  /// See StartServer. Also returns an error if a certificate of the gRPC listener is broken. Does
  /// not wait for the API server or the lease. `lease_namespace` is the result of LeaseNamespace().
  static absl::StatusOr<std::unique_ptr<Server>> Start(ConfigFollower::Options config,
                                                       kube::ApiConfig api,
                                                       const std::string& lease_namespace);

  ~ControllerServer() override;
  ControllerServer(const ControllerServer&) = delete;
  ControllerServer& operator=(const ControllerServer&) = delete;

  /// Ends all writing and gives up the lease, so that another controller leads at once. Blocks
  /// until the threads have ended. Returns false if calls over gRPC had to be cut off. Metrics and
  /// probes answer until the server is destroyed.
  bool Drain() override;

 private:
  // The lease that controllers compete for.
  struct Lease {
    std::string namespace_name;
    std::string name;
  };

  /// The parts that depend on the configuration.
  class Work;

  // Makes everything but the work, the listeners and the follower.
  ControllerServer(kube::ApiConfig api, const std::string& lease_namespace);

  Lease LeaseOf(const config::BerthConfiguration& config) const;
  // Adds the gauges that ask the present work.
  void AddMetrics();
  // Starts the gRPC service.
  absl::Status ServeGangs(const config::GrpcConfig& config);
  // Starts the parts that depend on the configuration. Not at the same time as StopWork().
  void StartWork(const config::BerthConfiguration& config);

  // Ends them and waits for their threads. Does nothing if there are none.
  void StopWork();
  // Whether this controller is the one that writes.
  bool Leads() const;
  // See controller::Controller::GangsStatus().
  absl::Status GangsStatus() const;
  // The number of objects of that kind that cannot be read.
  std::size_t Quarantined(cluster::Kind kind) const;
  // The number of pods that hang on lost nodes.
  std::size_t LostPods() const;
  // The number of entries by which Jobs avoid nodes.
  std::size_t Avoided() const;
  // The number of nodes that say what is kept there for gangs.
  std::size_t KeptNodes() const;
  // The reasons for which /readyz answers 503; empty if the server is ready.
  std::vector<std::string> NotReady() const;

  // In the order of dependency: members are destroyed in reverse, users first.
  const kube::ApiConfig api_;
  // Where the first configuration has its Lease.
  const std::string lease_namespace_;
  // Of this process, among the controllers that compete.
  const std::string identity_;
  std::shared_ptr<server::Metrics> metrics_;
  controller::Observer observer_;
  controller::CertificateReport certificate_report_;
  controller::PlannerMetrics planner_metrics_;
  controller::FaultMetrics fault_metrics_;
  checks::Metrics check_metrics_;
  controller::PreflightMetrics preflight_metrics_;
  controller::IdleMetrics idle_metrics_;
  controller::GangFeed gang_feed_;
  // Shared by successive works, so that their counters go on.
  FeedObserver node_observer_;
  FeedObserver pod_observer_;
  FeedObserver pending_observer_;
  FeedObserver failed_observer_;
  // Guards `work_`, which metrics and probes read on other threads.
  mutable std::mutex mutex_;
  // Null while the configuration changes, and after Drain().
  std::unique_ptr<Work> work_;
  Listeners listeners_;
  std::unique_ptr<GrpcServer> grpc_;  // null if grpc.listen is empty
  std::unique_ptr<ConfigFollower> follower_;
};

/// Returns the namespace of the Lease: the configured one, or else the content of `file`, which is
/// the namespace of the pod that this process runs in. The file counts only without a kubeconfig,
/// which may lead to another cluster. Returns FAILED_PRECONDITION, with advice for the user, if
/// there is neither.
absl::StatusOr<std::string> LeaseNamespace(
    const config::BerthConfiguration& config,
    const std::string& file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace");

}  // namespace berth::process
