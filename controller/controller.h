#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "checks/metrics.h"
#include "checks/runner.h"
#include "cluster/snapshot.h"
#include "controller/certificate_keeper.h"
#include "controller/certificate_observer.h"
#include "controller/fault_metrics.h"
#include "controller/fault_teller.h"
#include "controller/gang_feed.h"
#include "controller/gate_remover.h"
#include "controller/idle_metrics.h"
#include "controller/idle_pods.h"
#include "controller/kept_rooms.h"
#include "controller/kept_writer.h"
#include "controller/leader_election.h"
#include "controller/leader_transport.h"
#include "controller/lost_pod_deleter.h"
#include "controller/node_labeler.h"
#include "controller/node_tainter.h"
#include "controller/nominator.h"
#include "controller/nudger.h"
#include "controller/object_client.h"
#include "controller/observer.h"
#include "controller/owner.h"
#include "controller/owner_keeper.h"
#include "controller/pod_groups.h"
#include "controller/preflight_metrics.h"
#include "controller/preflight_runner.h"
#include "controller/repair_labeler.h"
#include "controller/running_pods.h"
#include "controller/scheduler_leases.h"
#include "controller/taint_writer.h"
#include "controller/waiting_pods.h"
#include "kube/api_config.h"
#include "kube/http_client.h"
#include "kube/list_watch.h"
#include "kube/timer.h"
#include "kube/transport.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "usage/config.h"
#include "usage/prometheus.h"

namespace berth::controller {

/// The part of `berth controller` that writes. It competes for the Lease and, while it leads:
/// - keeps the labels of nodes (NodeLabeler) and, if it is configured to, taints those that are
///   excluded (NodeTainter), and labels those that may be repaired (RepairLabeler);
/// - nudges pods whose node has recovered (Nudger);
/// - nominates nodes for pods that wait (Nominator);
/// - writes on nodes what is kept there for gangs that wait (KeptWriter);
/// - frees the pods of gangs where these are not planned (GateRemover);
/// - keeps certificates and owners (CertificateKeeper, OwnerKeeper);
/// - evicts pods from nodes that are excluded, and notes on nodes whose pods failed there, if it is
///   configured to (RunningPods);
/// - ends pods that hang on lost nodes, if it is configured to (LostPodDeleter);
/// - runs checks on idle nodes, if it is configured to (checks::Runner);
/// - looks for pods that do not use their devices, if it is configured to (IdlePods);
/// - runs preflights of gangs, if it is configured to (PreflightRunner).
///
/// It reads nodes and bound pods from a snapshot that somebody else feeds, and watches the waiting
/// pods itself. All that it writes, except the Lease, passes a LeaderTransport.
///
/// The life of a controller: constructor, Start(), Stop(), destructor, all called by its owner, one
/// at a time. Leads() and GangsStatus() may be called on any thread. Stop it before the feed of the
/// snapshot.
class Controller {
 public:
  /// Where the controller works, and what for. `now` must be set.
  struct Options {
    /// How to reach the API server. Up to eleven connections are opened, Nominator::kWriters more
    /// if pods are planned, one more if gangs are, one more if these have PodGroups, one more
    /// if these have preflights, one more if there are active checks, and one more if idle pods are
    /// looked for.
    kube::ApiConfig api;
    /// Namespace of the Lease, and of everything else that the controller reads or writes by name.
    std::string lease_namespace;
    /// Name of the Lease. Controllers with the same Lease compete.
    std::string lease_name;
    /// Prefix of labels and annotations: "berth.dev".
    std::string prefix;
    /// What this process writes into the Lease as its holder: MakeIdentity().
    std::string identity;
    /// The certificates to keep; without servers none.
    CertificateSettings certificates;
    /// Name of a ConfigMap in the Lease's namespace that becomes the owner of the Secrets and of
    /// the Lease. Empty: they have no owner.
    std::string owner;
    /// Names of Leases of other programs that shall have the same owner.
    std::vector<std::string> owned_leases;
    /// What happens to pods that hang on lost nodes.
    LostNodesConfig lost_nodes;
    /// For which conditions pods are evicted from the nodes that they exclude.
    std::vector<EvictConfig> evict;
    /// For how long a Job avoids a node on which one of its pods failed; 0: it does not.
    model::Duration avoid_for{0};
    /// Is notified of the list-and-watch of failed pods. Not null if `avoid_for` is set.
    kube::ListWatchObserver* failed_observer = nullptr;
    /// Which checks run on idle nodes. If any, the snapshot must have whole pods.
    std::vector<checks::ActiveCheck> active_checks;
    checks::CheckPodsConfig check_pods;
    /// What happens to pods that do not use their devices. If it is enabled, the snapshot must keep
    /// creators, `idle_metrics` is not null and outlives the controller, and `idle_rules` and
    /// `prometheus` say when a device is idle and where to ask.
    IdlePodsConfig idle;
    usage::IdleConfig idle_rules;
    usage::PrometheusConfig prometheus;
    IdleMetrics* idle_metrics = nullptr;
    /// Whether nodes that are excluded get a taint, and by which conditions. Without them, taints
    /// of earlier configurations are removed.
    bool taints = false;
    /// Whether nodes that may be repaired get a label. Without it, labels of earlier configurations
    /// are removed.
    RepairConfig repair;
    policies::scheduling::HealthConfig health{};
    /// Whether Events tell of nodes that are excluded. Where the rules exclude none, as in Observe,
    /// set neither this nor `fault_metrics`.
    bool events = false;
    /// Measures how long that takes. May be null; must outlive the controller.
    FaultMetrics* fault_metrics = nullptr;
    /// For which pods nodes are nominated. If for any, the snapshot must have whole pods.
    planner::PlannerConfig planner;
    /// Is told of gangs. May be null; must outlive the controller.
    GangFeed* gang_feed = nullptr;
    /// Counts preflights of gangs. Not null if there are any; must outlive the controller.
    PreflightMetrics* preflight_metrics = nullptr;
    /// The time for policies, certificates and lost nodes. Called on several threads.
    std::function<model::Time()> now;
    /// For jitter; must differ between processes.
    std::uint64_t seed = 0;
    /// For tests: makes connections to the API server instead of kube::HttpClient.
    std::function<std::unique_ptr<kube::Transport>(kube::HttpTimeouts)> connect{};
  };

