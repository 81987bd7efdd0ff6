#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/feed.h"
#include "cluster/snapshot.h"
#include "extender/decision.h"
#include "extender/placer.h"
#include "kube/list_watch.h"
#include "policies/scheduling/engine.h"
#include "server/metrics.h"
#include "tests/simulation/api_link.h"
#include "tests/simulation/tap.h"

namespace berth::simulation {

/// One life of an extender: the real list-and-watches, snapshot and placer. Not thread-safe.
class BerthProcess {
 public:
  struct Options {
    int page_size = 500;
    bool watch_list = true;
    /// For jitter.
    std::uint64_t seed = 0;
    /// Nodes in an answer; 0: all.
    int shortlist = 0;
    /// Whether the snapshot has all that the planner reads, gangs included.
    bool for_planner = false;
    Sabotage sabotage = Sabotage::kNone;
  };

  /// `told` is called whenever the snapshot may have changed.
  BerthProcess(const Surroundings& surroundings, const Options& options,
               std::function<void()> told);
  /// Ends it.
  ~BerthProcess();

  const cluster::Snapshot& snapshot() const { return *snapshot_; }
  bool nodes_whole() const { return nodes_.tap.whole(); }
  bool pods_whole() const { return pods_.tap.whole(); }
  bool services_whole() const { return services_.tap.whole(); }

  /// What kube-scheduler does for a pod: filter, and prioritize where that leaves several.
  struct Answer {
    extender::FilterResult result;
    std::vector<std::int64_t> ranks;  // one for each node of the result; empty: not asked
    extender::Decision decision;
  };
  Answer Ask(const model::Pod& pod, const std::vector<std::string>& names, model::Time now);

  /// Ends all tasks, then frees the snapshot; how many bytes that gave back. Once.
  std::size_t End();

 private:
  class Observer final : public kube::ListWatchObserver {
   public:
    explicit Observer(Trace* trace) : trace_(trace) {}
    void OnListed(std::size_t) override {}
    void OnWatchEnd(kube::WatchEnd end) override { trace_->Write("  ended: {}", NameOf(end)); }
    void OnUnreadable(const kube::UnreadableObject& object) override {
      trace_->Write("  cannot be read: {}", object.error);
    }
    void OnError(const absl::Status& error) override {
      trace_->Write("  error: {}", std::string(error.message()));
    }
    void OnBackoff(std::chrono::milliseconds wait) override {
      trace_->Write("  waits for {} ms", wait.count());
    }

   private:
    Trace* const trace_;
  };

  // Keeps the last decision.
  struct Listener final : extender::DecisionObserver {
    bool Wants() override { return true; }
    void OnDecision(const extender::Decision& decision) override { last = decision; }
    extender::Decision last;
  };

  // One list-and-watch and its task.
  template <typename T>
  struct Channel {
    Channel(const std::string& name, const Surroundings& surroundings, const Options& options,
            kube::ListWatchOptions list_watch_options, cluster::Snapshot* snapshot,
            std::function<void()> told);
    void End();

    Observer observer;
    Task task;
    TaskTimer timer;
    ApiLink link;
    Tap<T> tap;
    kube::ListWatch<T> list_watch;
  };

  std::unique_ptr<cluster::Snapshot> snapshot_;
  server::Metrics metrics_;
  Listener listener_;
  extender::Placer placer_;
  Channel<model::Node> nodes_;
  Channel<model::Pod> pods_;
  Channel<model::Service> services_;
};

/// The default catalogue, and the policies by default, but for keepFor: the checker tells from the
/// present object of a node whether it is excluded.
std::shared_ptr<const model::AcceleratorCatalog> DefaultCatalog();
std::shared_ptr<const policies::scheduling::SchedulingEngine> DefaultEngine();

}  // namespace berth::simulation
