// Whatever happens to a random cluster, the plan keeps its promises.

#include <deque>
#include <random>

#include "planner/planner.h"
#include "tests/unit/planner/fixture.h"

namespace berth::planner {
namespace {

using std::chrono::milliseconds;

// A cluster in which kube-scheduler, users and faults do as they like. Watches lag: the planner
// sees what is written, and what is bound, later.
class Chance {
 public:
  explicit Chance(std::uint32_t seed)
      : random_(seed), f_(static_cast<std::int32_t>(Below(2) * Below(4))) {
    for (std::size_t i = 0; i < 6; ++i) {
      f_.nodes.push_back(RoomyNode("node-" + std::to_string(i), 1 + Int(8)));
      f_.nodes.back().node.allocatable.Set("pods", 2 + Int(8));
    }
  }

  void Step() {
    const std::size_t action = Below(24);
    if (action < 6) Create();
    if (action == 6) Bind(AnyPod(), AnyNode());
    if (action == 7) BindNominated();
    if (action == 8) Delete();
    if (action == 9) Clear();
    if (action == 10) Change([](model::Pod& pod) { pod.unschedulable = kRefused; });
    if (action == 11) Change([](model::Pod& pod) { pod.unschedulable = "0/6. preemption: Odd"; });
    if (action == 12) NominateByOther();
    if (action == 13) Toggle(AnyNode().node.unschedulable);
    if (action == 14) Toggle(AnyNode().quarantined);
    if (action == 15) EndOne();
    if (action == 16) ShowBound();
    if (action == 17 && Below(5) == 0) Restart();
    if (action == 18) Change([](model::Pod& pod) { pod.unschedulable = RefusedSample(); });
    if (action == 19 || action == 20) Fill(AnyNode());
    if (action == 21) Change([](model::Pod& pod) { pod.unschedulable = "0/6. It evicts"; });
    for (std::size_t i = Below(6); i > 0; --i) Deliver();
    f_.Pass(milliseconds(Below(4000)));
    Plan();
  }

  // Nothing happens any more, for longer than any pod backs off.
  void Settle() {
    may_fail_ = false;
    // Pods would be nominated for evictions now and then, for ever.
    for (auto& [name, pod] : std::map(f_.pods)) {
      if (pod.unschedulable != RefusedSample()) continue;
      pod.unschedulable = kRefused;
      Put(pod);
    }
    for (int i = 0; i < 20; ++i) {
      CatchUp();
      f_.Pass(std::chrono::seconds(20));
      Plan();
    }
    CatchUp();
    EXPECT_THAT(f_.PlanOnly(), testing::IsEmpty());
    // Nodes are kept for the head, and only the planner knows which.
    const bool head = f_.planner->states()[static_cast<std::size_t>(State::kHead)] > 0;
    for (const auto& [name, pod] : f_.pods) ExpectPlanned(pod, !head);
  }

  // In how many plans pods were nominated for evictions.
  std::size_t evicting() const { return evicting_; }

 private:
  // A pod as the watch shows it.
  struct Event {
    model::Pod pod;
    bool gone = false;
  };
  using Placed = std::vector<std::pair<model::Pod, std::string>>;

  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  std::int64_t Int(std::size_t end) { return static_cast<std::int64_t>(Below(end)); }
  static void Toggle(bool& flag) { flag = !flag; }
  model::NodeState& AnyNode() { return f_.Node(f_.nodes[Below(f_.nodes.size())].node.name); }
  const model::Pod* AnyPod() {
    if (f_.pods.empty()) return nullptr;
    return &std::next(f_.pods.begin(), static_cast<std::ptrdiff_t>(Below(f_.pods.size())))->second;
  }

  // The pod is written to the API server.
  void Put(const model::Pod& pod) {
    f_.pods[pod.name] = pod;
    events_.push_back({pod});
  }
  void Leave(const model::Pod& pod) {
    events_.push_back({.pod = pod, .gone = true});
    f_.pods.erase(std::string(pod.name));
  }
  // The planner sees the next event.
  void Deliver() {
    if (events_.empty()) return;
    const auto [pod, gone] = events_.front();
    events_.pop_front();
    if (gone) {
      known_.erase(pod.name);
      f_.planner->Remove(pod);
    } else {
      known_[pod.name] = pod;
      f_.planner->Upsert(pod, f_.now);
    }
  }
  void CatchUp() {
    while (!unseen_.empty()) ShowBound();
    while (!events_.empty()) Deliver();
  }

  void Create() {
    const std::string name = "pod-" + std::to_string(created_++);
    model::Pod pod{.namespace_ = "team", .name = name, .uid = "uid-" + name, .scheduler = "berth"};
    pod.requests.Set(kGpu, 1 + Int(4));
    pod.created = kNow + std::chrono::seconds(created_);
    pod.gated = Below(8) == 0;
    if (Below(8) == 0) pod.scheduler = "other";
    pod.attached_volumes = Below(8) == 0;
    if (Below(3) == 0) pod.unschedulable = Below(2) == 0 ? kRefused : RefusedSample();
    if (Below(3) == 0) pod.host_ports = {{.port = 80}};
    pod.priority = static_cast<std::int32_t>(Below(3));
    Put(pod);
  }
  // A pod of low priority takes the devices that are left.
  void Fill(const model::NodeState& node) {
    const std::int64_t left = node.node.allocatable.Get(kGpu) - node.used.Get(kGpu);
    if (left <= 0) return;
    const std::string name = "low-" + std::to_string(created_++);
    model::Pod pod{.namespace_ = "team", .name = name, .uid = "uid-" + name, .priority = -1};
    pod.requests.Set(kGpu, left);
    Put(pod);
    Bind(&f_.pods.at(name), node);
  }
  template <typename Edit>
  void Change(Edit edit) {
    if (f_.pods.empty()) return;
    model::Pod pod = *AnyPod();
    edit(pod);
    Put(pod);
  }
  void Clear() {
    Change([this](model::Pod& pod) {
      pod.nominated_node.clear();
      others_.erase(pod.uid);
    });
  }
  // Not the node that the annotation names: nobody could tell who nominated that.
  void NominateByOther() {
    const std::string node = AnyNode().node.name;
    Change([&](model::Pod& pod) {
      if (model::Find(pod.annotations, kPlan) == node) return;
      pod.nominated_node = node;
      others_.insert(pod.uid);
    });
  }