  /// Sends nothing yet. `snapshot` must keep the labels of NodeLabelNames and model::kRepairLabel,
  /// the taint of model::kExcludedTaint and the UIDs of nodes. The observers are called on the
  /// controller's threads; `pending_observer` is notified of the list-and-watch of waiting pods.
  /// `check_metrics` must not be null if there are active checks. Everything pointed at must
  /// outlive this.
  Controller(const Options& options,
             std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
             const cluster::Snapshot* snapshot, Observer* observer,
             CertificateObserver* certificate_observer, kube::ListWatchObserver* pending_observer,
             PlannerMetrics* planner_metrics, checks::Metrics* check_metrics = nullptr);
  /// Calls Stop().
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Starts its threads and returns at once. Call it once. The threads run:
  /// - the election, which renews the Lease;
  /// - the labels of nodes;
  /// - the taints of nodes;
  /// - the labels of nodes that may be repaired;
  /// - what is told and measured of nodes that are excluded; this thread ends at once if that is
  ///   nothing;
  /// - the nudges of pods;
  /// - the gates of gangs; this thread ends at once if gangs are planned;
  /// - the plan of nominations, and Nominator::kWriters threads that write them, if pods of any
  ///   scheduler are planned;
  /// - the notes on nodes of what is kept there for gangs;
  /// - the evictions from excluded nodes and the notes on nodes whose pods failed there, the latter
  ///   with a list-and-watch of failed pods, if they are configured;
  /// - certificates, and the owner of what the controller makes;
  /// - the pods on lost nodes; this thread ends at once if nothing is to be done about them;
  /// - the checks of idle nodes, if there are any;
  /// - the preflights of gangs, if there are any;
  /// - the look for pods that do not use their devices, if it is enabled;
  /// - the list-and-watch of waiting pods.
  ///
  /// All but the first and the last do nothing while this controller does not lead, except that
  /// nudges and what happens to pods on lost nodes are planned all the time.
  void Start();

