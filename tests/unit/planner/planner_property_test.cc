// Whatever happens to a random cluster, the plan keeps its promises.

#include <random>

#include "planner/planner.h"
#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using std::chrono::milliseconds;

// A cluster in which kube-scheduler, users and faults do as they like. Watches lag: the planner sees
// what was bound, and what it wrote, later.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : random_(seed), f_(static_cast<std::int32_t>(Below(4))) {
    for (std::size_t i = 0; i < 6; ++i) {
      f_.nodes.push_back(RoomyNode("node-" + std::to_string(i), 1 + Int(8)));
      f_.nodes.back().node.allocatable.Set("pods", 2 + Int(8));
    }
  }

  void Step() {
    const std::size_t action = Below(20);
    if (action < 6) Create();
    if (action == 6) Bind();
    if (action == 7) BindNominated();
    if (action == 8) Delete();
    if (action == 9) Change([](model::Pod& pod) { pod.nominated_node.clear(); });
    if (action == 10) Change([](model::Pod& pod) { pod.unschedulable = kRefused; });
    if (action == 11) Change([](model::Pod& pod) { pod.unschedulable = "0/6. preemption: Odd"; });
    if (action == 12) NominateByOther();
    if (action == 13) Toggle(AnyNode().node.unschedulable);
    if (action == 14) Toggle(AnyNode().quarantined);
    if (action == 15) EndOne();
    if (action == 16) ShowBound();
    if (action == 17 && Below(5) == 0) Restart();
    f_.Pass(milliseconds(Below(4000)));
    Plan();
  }

  // Nothing happens any more: every node that fits a pod is promised, and nothing changes.
  void Settle() {
    while (!unseen_.empty()) ShowBound();
    while (!unwritten_.empty()) WriteOne();
    for (int i = 0; i < 400; ++i) {
      f_.Pass(std::chrono::seconds(1));
      Plan();
      while (!unwritten_.empty()) WriteOne();
    }
    EXPECT_THAT(f_.PlanOnly(), testing::IsEmpty());
    for (const auto& [name, pod] : f_.pods) ExpectPlanned(pod);
  }

 private:
  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  std::int64_t Int(std::size_t end) { return static_cast<std::int64_t>(Below(end)); }
  static void Toggle(bool& flag) { flag = !flag; }
  model::NodeState& AnyNode() { return f_.nodes[Below(f_.nodes.size())]; }
  model::Pod* AnyPod() {
    if (f_.pods.empty()) return nullptr;
    return &std::next(f_.pods.begin(), static_cast<std::ptrdiff_t>(Below(f_.pods.size())))->second;
  }

  void Create() {
    const std::string name = "pod-" + std::to_string(created_++);
    f_.Wait(name, 1 + Int(4));
    f_.Edit(name, [this](model::Pod& pod) {
      if (Below(8) == 0) pod.gated = true;
      if (Below(8) == 0) pod.scheduler = "other";
      if (Below(8) == 0) pod.attached_volumes = true;
      if (Below(3) == 0) pod.unschedulable = kRefused;
      if (Below(3) == 0) pod.host_ports = {{.port = 80}};
      pod.priority = static_cast<std::int32_t>(Below(3));
    });
  }
  template <typename Edit>
  void Change(Edit edit) {
    if (const model::Pod* pod = AnyPod()) f_.Edit(pod->name, edit);
  }
  void NominateByOther() {
    const std::string node = AnyNode().node.name;
    Change([&](model::Pod& pod) {
      pod.nominated_node = node;
      pod.annotations.clear();
      others_[pod.uid] = node;
    });
  }
  // As kube-scheduler would: what it knows of nodes has all that is bound. The view has it later.
  void BindTo(const model::Pod* pod, model::NodeState& node) {
    if (pod == nullptr || pod->gated) return;
    model::NodeState known = node;
    for (const auto& [bound, name] : unseen_) {
      if (name == node.node.name) policies::fit::Book(bound, known);
    }
    for (const auto& [name, other] : f_.pods) {
      if (name != pod->name && other.nominated_node == node.node.name) {
        policies::fit::Book(other, known);
      }
    }
    if (policies::fit::JudgeRoom(*pod, known) != policies::fit::Misfit::kNone) return;
    unseen_.emplace_back(*pod, node.node.name);
    f_.Leave(std::string(pod->name));
  }
  void Bind() { BindTo(AnyPod(), AnyNode()); }
  void BindNominated() {
    const model::Pod* pod = AnyPod();
    if (pod == nullptr || pod->nominated_node.empty()) return;
    BindTo(pod, f_.Node(pod->nominated_node));
  }
  void ShowBound() {
    if (unseen_.empty()) return;
    const auto [pod, node] = unseen_.back();
    unseen_.pop_back();
    f_.ShowBound(pod, node);
    running_.emplace_back(pod, node);
  }
  void EndOne() {
    if (running_.empty()) return;
    const auto [pod, node] = running_.back();
    running_.pop_back();
    model::NodeState& state = f_.Node(node);
    state.used.Set(kGpu, state.used.Get(kGpu) - pod.requests.Get(kGpu));
    --state.pods;
    for (const model::HostPort& port : pod.host_ports) {
      state.ports.erase(std::ranges::find(state.ports, port));
    }
  }
  void Delete() {
    if (const model::Pod* pod = AnyPod()) f_.Leave(std::string(pod->name));
  }
  void Restart() {
    while (!unwritten_.empty()) WriteOne();
    while (!unseen_.empty()) ShowBound();  // a planner is only asked once the view is complete
    f_.Restart();
  }

  // Each write reaches the watch some plans later, or fails.
  void WriteOne() {
    const berth::planner::Step step = unwritten_.front();
    unwritten_.erase(unwritten_.begin());
    const auto found = f_.pods.find(step.name);
    if (found == f_.pods.end()) return;
    const bool others = others_.contains(found->second.uid) &&
                        others_.at(found->second.uid) == found->second.nominated_node;
    if (others || Below(10) == 0) return f_.planner->Failed(step);
    f_.Write(step);
  }
  void Plan() {
    for (std::size_t i = Below(4); i > 0 && !unwritten_.empty(); --i) WriteOne();
    for (const berth::planner::Step& step : f_.PlanOnly()) {
      Check(step);
      unwritten_.push_back(step);
    }
    CheckRoom();
  }

  void Check(const berth::planner::Step& step) {
    ASSERT_TRUE(f_.pods.contains(step.name)) << step.name << " does not wait";
    const model::Pod& pod = f_.pods.at(step.name);
    EXPECT_EQ(step.uid, pod.uid);
    if (step.node.empty()) return;
    EXPECT_FALSE(pod.gated || pod.attached_volumes || pod.scheduler != "berth") << step.name;
    const bool ours = model::Find(pod.annotations, kPlan) == pod.nominated_node;
    EXPECT_TRUE(pod.nominated_node.empty() || ours) << step.name << " is nominated by another";
  }
  // What the plan's nominations need is there, beside what the view shows.
  void CheckRoom() {
    for (const model::NodeState& state : f_.nodes) {
      model::NodeState planned = state;
      bool ours = false;
      for (const auto& [name, pod] : f_.pods) {
        const auto outlook = f_.planner->Find("team", name);
        if (outlook->node != state.node.name) continue;
        ours = ours || outlook->state == State::kNominated;
        policies::fit::Book(pod, planned);
      }
      if (!ours) continue;
      EXPECT_LE(planned.used.Get(kGpu), planned.node.allocatable.Get(kGpu)) << state.node.name;
      EXPECT_LE(planned.pods, planned.node.allocatable.Get("pods")) << state.node.name;
      EXPECT_LE(std::ranges::count(planned.ports, model::HostPort{.port = 80}), 1);
      EXPECT_FALSE(state.quarantined || state.node.unschedulable) << state.node.name;
    }
  }
  // A pod that waits without a node is one that no node fits beside what is promised.
  void ExpectPlanned(const model::Pod& pod) {
    const State state = f_.StateOf(pod.name);
    if (state == State::kHead) return;
    EXPECT_NE(state, State::kBackingOff) << pod.name;
    EXPECT_NE(state, State::kQueued) << pod.name;
    EXPECT_NE(state, State::kWithdrawn) << pod.name;
    if (state != State::kNoNode) return;
    for (const model::NodeState& node : f_.nodes) {
      model::NodeState planned = node;
      for (const auto& [name, other] : f_.pods) {
        if (other.nominated_node == node.node.name) policies::fit::Book(other, planned);
      }
      using policies::fit::Misfit;
      const bool fits = !node.quarantined && !node.node.unschedulable &&
                        policies::fit::JudgeRoom(pod, planned) == Misfit::kNone;
      EXPECT_FALSE(fits) << pod.name << " fits " << node.node.name;
    }
  }

  using Placed = std::vector<std::pair<model::Pod, std::string>>;

  std::mt19937 random_;
  Fixture f_;
  std::size_t created_ = 0;
  Placed unseen_;   // bound, but the view does not show it
  Placed running_;  // bound, and the view shows it
  std::vector<berth::planner::Step> unwritten_;
  std::map<std::string, std::string> others_;  // nominations by others, by UID
};

TEST(PlannerProperty, NeverPromisesWhatIsNotThere) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    for (int i = 0; i < 120; ++i) chance.Step();
    chance.Settle();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth::planner
