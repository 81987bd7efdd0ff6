#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/kept_rooms.h"
#include "controller/kept_writer.h"
#include "controller/leader_election.h"
#include "controller/leader_transport.h"
#include "controller/lease_store.h"
#include "controller/node_labeler.h"
#include "controller/nominator.h"
#include "controller/nudger.h"
#include "controller/patcher.h"
#include "controller/planner_metrics.h"
#include "controller/pod_groups.h"
#include "controller/scheduler_leases.h"
#include "controller/waiting_pods.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "planner/config.h"
#include "server/metrics.h"
#include "tests/simulation/api_link.h"
#include "tests/simulation/berth_process.h"

namespace berth::simulation {

/// What is broken on purpose of a controller that plans, to see that the simulation finds it.
enum class PlannerSabotage {
  kNone,
  kForgetsDeletes,  // pods that vanish while they wait stay in the plan
  kForgetsLease,    // who leads of kube-scheduler is not asked
  kForgetsKept,     // nodes do not say what is kept there
};

/// What a controller plans.
struct PlannerOptions {
  planner::PlannerConfig config = {};
  PlannerSabotage sabotage = PlannerSabotage::kNone;
  /// Called whenever the controller may have heard something.
  std::function<void()> heard = [] {};
};

/// One life of a controller: its election, labels and nudges, and the planner and what it keeps if
/// it is configured, each in a task of its own, over a snapshot that is fed as an extender's. Not
/// thread-safe.
class ControllerProcess {
 public:
  /// `now` is the time of policies. Different controllers have different identities. Without a
  /// `planner` nothing is planned.
  ControllerProcess(const Surroundings& surroundings, const BerthProcess::Options& options,
                    std::string identity, std::function<model::Time()> now,
                    std::optional<PlannerOptions> planner = std::nullopt);
  /// It is killed, and does not give up its Lease.
  ~ControllerProcess();

  const std::string& identity() const { return identity_; }
  bool Leads() const { return electing_.election.Leads(); }
  /// What it has heard of the pods that wait, by "<namespace>/<name>", while they are listed anew,
  /// too.
  const std::map<std::string, model::Pod>& waiting() const { return waiting_.pods(); }
  /// The same of nodes and bound pods, which is what is planned with.
  const cluster::Snapshot& snapshot() const { return fed_.snapshot(); }

 private:
  // Tells the trace.
  class Observer final : public controller::LeaderObserver,
                         public controller::WriteObserver,
                         public kube::ListWatchObserver {
   public:
    Observer(std::string identity, Trace* trace) : identity_(std::move(identity)), trace_(trace) {}
    void OnLeading(bool leads) override;
    void OnLeader(const std::string&) override {}
    void OnError(const absl::Status&) override {}
    void OnWritten(controller::Write write, std::string_view object, std::string_view value,
                   const absl::Status& status) override;
    void OnListed(std::size_t) override {}
    void OnUnreadable(const kube::UnreadableObject&) override {}
    void OnWatchEnd(kube::WatchEnd) override {}
    void OnBackoff(std::chrono::milliseconds) override {}

   private:
    const std::string identity_;
    Trace* const trace_;
  };

  struct Electing {
    Electing(ControllerProcess* process, const Surroundings& surroundings, std::uint64_t seed);
    Task task;
    TaskTimer timer;
    ApiLink link;
    controller::ApiLeaseStore store;
    controller::LeaderElection election;
  };

  struct Labelling {
    Labelling(ControllerProcess* process, const Surroundings& surroundings);
    Task task;
    TaskTimer timer;
    ApiLink link;
    controller::Patcher patcher;
    controller::NodeLabeler labeler;
  };

  struct Nudging {
    Nudging(ControllerProcess* process, const Surroundings& surroundings,
            std::function<model::Time()> now);
    Task task;
    TaskTimer timer;
    ApiLink link;
    controller::Patcher patcher;
    controller::Nudger nudger;
  };

  // Writes what is planned; there are several.
  struct Writing {
    Writing(ControllerProcess* process, const Surroundings& surroundings, int number);
    void Run();
    Task task;
    TaskTimer timer;
    ApiLink link;
    controller::LeaderTransport transport;
    controller::Patcher patcher;
    controller::Nominator* const nominator;
  };

  struct Planning {
    Planning(ControllerProcess* process, const Surroundings& surroundings,
             std::function<model::Time()> now);
    Task task;
    TaskTimer timer;
    ApiLink link;
    controller::SchedulerLeases leases;
    controller::PodGroupReader groups;
    controller::KeptRooms kept;
    server::Metrics registry;
    controller::PlannerMetrics metrics;
    controller::Nominator nominator;
    std::vector<std::unique_ptr<Writing>> writers;
  };

  // Writes on nodes what is kept there.
  struct Keeping {
    Keeping(ControllerProcess* process, const Surroundings& surroundings,
            std::function<model::Time()> now);
    Task task;
    TaskTimer timer;
    ApiLink link;
    controller::LeaderTransport transport;
    controller::Patcher patcher;
    controller::KeptWriter writer;
  };

  // Passes on what is heard of waiting pods, and remembers it.
  class Waiting final : public kube::ListWatchHandler<model::Pod> {
   public:
    Waiting(ControllerProcess* process, const PlannerOptions& options);
    const std::map<std::string, model::Pod>& pods() const { return pods_; }

    void OnReplaceBegin() override;
    void OnReplaceEnd(const std::string& version) override;
    void OnUpsert(model::Pod pod) override;
    void OnUnreadable(const kube::UnreadableObject& pod) override;
    void OnDelete(model::Pod pod) override;
    void OnHeard(const std::string& version) override { handlers_.OnHeard(version); }

   private:
    controller::WaitingPods handlers_;
    const PlannerOptions options_;
    std::map<std::string, model::Pod> pods_;
    // Those that the list under way has not shown yet.
    std::set<std::string> unseen_;
  };

  // The pods that wait, for the nudger and the planner.
  struct Pending {
    Pending(ControllerProcess* process, const Surroundings& surroundings, std::uint64_t seed);
    Task task;
    TaskTimer timer;
    ApiLink link;
    kube::ListWatch<model::Pod> list_watch;
  };

  const std::string identity_;
  const PlannerOptions options_;
  Observer observer_;
  BerthProcess fed_;
  Electing electing_;
  Labelling labelling_;
  Nudging nudging_;
  std::unique_ptr<Planning> planning_;
  std::unique_ptr<Keeping> keeping_;
  Waiting waiting_;
  Pending pending_;
};

}  // namespace berth::simulation