  /// Stops in this order, so that nothing is written after another controller may lead:
  /// - cancels the requests under way, except those for the Lease;
  /// - waits until all threads but the election have ended;
  /// - ends the election, and gives up the Lease if this controller holds it.
  ///
  /// Blocks until that is done: for some seconds at most, if the API server does not answer. The
  /// controller cannot be started again; a second call has no effect.
  void Stop();

  /// Returns whether this controller may write now.
  bool Leads() const { return election_.Leads(); }

  /// Returns OK if this controller plans gangs, and else why not, in words that say what to do:
  /// FAILED_PRECONDITION if the configuration says so, UNAVAILABLE if this controller does not
  /// lead.
  absl::Status GangsStatus() const;

 private:
  // A thread that writes nominations has these of its own.
  struct NominationWriter {
    NominationWriter(std::unique_ptr<kube::Transport> to_write, LeaderTransport while_leading)
        : client(std::move(to_write)), transport(std::move(while_leading)) {}

    std::unique_ptr<kube::Transport> client;
    LeaderTransport transport;
    Patcher patcher{&transport};
  };

  // What runs checks has these of its own.
  struct CheckWork {
    CheckWork(std::unique_ptr<kube::Transport> to_write, LeaderTransport while_leading)
        : client(std::move(to_write)), transport(std::move(while_leading)) {}

    std::unique_ptr<kube::Transport> client;
    LeaderTransport transport;
    std::unique_ptr<checks::Runner> runner;
  };

  // What runs preflights has these of its own.
  struct PreflightWork {
    PreflightWork(std::unique_ptr<kube::Transport> to_write, LeaderTransport while_leading)
        : client(std::move(to_write)), transport(std::move(while_leading)) {}

    std::unique_ptr<kube::Transport> client;
    LeaderTransport transport;
    std::unique_ptr<PreflightRunner> runner;
  };

  // Returns null if gangs have no preflights.
  std::unique_ptr<PreflightWork> MakePreflightWork(const Options& options);
  PreflightRunner::Options PreflightOptions(const Options& options) const;
  // What looks for idle pods has these of its own.
  struct IdleWork {
    IdleWork(std::unique_ptr<kube::Transport> to_write, LeaderTransport while_leading,
             std::unique_ptr<usage::Prometheus> to_ask)
        : client(std::move(to_write)),
          transport(std::move(while_leading)),
          prometheus(std::move(to_ask)) {}

    std::unique_ptr<kube::Transport> client;
    LeaderTransport transport;
    std::unique_ptr<usage::Prometheus> prometheus;
    std::unique_ptr<IdlePods> pods;
  };

  // Returns null if nobody looks for idle pods.
  std::unique_ptr<IdleWork> MakeIdleWork(const Options& options, const cluster::Snapshot* snapshot,
                                         WriteObserver* observer);
  // Returns null if there are no checks.
  std::unique_ptr<CheckWork> MakeCheckWork(
      const Options& options, std::shared_ptr<const policies::scheduling::SchedulingEngine> engine,
      const cluster::Snapshot* snapshot, checks::Metrics* metrics);
  // Returns whom the list-and-watch of waiting pods tells.
  std::vector<kube::ListWatchHandler<model::Pod>*> WaitingHandlers(const Options& options);
  // Return the options of the parts. Functions in them refer to this object.
  LeaderElection::Options ElectionOptions(const Options& options) const;
  NodeLabeler::Options LabelerOptions(const Options& options) const;
  NodeTainter::Options TainterOptions(const Options& options) const;
  RepairLabeler::Options RepairOptions(const Options& options) const;
  // Returns null if nothing is to be done.
  std::unique_ptr<RunningPods> MakeRunningPods(const Options& options,
                                               const cluster::Snapshot* snapshot,
                                               WriteObserver* observer);
  FaultTeller::Options TellerOptions(const Options& options) const;
  Nudger::Options NudgerOptions(const Options& options) const;
  Nominator::Options NominatorOptions(const Options& options);
  KeptWriter::Options KeptOptions(const Options& options) const;
  GateRemover::Options GateOptions(const Options& options) const;
  OwnerKeeper::Options OwnerOptions(const Options& options) const;
  CertificateKeeper::Options CertificateOptions(const Options& options) const;
  LostPodDeleter::Options LostPodOptions(const Options& options) const;
  checks::Runner::Options CheckOptions(const Options& options) const;
  // Returns a transport that writes only while this controller leads. Used for all but the Lease.
  LeaderTransport WhileLeading(kube::Transport& transport) const;

