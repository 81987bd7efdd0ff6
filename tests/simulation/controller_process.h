#pragma once

#include <string>

#include "controller/leader_election.h"
#include "controller/lease_store.h"
#include "controller/node_labeler.h"
#include "controller/nudger.h"
#include "controller/patcher.h"
#include "controller/waiting_pods.h"
#include "controller/write_observer.h"
#include "kube/list_watch.h"
#include "tests/simulation/api_link.h"
#include "tests/simulation/berth_process.h"

namespace berth::simulation {

/// One life of a controller: its election, labels and nudges, each in a task of its own, over a
/// snapshot that is fed as an extender's. Not thread-safe.
class ControllerProcess {
 public:
  /// `now` is the time of policies. Different controllers have different identities.
  ControllerProcess(const Surroundings& surroundings, const BerthProcess::Options& options,
                    std::string identity, std::function<model::Time()> now);
  /// It is killed, and does not give up its Lease.
  ~ControllerProcess();

  const std::string& identity() const { return identity_; }
  bool Leads() const { return electing_.election.Leads(); }

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

  // The pods that wait, for the nudger.
  struct Pending {
    Pending(ControllerProcess* process, const Surroundings& surroundings, std::uint64_t seed);
    Task task;
    TaskTimer timer;
    ApiLink link;
    kube::ListWatch<model::Pod> list_watch;
  };

  const std::string identity_;
  Observer observer_;
  BerthProcess fed_;
  Electing electing_;
  Labelling labelling_;
  Nudging nudging_;
  Pending pending_;
};

}  // namespace berth::simulation