  // As kube-scheduler would, which counts nominations and all that is bound.
  void Bind(const model::Pod* pod, const model::NodeState& node) {
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
    Leave(*pod);
  }
  void BindNominated() {
    const model::Pod* pod = AnyPod();
    if (pod != nullptr && !pod->nominated_node.empty()) Bind(pod, f_.Node(pod->nominated_node));
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
    f_.ShowEnded(pod, node);
  }
  void Delete() {
    if (const model::Pod* pod = AnyPod()) Leave(model::Pod(*pod));
  }
  void Restart() {
    CatchUp();
    f_.Restart();
  }

  void Plan() {
    const std::vector<berth::planner::Step> steps = f_.PlanOnly();
    CheckRoom();
    evicting_ += f_.planner->states()[static_cast<std::size_t>(State::kEviction)] > 0 ? 1 : 0;
    for (const berth::planner::Step& step : steps) {
      Check(step);
      if (!Write(step)) f_.planner->Failed(step);
    }
  }
  bool Write(const berth::planner::Step& step) {
    const auto found = f_.pods.find(step.name);
    if (found == f_.pods.end() || others_.contains(found->second.uid)) return false;
    if (may_fail_ && Below(10) == 0) return false;
    model::Pod pod = found->second;
    pod.nominated_node = step.node;
    pod.annotations.clear();
    if (!step.node.empty()) pod.annotations = {{kPlan, step.node}};
    Put(pod);
    return true;
  }

  // Steps are for pods that wait, as far as the planner can know, and have no other's nomination.
  void Check(const berth::planner::Step& step) {
    ASSERT_TRUE(known_.contains(step.name)) << step.name << " does not wait";
    const model::Pod& pod = known_.at(step.name);
    EXPECT_EQ(step.uid, pod.uid);
    const bool ours = model::Find(pod.annotations, kPlan) == pod.nominated_node;
    EXPECT_TRUE(pod.nominated_node.empty() || ours) << step.name << " is nominated by another";
    if (step.node.empty()) return;
    EXPECT_FALSE(pod.gated || pod.attached_volumes || pod.scheduler != "berth") << step.name;
  }
  // What the plan's nominations need is there, beside what the view shows and others' nominations.
  void CheckRoom() {
    std::map<std::string, model::NodeState> planned;  // by name
    for (const model::NodeState& state : f_.nodes) planned[state.node.name] = state;
    std::set<std::string> ours;
    for (const auto& [name, pod] : known_) {
      const auto outlook = f_.planner->Find("team", name);
      const bool bound = f_.seen_bound.contains("team/" + name + "/" + pod.uid);
      // A nomination for evictions promises nothing.
      const bool evicts = outlook->state == State::kEviction;
      if (bound || evicts || !planned.contains(outlook->node)) continue;
      if (outlook->state == State::kNominated) ours.insert(outlook->node);
      policies::fit::Book(pod, planned.at(outlook->node));
    }
    for (const std::string& name : ours) CheckNode(planned.at(name));
  }
  static void CheckNode(const model::NodeState& planned) {
    const std::string& name = planned.node.name;
    EXPECT_LE(planned.used.Get(kGpu), planned.node.allocatable.Get(kGpu)) << name;
    EXPECT_LE(planned.pods, planned.node.allocatable.Get("pods")) << name;
    EXPECT_FALSE(planned.quarantined || planned.node.unschedulable) << name;
  }
  // A pod that waits without a node is one that no node fits beside what is promised. `all`:
  // nothing else is kept.
  void ExpectPlanned(const model::Pod& pod, bool all) {
    const State state = f_.StateOf(pod.name);
    EXPECT_NE(state, State::kBackingOff) << pod.name;
    EXPECT_NE(state, State::kQueued) << pod.name;
    EXPECT_NE(state, State::kWithdrawn) << pod.name;
    if (state != State::kNoNode || !all) return;
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

  std::mt19937 random_;
  Fixture f_;
  std::size_t created_ = 0;
  std::deque<Event> events_;                 // that the planner has not seen
  std::map<std::string, model::Pod> known_;  // what it has seen
  Placed unseen_;                            // bound, but the view does not show it
  Placed running_;                           // bound, and the view shows it
  std::set<std::string> others_;             // UIDs of the pods that others have nominated
  bool may_fail_ = true;
  std::size_t evicting_ = 0;
};

TEST(PlannerProperty, NeverPromisesWhatIsNotThere) {
  std::size_t evicting = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    for (int i = 0; i < 120; ++i) chance.Step();
    chance.Settle();
    if (testing::Test::HasFailure()) return;
    evicting += chance.evicting();
  }
  EXPECT_GT(evicting, 60U) << "too few evictions to show anything";
}

}  // namespace
}  // namespace berth::planner