  // OK if the configuration has gangs planned.
  const absl::Status gangs_configured_;
  // Found by owner_keeper_, and written into the Lease and the Secrets.
  Owner owner_;

  // The election has its own timer, because Stop() ends it last.
  kube::SteadyTimer election_timer_;
  const std::unique_ptr<kube::Transport> lease_client_;
  ApiLeaseStore lease_store_;
  LeaderElection election_;

  // Everything that writes while this controller leads. Each thread has its own connection, because
  // a transport sends one request at a time.
  kube::SteadyTimer timer_;
  const std::unique_ptr<kube::Transport> label_client_;
  LeaderTransport label_transport_;
  Patcher label_patcher_;
  NodeLabeler labeler_;
  const std::unique_ptr<kube::Transport> taint_client_;
  LeaderTransport taint_transport_;
  TaintWriter taint_writer_;
  NodeTainter tainter_;
  const std::unique_ptr<kube::Transport> repair_client_;
  LeaderTransport repair_transport_;
  Patcher repair_patcher_;
  RepairLabeler repair_labeler_;
  const std::unique_ptr<kube::Transport> event_client_;
  LeaderTransport event_transport_;
  FaultTeller fault_teller_;
  const std::unique_ptr<kube::Transport> nudge_client_;
  LeaderTransport nudge_transport_;
  Patcher nudge_patcher_;
  Nudger nudger_;
  // Both null unless gangs are planned, for kube-schedulers whose Leases are known.
  const std::unique_ptr<kube::Transport> scheduler_lease_client_;
  const std::unique_ptr<SchedulerLeases> scheduler_leases_;
  // Both null unless gangs are planned whose pods wait for PodGroups.
  const std::unique_ptr<kube::Transport> pod_group_client_;
  const std::unique_ptr<PodGroupReader> pod_groups_;
  // Told by nominator_, read by kept_writer_.
  KeptRooms kept_rooms_;
  Nominator nominator_;
  std::vector<std::unique_ptr<NominationWriter>> nomination_writers_;
  const std::unique_ptr<kube::Transport> kept_client_;
  LeaderTransport kept_transport_;
  Patcher kept_patcher_;
  KeptWriter kept_writer_;
  const std::unique_ptr<kube::Transport> gate_client_;
  LeaderTransport gate_transport_;
  Patcher gate_patcher_;
  GateRemover gate_remover_;
  const std::unique_ptr<kube::Transport> object_http_client_;
  LeaderTransport object_transport_;
  ObjectClient object_client_;
  OwnerKeeper owner_keeper_;
  CertificateKeeper certificate_keeper_;
  const std::unique_ptr<kube::Transport> lost_pod_client_;
  LeaderTransport lost_pod_transport_;
  LostPodDeleter lost_pod_deleter_;
  // Null if nothing is configured.
  const std::unique_ptr<RunningPods> running_pods_;
  // Null without checks.
  const std::unique_ptr<CheckWork> checks_;

  // Null if gangs have no preflights.
  const std::unique_ptr<PreflightWork> preflights_;
  // Null unless it is configured.
  const std::unique_ptr<IdleWork> idle_;
  // The list-and-watch of waiting pods, which feeds nudger_, nominator_, gate_remover_ and
  // check_runner_.
  WaitingPods waiting_pods_;
  const std::unique_ptr<kube::Transport> pending_client_;
  kube::SteadyTimer pending_timer_;
  kube::ListWatch<model::Pod> pending_;

  // Empty before Start() and after Stop().
  std::thread election_thread_;
  std::vector<std::thread> threads_;
};

}  // namespace berth::controller
