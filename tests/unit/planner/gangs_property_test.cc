// Whatever happens to gangs in a random cluster: nothing is promised twice, a gang that waits holds
// nothing, one is released whole or not at all, and all of them run in the end. Room is kept only
// for gangs that wait, of which each could have all of its own at once, and it is not kept
// elsewhere while nothing changes. If gangs have preflights, none is released before its own has
// ended well and holds nothing any more. The first pod of some gangs asks for other devices than
// the rest.

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/kept_room.h"
#include "planner/planner.h"
#include "planner/preflight.h"
#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The pods of preflights, which come to random ends.
class PreflightChance {
 public:
  explicit PreflightChance(std::mt19937* random) : random_(*random) {}

  PreflightAnswer Ask(const PreflightRequest& request, Preflights::Clock::time_point now) {
    return preflights_.Ask(request, now);
  }
  /// Returns the nodes at fault.
  std::vector<std::string> Step(model::Time time, Preflights::Clock::time_point now, bool faults) {
    const Preflights::Step step = preflights_.Decide(pods_, time, now);
    std::vector<std::string> nodes;
    for (const auto& ended : step.ended) results_[ended.gang] = ended.result;
    for (const auto& fault : step.faults) {
      nodes.push_back(fault.node);
      preflights_.OnWritten(fault);
    }
    std::set<std::string> gone;
    for (const PreflightPod* pod : step.deletions) {
      if (!faults || Below(8) > 0) gone.insert(pod->uid);
    }
    std::erase_if(pods_, [&gone](const PreflightPod& pod) { return gone.contains(pod.uid); });
    for (const auto& order : step.orders) {
      if (!faults || Below(8) > 0) Create(order, time);
    }
    for (PreflightPod& pod : pods_) Proceed(pod, faults);
    return nodes;
  }
  void Forget() { preflights_.Forget(); }

  // One that has ended holds nothing.
  bool Holds(const std::string& gang) const {
    return std::ranges::any_of(pods_, [&gang](const PreflightPod& pod) {
      return pod.gang == gang && pod.outcome == PreflightOutcome::kOpen;
    });
  }
  bool HasEndedWell(const std::string& gang) const {
    const auto found = results_.find(gang);
    return found != results_.end() &&
           (found->second == PreflightResult::kPassed || found->second == PreflightResult::kNotRun);
  }

 private:
  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  void Create(const Preflights::Order& order, model::Time time) {
    pods_.push_back({.name = order.place.node,
                     .uid = "preflight-" + std::to_string(++created_),
                     .gang = order.gang,
                     .run = order.run,
                     .rank = order.rank,
                     .address = {},
                     .created = time});
  }
  void Proceed(PreflightPod& pod, bool faults) {
    if (Below(2) == 0) pod.address = "10.0.0.1";
    if (pod.address.empty() || pod.outcome != PreflightOutcome::kOpen || Below(2) == 0) return;
    const std::size_t fate = faults ? Below(12) : 11;
    pod.outcome = fate < 2    ? PreflightOutcome::kFailed
                  : fate == 2 ? PreflightOutcome::kNotRun
                  : fate == 3 ? PreflightOutcome::kOpen
                              : PreflightOutcome::kPassed;
    pod.exit_code = fate == 0 ? 3 : 1;
  }

  std::mt19937& random_;
  Preflights preflights_{{.image = "image:1", .timeout = std::chrono::minutes(2)}};
  std::vector<PreflightPod> pods_;
  std::map<std::string, PreflightResult> results_;
  std::size_t created_ = 0;
};

class GangChance {
 public:
  GangChance(std::uint32_t seed, bool preflights) : random_(seed) {
    if (preflights) {
      f_.facts.preflight = [this](const PreflightRequest& request) {
        return preflights_.Ask(request, f_.now);
      };
    }
    for (std::size_t i = 0; i < 8; ++i) {
      f_.AddNode("node-" + std::to_string(i), kDevices, "rack-" + std::to_string(i / 2),
                 "zone-" + std::to_string(i / 4));
    }
  }

