// Pods of many sizes and priorities wait while nodes recover, some of which Berth's extender sees
// late: in the end nobody waits who could be placed.

#include <algorithm>
#include <map>
#include <random>

#include "controller/nudge_plan.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using policies::scheduling::GpuNode;
using policies::scheduling::kV100;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = NudgePlan::Clock;

constexpr std::int64_t kDevices = 8;

/// A cluster in which kube-scheduler tries nobody but those that are nudged, and backs off: so long
/// at most from one try to the next, whoever nudges meanwhile.
class NudgedCluster {
 public:
  NudgedCluster(std::uint32_t seed, seconds longest_backoff)
      : random_(seed), longest_backoff_(longest_backoff) {
    for (int i = 0; i < 12; ++i) {
      nodes_["node-" + std::to_string(i)] = {.used = Any(0, kDevices), .broken = true};
    }
    for (auto& [name, node] : nodes_) {
      Use(name, "runs-on-" + name, node.used);
      Show(name);
    }
    for (int i = 0; i < 60; ++i) AddPod("pod-" + std::to_string(i));
  }

  void Run() {
    Judge();
    for (auto& [name, node] : nodes_) {
      Pass(milliseconds(Any(0, 3000)));
      node.broken = Any(0, 3) == 0;
      node.seen = now_ + milliseconds(Any(0, 6000));
      Show(name);
    }
    Pass(seconds(290));
  }

  /// Pods that wait although a node that is well has room for them.
  std::vector<std::string> Forgotten() const {
    std::vector<std::string> forgotten;
    for (const auto& [name, pod] : pods_) {
      if (!FindNode(pod).empty()) forgotten.push_back(name);
    }
    return forgotten;
  }

 private:
  struct Tries {
    int count = 0;
    Clock::time_point last{};
    /// Nudged, and waits for its backoff to end.
    bool queued = false;
  };

  struct Node {
    std::int64_t used = 0;
    bool broken = false;
    /// When the extender knows.
    Clock::time_point seen{};
  };

  std::int64_t Any(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  void Show(const std::string& name) {
    model::NodeState state = GpuNode(name, kV100, kDevices);
    if (nodes_[name].broken) state = Broken(std::move(state));
    snapshot_->UpsertNode(state.node);
  }

  void Use(const std::string& node, const std::string& name, std::int64_t devices) {
    model::Pod pod = PodOn(node, name);
    pod.requests.Set(policies::scheduling::kGpu, devices);
    snapshot_->UpsertPod(pod);
  }

  void AddPod(const std::string& name) {
    model::Pod pod = PodOn("", name);
    pod.requests.Set(policies::scheduling::kGpu, std::int64_t{1} << Any(0, 3));
    pod.priority = static_cast<std::int32_t>(Any(0, 3));
    pod.created = policies::scheduling::kNow - seconds(Any(0, 100));
    pods_[name] = pod;
    tried_[name] = {.count = static_cast<int>(Any(0, 9)), .last = now_ - seconds(Any(0, 60))};
    Report(pods_[name]);
  }

  /// As the extender sees it.
  bool IsRefused(const Node& node) const { return node.broken || now_ < node.seen; }

  /// A node that is not refused and has room; empty: there is none.
  std::string FindNode(const model::Pod& pod) const {
    for (const auto& [name, node] : nodes_) {
      if (!IsRefused(node) &&
          kDevices - node.used >= pod.requests.Get(policies::scheduling::kGpu)) {
        return name;
      }
    }
    return "";
  }

  /// kube-scheduler tries a pod that was nudged a while ago.
  void Try(const std::string& name) {
    const auto found = pods_.find(name);
    if (found == pods_.end()) return;
    Tries& tries = tried_[name];
    tries = {.count = tries.count + 1, .last = now_};
    model::Pod& pod = found->second;
    const std::string node = FindNode(pod);
    if (node.empty()) return Report(pod);
    nodes_[node].used += pod.requests.Get(policies::scheduling::kGpu);
    Use(node, name, pod.requests.Get(policies::scheduling::kGpu));
    plan_.Remove(pod);
    pods_.erase(found);
  }

  void Report(model::Pod& pod) {
    const auto refused = std::count_if(nodes_.begin(), nodes_.end(), [this](const auto& entry) {
      return IsRefused(entry.second);
    });
    pod.unschedulable = "0/12 nodes are available: " + std::to_string(refused) +
                        " node(s) had condition GPUIsLost.";
    plan_.Upsert(pod, now_);
  }

  void Judge() { plan_.Judge(snapshot_->Read(), policies::scheduling::kNow, now_); }

  void Pass(Clock::duration duration) {
    for (const auto end = now_ + duration; now_ < end;) {
      now_ += milliseconds(250);
      for (; !next_.empty() && next_.begin()->first <= now_; next_.erase(next_.begin())) {
        Try(next_.begin()->second);
      }
      Judge();
      while (const auto pod = plan_.TakeDue(now_)) Queue(pod->name);
    }
  }

  // As kube-scheduler moves a pod that was refused to where it backs off: one that is there stays.
  void Queue(const std::string& name) {
    Tries& tries = tried_[name];
    if (tries.queued) return;
    tries.queued = true;
    const seconds backoff = std::min(seconds(1 << std::min(tries.count, 6)), longest_backoff_);
    next_.emplace(std::max(tries.last + backoff, now_ + milliseconds(Any(0, 1500))), name);
  }

  std::mt19937 random_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, model::Pod> pods_;
  const seconds longest_backoff_;
  std::map<std::string, Tries> tried_;
  std::multimap<Clock::time_point, std::string> next_;
  std::unique_ptr<cluster::Snapshot> snapshot_ = MakeSnapshot();
  NudgePlan plan_{std::make_shared<const policies::scheduling::SchedulingEngine>(
      policies::scheduling::Catalog(), "berth.dev", policies::scheduling::SchedulingConfig{})};
  Clock::time_point now_{seconds(1000)};
};

// Without a backoff; with that of a kube-scheduler which nobody has configured; with the chart's.
TEST(NudgeLivenessTest, WhoeverCouldBePlacedIsNudgedInTheEnd) {
  for (const seconds backoff : {seconds(0), seconds(10), seconds(60)}) {
    for (std::uint32_t seed = 1; seed <= 50; ++seed) {
      NudgedCluster cluster(seed, backoff);
      cluster.Run();
      EXPECT_TRUE(cluster.Forgotten().empty())
          << "seed " << seed << ", backoff of " << backoff.count()
          << " s: " << cluster.Forgotten().front();
    }
  }
}

}  // namespace
}  // namespace berth::controller
