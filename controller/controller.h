#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/snapshot.h"
#include "controller/certificate_keeper.h"
#include "controller/certificate_observer.h"
#include "controller/leader_election.h"
#include "controller/leader_transport.h"
#include "controller/node_labeler.h"
#include "controller/nudger.h"
#include "controller/object_client.h"
#include "controller/observer.h"
#include "controller/owner.h"
#include "controller/owner_keeper.h"
#include "kube/api_config.h"
#include "kube/http_client.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::controller {

/// Competes for the Lease and, while it leads, keeps the nodes' labels and nudges pods, from a
/// snapshot that somebody else feeds, and keeps certificates. Start() and Stop() are called by its
/// owner; Leads() on any thread.
class Controller {
 public:
  struct Options {
    kube::ApiConfig api;
    std::string lease_namespace;
    std::string lease_name;
    /// Of labels and annotations: "berth.dev".
    std::string prefix;
    std::string identity;
    CertificateSettings certificates;
    /// A ConfigMap in the Lease's namespace; empty: what is made has no owner.
    std::string owner;
    /// Leases of others that are to have it, too.
    std::vector<std::string> owned_leases;
    /// The time of policies.
    std::function<model::Time()> now;
    /// For jitter; different for each process.
    std::uint64_t seed = 0;
    /// Makes connections to the API server in place of kube::HttpClient, for tests.
    std::function<std::unique_ptr<kube::Transport>(kube::HttpTimeouts)> connect{};
  };

  /// Everything pointed at must outlive this. `snapshot` keeps the labels of NodeLabelNames and the
  /// UIDs of nodes.
  Controller(Options options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
             const cluster::Snapshot* snapshot, Observer* observer,
             CertificateObserver* certificate_observer, kube::ListWatchObserver* pending_observer);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Returns at once. Once only.
  void Start();

  /// Ends all writing, then gives up the lease.
  void Stop();

  bool Leads() const { return election_.Leads(); }

 private:
  LeaderElection::Options ElectionOptions(const Options& options) const;
  NodeLabeler::Options LabelerOptions(const Options& options) const;
  Nudger::Options NudgerOptions(const Options& options) const;
  OwnerKeeper::Options OwnerOptions(const Options& options) const;
  CertificateKeeper::Options CertificateOptions(const Options& options) const;
  /// For all but the Lease itself.
  LeaderTransport WhileLeading(kube::Transport& transport) const;

  Owner owner_;
  kube::SteadyTimer election_timer_;
  const std::unique_ptr<kube::Transport> lease_client_;
  ApiLeaseStore lease_store_;
  LeaderElection election_;

  kube::SteadyTimer timer_;
  const std::unique_ptr<kube::Transport> label_client_;
  LeaderTransport label_transport_;
  Patcher label_patcher_;
  NodeLabeler labeler_;
  const std::unique_ptr<kube::Transport> nudge_client_;
  LeaderTransport nudge_transport_;
  Patcher nudge_patcher_;
  Nudger nudger_;
  const std::unique_ptr<kube::Transport> object_http_client_;
  LeaderTransport object_transport_;
  ObjectClient object_client_;
  OwnerKeeper owner_keeper_;
  CertificateKeeper certificate_keeper_;
  const std::unique_ptr<kube::Transport> pending_client_;
  kube::SteadyTimer pending_timer_;
  kube::ListWatch<model::Pod> pending_;

  std::thread election_thread_;
  std::vector<std::thread> threads_;
};

}  // namespace berth::controller