  void Step() {
    const std::size_t action = Below(16);
    if (action < 2) CreateGang(1 + Below(6), Below(2) == 0 ? 1 : kDevices);
    if (action == 2) CreateGang(5, kDevices);  // 60 % of all
    if (action < 5) CreateSingle();
    if (action > 4 && action < 9) Schedule();
    if (action == 9) EndGang(AnyGang());
    if (action == 10) Toggle(f_.Node(f_.nodes[Below(8)].node.name).quarantined);
    if (action == 11 && Below(3) == 0) {
      f_.Restart();
      preflights_.Forget();
    }
    if (action == 12) LosePod();
    if (action == 13) f_.facts.lease = "holder/" + std::to_string(Below(3));
    Pass(milliseconds(Below(20'000)));
    Plan();
    if (Below(4) == 0) CheckKeepingIsStable();
  }

  // Nothing breaks any more, and what runs ends. Then each gang runs.
  void Settle() {
    faults_ = false;
    for (auto& node : f_.nodes) f_.Node(node.node.name).quarantined = false;
    for (const std::string& gang : std::set(incomplete_)) Refill(gang);
    const int rounds = f_.facts.preflight ? 1000 : 400;
    for (int i = 0; i < rounds && !f_.pods.empty(); ++i) {
      Plan();
      Schedule();
      Plan();
      EndComplete();
      Pass(seconds(5));
    }
    for (const auto& [name, pod] : f_.pods) {
      ADD_FAILURE() << name << " waits: "
                    << (GangFixture::GangOf(pod).empty() ? "" : f_.ReasonOf(f_.GangOf(pod)));
    }
  }

 private:
  // Of each node.
  static constexpr std::int64_t kDevices = 8;
  // Of nodes that are as good as each other those stay kept that were kept before, so what is kept
  // for a gang hangs on the round before, and on what is kept for the gangs that come first. After
  // so many rounds in which nothing has changed none of that goes on.
  static constexpr int kSettling = 4;

  struct Job {
    std::size_t size = 0;
    std::int64_t devices = 0;
    // Of the first pod.
    std::int64_t first = 0;
    model::StringMap more = {};
    std::int32_t priority = 0;

    std::int64_t DevicesOf(std::size_t rank) const { return rank == 0 ? first : devices; }
    std::int64_t sum() const { return first + devices * (static_cast<std::int64_t>(size) - 1); }
  };
  // How many devices are kept, by node, gang and resource.
  using Kept = std::map<std::tuple<std::string, std::string, std::string>, std::int64_t>;

  std::size_t Below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  static void Toggle(bool& flag) { flag = !flag; }
  void Pass(Planner::Clock::duration time) {
    f_.Pass(time);
    f_.time += std::chrono::duration_cast<seconds>(time);
  }
  std::string AnyGang() { return "gang" + std::to_string(Below(gangs_ + 1)); }

  void CreateGang(std::size_t size, std::int64_t devices) {
    if (f_.pods.size() > 40) return;
    const std::string gang = "gang" + std::to_string(gangs_++);
    Job job{.size = size, .devices = devices, .first = devices};
    if (size > 1 && Below(2) == 0) job.first = FirstBeside(devices);
    // A rack has two nodes.
    if (job.sum() <= 2 * kDevices && Below(3) == 0) {
      job.more = {{"berth.dev/gang-topology", kRack}};
    }
    if (Below(4) == 0) job.more.emplace_back("berth.dev/max-runtime", "10m");
    job.priority = static_cast<std::int32_t>(Below(3));
    jobs_[gang] = std::move(job);
    Refill(gang);
  }
  // What the first pod asks for if the others ask for so much: a launcher for nothing, a master for
  // less than they do or for more. All of them fit wherever pods that are all alike would.
  std::int64_t FirstBeside(std::int64_t devices) {
    const auto most = static_cast<std::size_t>(devices == kDevices ? kDevices / 2 : kDevices);
    return static_cast<std::int64_t>(Below(most + 1));
  }
  void CreateSingle() {
    const std::string name = "single-" + std::to_string(singles_++);
    f_.Refuse(name, 1 + static_cast<std::int64_t>(Below(4)));
  }
  // What runs of it ends.
  void EndGang(const std::string& gang) {
    f_.EndAll(gang);
    if (!f_.NamesOf(gang).empty()) incomplete_.insert(gang);
    ended_.insert(gang);
  }
  // The Job controller deletes a pod that waits, and makes it again, at once or later.
  void LosePod() {
    const std::string gang = AnyGang();
    const auto names = f_.NamesOf(gang);
    if (names.empty()) return;
    f_.Leave(names[Below(names.size())]);
    incomplete_.insert(gang);
    if (Below(2) == 0) Refill(gang);
  }
  // All pods of the gang that neither wait nor run are made again.
  void Refill(const std::string& gang) {
    incomplete_.erase(gang);
    const Job& job = jobs_.at(gang);
    for (std::size_t rank = 0; rank < job.size; ++rank) {
      const std::string name = gang + '-' + std::to_string(rank);
      if (f_.pods.contains(name) || f_.running.contains(name)) continue;
      f_.WaitInGang(gang, rank, job.size, job.DevicesOf(rank), job.more);
      f_.Edit(name, [&job](model::Pod& pod) { pod.priority = job.priority; });
    }
  }

  // kube-scheduler tries all pods without a gate on their nominated nodes.
  void Schedule() {
    for (const auto& [name, pod] : std::map(f_.pods)) {
      if (pod.gated || pod.nominated_node.empty()) continue;
      const model::NodeState& node = f_.Node(pod.nominated_node);
      const bool fits =
          !node.quarantined && policies::fit::JudgeRoom(pod, node) == policies::fit::Misfit::kNone;
      EXPECT_TRUE(fits || node.quarantined) << name << " does not fit " << node.node.name;
      if (fits) {
        f_.Bind(name);
      } else {
        f_.Edit(name, [](model::Pod& each) {
          each.nominated_node.clear();
          each.unschedulable = kRefused;
        });
      }
    }
  }
  // Single pods, and gangs of which all pods run, end.
  void EndComplete() {
    std::map<std::string, std::size_t> count;
    for (const auto& [name, placed] : f_.running) ++count[GangFixture::GangOf(placed.first)];
    for (const auto& [gang, running] : count) {
      if (gang.empty() || f_.NamesOf(gang).empty()) f_.EndAll(gang);
    }
  }
  void Evict(const std::string& gang) {
    for (const std::string& name : f_.NamesOf(gang)) f_.Leave(name);
    f_.EndAll(gang);
    Refill(gang);
  }

  // Returns whether nothing has come of it but words.
  bool Plan() {
    const auto steps = f_.PlanOnly();
    CheckRelease(steps);
    for (const auto& step : steps) {
      // Some writes fail, each on its own.
      const bool withdraws = step.kind == StepKind::kNominate && step.node.empty();
      const bool fails = faults_ && !withdraws && Below(30) == 0;
      fails ? f_.planner->Failed(step) : f_.Write(step);
    }
    CheckRoom();
    CheckWaiting();
    CheckKept();
    for (const auto& step : steps) {
      if (step.kind == StepKind::kEvict) Evict(step.gang);
    }
    const std::vector<std::string> faulty = preflights_.Step(f_.time, f_.now, faults_);
    for (const std::string& node : faulty) f_.Node(node).quarantined = true;
    return faulty.empty() && std::ranges::all_of(steps, IsWord);
  }
  static bool IsWord(const berth::planner::Step& step) {
    return step.kind == StepKind::kSay || step.kind == StepKind::kReport ||
           step.kind == StepKind::kCount;
  }
  // When the first gate of a gang falls, all fall, and all pods have a node.
  void CheckRelease(const std::vector<berth::planner::Step>& steps) {
    std::map<std::string, std::size_t> released;
    for (const auto& step : steps) {
      if (step.kind == StepKind::kUngate) ++released[step.gang];
    }
    for (const auto& [gang, count] : released) {
      const auto names = f_.NamesOf(gang);
      const bool begun = std::ranges::any_of(
          names, [this](const std::string& name) { return !f_.pods.at(name).gated; });
      const bool runs = std::ranges::any_of(f_.running, [&gang](const auto& each) {
        return GangFixture::GangOf(each.second.first) == gang;
      });
      if (begun || runs || ended_.contains(gang)) continue;
      EXPECT_EQ(count, names.size()) << gang;
      EXPECT_GE(count, jobs_.at(gang).size) << gang;
      EXPECT_FALSE(std::ranges::count(f_.NodesOf(gang), "")) << gang;
      if (f_.facts.preflight) CheckPreflight(gang);
    }
  }
  void CheckPreflight(const std::string& gang) {
    // Those of its pods that ask for accelerators.
    std::set<std::string> nodes;
    for (const std::string& name : f_.NamesOf(gang)) {
      const model::Pod& pod = f_.pods.at(name);
      if (pod.requests.Get(kGpu) > 0) nodes.insert(pod.nominated_node);
    }
    EXPECT_FALSE(preflights_.Holds("team/" + gang)) << gang;
    if (nodes.size() < 2) return;
    EXPECT_TRUE(preflights_.HasEndedWell("team/" + gang)) << gang;
  }
  // What runs and what is nominated has room.
  void CheckRoom() {
    std::map<std::string, std::int64_t> used;
    for (const auto& node : f_.nodes) used[node.node.name] = node.used.Get(kGpu);
    for (const auto& [name, pod] : f_.pods) used[pod.nominated_node] += pod.requests.Get(kGpu);
    used.erase("");
    for (const auto& [node, devices] : used) EXPECT_LE(devices, kDevices) << node;
  }
  void CheckWaiting() {
    for (const auto& [gang, job] : jobs_) {
      const auto outlook = f_.planner->gangs().Find("team", gang);
      const bool waits = outlook && (outlook->phase == GangPhase::kCollecting ||
                                     outlook->phase == GangPhase::kWaiting);
      EXPECT_TRUE(!waits || f_.HoldsNothing(gang)) << gang;
    }
  }

  Kept KeptNow() const {
    Kept kept;
    for (const auto& [node, rooms] : f_.planner->gangs().KeptRooms()) {
      for (const model::KeptRoom& room : rooms) {
        kept[{node, room.gang, room.resource}] += room.devices;
      }
    }
    return kept;
  }
  // Gangs that wait for the same nodes may be kept the same devices, and the first one gets them.
  // But what is kept for one gang has to be there for all of its pods at once.
  void CheckKept() {
    std::map<std::string, std::int64_t> sums;  // by gang
    std::set<std::string> nodes;
    for (const auto& [place, devices] : KeptNow()) {
      const auto& [node, gang, resource] = place;
      EXPECT_GT(devices, 0) << gang << " on " << node;
      EXPECT_LE(devices, AllocatableOf(node, resource)) << gang << " on " << node;
      sums[gang] += devices;
      nodes.insert(node);
    }
    for (const auto& [gang, devices] : sums) {
      const std::string name = gang.substr(gang.find('/') + 1);
      EXPECT_LE(devices, jobs_.at(name).sum()) << gang;
      const auto outlook = f_.planner->gangs().Find("team", name);
      EXPECT_TRUE(outlook && outlook->phase == GangPhase::kWaiting) << gang;
    }
    const double most = f_.config.gangs.max_share * static_cast<double>(f_.nodes.size());
    EXPECT_LE(static_cast<double>(nodes.size()), most);
  }
  std::int64_t AllocatableOf(const std::string& name, const std::string& resource) const {
    const auto node =
        std::ranges::find(f_.nodes, name, [](const auto& state) { return state.node.name; });
    return node->node.allocatable.Get(resource);
  }
  // Each other choice would be written on nodes, and would give devices away that have become free.
  void CheckKeepingIsStable() {
    constexpr int kMost = 4 * kSettling;
    int quiet = 0;
    for (int i = 0; i < kMost && quiet < kSettling; ++i) quiet = Plan() ? quiet + 1 : 0;
    if (quiet < kSettling) return;
    const Kept kept = KeptNow();
    if (!Plan()) return;
    EXPECT_EQ(KeptNow(), kept);
  }

  std::mt19937 random_;
  GangFixture f_;
  PreflightChance preflights_{&random_};
  std::size_t gangs_ = 0;
  std::size_t singles_ = 0;
  std::map<std::string, Job> jobs_;   // by gang
  std::set<std::string> incomplete_;  // gangs of which pods are to be made again
  std::set<std::string> ended_;       // gangs of which pods have ended
  bool faults_ = true;
};

TEST(GangsProperty, AllOrNothingAndNothingTwice) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    GangChance chance(seed, false);
    for (int i = 0; i < 100; ++i) chance.Step();
    chance.Settle();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(GangsProperty, NoneIsReleasedBeforeItsPreflightHasEndedWell) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    GangChance chance(seed, true);
    for (int i = 0; i < 100; ++i) chance.Step();
    chance.Settle();
    if (testing::Test::HasFailure()) return;
  }
}

// Two gangs of 60 % of all nodes: one runs, the other one holds nothing until it has ended.
TEST(GangsProperty, OfTwoGangsThatFitAloneOneRunsAfterTheOther) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    GangFixture f;
    for (int i = 0; i < 10; ++i) f.AddNode("node-" + std::to_string(i), 8);
    std::vector<std::pair<std::string, std::size_t>> pods;
    for (std::size_t rank = 0; rank < 6; ++rank) {
      for (const char* gang : {"one", "two"}) pods.emplace_back(gang, rank);
    }
    std::ranges::shuffle(pods, random);
    for (const auto& [gang, rank] : pods) {
      f.WaitInGang(gang, rank, 6, 8);
      if (random() % 2 == 0) f.Plan();
    }
    for (int i = 0; i < 3; ++i) f.Plan();
    const std::string first = f.PhaseOf("one") == GangPhase::kReleased ? "one" : "two";
    const std::string second = first == "one" ? "two" : "one";
    ASSERT_EQ(f.PhaseOf(first), GangPhase::kReleased);
    EXPECT_TRUE(f.HoldsNothing(second));
    f.BindAll(first);
    f.Plan();
    EXPECT_TRUE(f.HoldsNothing(second));
    f.EndAll(first);
    for (int i = 0; i < 2; ++i) f.Plan();
    EXPECT_EQ(f.PhaseOf(second), GangPhase::kReleased);
  }
}

}  // namespace
}  // namespace berth::planner
