// A pool over hours of random life: nodes break and are repaired, while their detectors restart,
// fall silent, cannot look for up to an hour, and have clocks that are up to five minutes wrong.
// The snapshot is told what the API server would have, and every ten seconds the health policy
// judges all nodes, and the plan of evictions says which are to be emptied.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "controller/eviction_plan.h"
#include "policies/scheduling/health.h"
#include "policies/scheduling/health_profiles.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using model::ConditionStatus;
using model::Duration;
using policies::scheduling::kNow;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kNodes = 24;
// Fewer than half of the pool, with which the plan would stand back.
constexpr int kThatBreak = 8;
constexpr Duration kStep = seconds(10);
constexpr Duration kLife = hours(6);
constexpr Duration kWait = minutes(10);
// A condition that was bad for less than a minute is taken for a slip.
constexpr Duration kNoSlip = seconds(80);
const Duration kKeepFor = policies::scheduling::HealthConfig{}.keep_for;

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  Duration Between(Duration least, Duration most) {
    return Duration{
        std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random_)};
  }
  /// Whether what happens once in so long happens in this step.
  bool OnceIn(Duration time) { return Between(Duration{0}, time) < kStep; }

 private:
  std::mt19937 random_;
};

/// A node with its detector. Times are since the beginning of the test.
class Machine {
 public:
  Machine(std::string type, bool breaks, bool says_well_first, Duration ahead)
      : type_(std::move(type)),
        breaks_(breaks),
        says_well_first_(says_well_first),
        ahead_(ahead),
        transition_(-hours(9) + ahead) {}

  /// Lives one step. Returns whether the detector has written anything.
  bool Live(Duration at, Dice& dice) {
    written_ = false;
    if (at >= turns_) Turn(at, dice);
    if (at >= silent_until_) RunDetector(at, dice);
    if (status_ != ConditionStatus::kFalse) {
      if (IsBeyondDoubt(at - kStep)) doubted_since_ = at;
      last_doubt_ = at;
    }
    return written_;
  }

  model::Condition Condition() const {
    return {type_, status_, kNow + transition_, kNow + heartbeat_};
  }
  /// Whether the detector has found the fault, and not that it is over.
  bool IsKnownBad() const { return known_bad_since_.has_value(); }
  /// Whether the detector has not said anything but well for as long as Berth distrusts that.
  bool IsBeyondDoubt(Duration at) const { return at - last_doubt_ > kKeepFor; }
  bool ever_broke() const { return ever_broke_; }
  /// Whether its condition is bad, and was known to be for so long.
  bool IsBadFor(Duration at, Duration time) const {
    return IsBad() && at - *known_bad_since_ >= time;
  }
  /// Whether its condition is bad, and the node was not beyond doubt for so long. If the detector
  /// says well for a moment only, Berth has not let the node in, and counts on.
  bool IsBadAndDoubtedFor(Duration at, Duration time) const {
    return IsBad() && at - doubted_since_ >= time;
  }

 private:
  bool IsBad() const { return status_ == ConditionStatus::kTrue && IsKnownBad(); }

  /// The node breaks, or is repaired.
  void Turn(Duration at, Dice& dice) {
    const bool is_first = turns_ == Duration{0};
    if (!is_first && breaks_) broken_ = !broken_;
    ever_broke_ = ever_broke_ || broken_;
    turns_ = at + dice.Between(minutes(2), minutes(90));
  }

  void RunDetector(Duration at, Dice& dice) {
    const bool calm = IsCalm(at);
    if (calm && dice.OnceIn(hours(2))) {
      silent_until_ = at + dice.Between(kStep, minutes(50));
      restarts_ = true;
      return;
    }
    if (restarts_ || (calm && dice.OnceIn(minutes(30)))) return Restart(at, dice);
    if (at < looks_) return;
    looks_ = at + minutes(1);
    has_looked_ = true;
    if (calm && at >= blind_until_ && dice.OnceIn(minutes(20))) {
      blind_until_ = at + dice.Between(kStep, hours(1));
    }
    if (at < blind_until_) {
      Write(at, ConditionStatus::kUnknown);
      return;
    }
    Write(at, broken_ ? ConditionStatus::kTrue : ConditionStatus::kFalse);
    if (!broken_) known_bad_since_.reset();
    if (broken_ && !known_bad_since_) known_bad_since_ = at;
  }

  /// Whether Berth knows what the detector knows, so that one thing more may go wrong with it. A
  /// detector that says well and does not look for longer than health.keepFor lets its node in.
  bool IsCalm(Duration at) const {
    const bool found_just_now = known_bad_since_ && at - *known_bad_since_ < kNoSlip;
    return !found_just_now && has_looked_;
  }

  /// As node-problem-detector does: what it says next has a new time, and is well unless
  /// skip_initial_status is set.
  void Restart(Duration at, Dice& dice) {
    restarts_ = has_looked_ = false;
    looks_ = at + dice.Between(kStep, seconds(90));
    forgot_ = true;
    if (says_well_first_) Write(at, ConditionStatus::kFalse);
  }

  void Write(Duration at, ConditionStatus status) {
    if (status != status_ || forgot_) {
      status_ = status;
      transition_ = at + ahead_;
    } else if (at - wrote_ < minutes(5)) {
      return;
    }
    forgot_ = false;
    wrote_ = at;
    heartbeat_ = at + ahead_;
    written_ = true;
  }

  const std::string type_;
  const bool breaks_;
  const bool says_well_first_;
  const Duration ahead_;
  bool broken_ = false;
  bool ever_broke_ = false;
  Duration turns_{0};

  bool restarts_ = false;
  bool has_looked_ = true;
  bool forgot_ = false;
  Duration silent_until_{0};
  Duration blind_until_{0};
  Duration looks_{0};
  std::optional<Duration> known_bad_since_;
  Duration last_doubt_ = -hours(9);
  Duration doubted_since_{0};

  ConditionStatus status_ = ConditionStatus::kFalse;
  Duration transition_;
  Duration heartbeat_{0};
  Duration wrote_ = -hours(9);
  bool written_ = false;
};

/// The pool as Berth sees it.
class Pool {
 public:
  Pool(const std::string& type, policies::scheduling::HealthProfile profile, std::uint32_t seed)
      : health_{.profiles = {profile}},
        dice_(seed),
        snapshot_({.catalog = policies::scheduling::Catalog(), .now = [this] { return now(); }}),
        plan_({.evict = {{.condition = type, .after = kWait}}, .health = health_}) {
    for (int i = 0; i < kNodes; ++i) {
      machines_.emplace_back(type, i < kThatBreak, i % 2 == 0,
                             dice_.Between(-minutes(5), minutes(5)));
      Tell(i);
    }
  }

  void Live() {
    at_ += kStep;
    for (int i = 0; i < kNodes; ++i) {
      if (machines_[i].Live(at_, dice_)) Tell(i);
    }
    const cluster::Snapshot::Reader view = snapshot_.Read();
    due_.clear();
    for (const NodeToEmpty& node : plan_.Due(view, *policies::scheduling::Catalog(), now(),
                                             EvictionPlan::Clock::time_point(hours(1) + at_))) {
      due_.insert(node.node);
    }
    Judge(view);
  }

  Duration at() const { return at_; }
  const Machine& machine(int i) const { return machines_[i]; }
  bool Admits(int i) const { return admitted_[i]; }
  bool IsDue(int i) const { return due_.contains(NameOf(i)); }

 private:
  static std::string NameOf(int i) { return "v100-" + std::to_string(i); }

  model::Time now() const { return kNow + at_; }

  void Tell(int i) {
    model::Node node = policies::scheduling::GpuNode(NameOf(i), "Tesla-V100-SXM2-32GB").node;
    node.conditions = {{"Ready", ConditionStatus::kTrue, kNow - hours(99), now()},
                       machines_[i].Condition()};
    snapshot_.UpsertNode(node);
  }

  void Judge(const cluster::Snapshot::Reader& view) {
    policies::scheduling::ReasonTable reasons;
    const std::string prefix = "berth.dev";
    const policies::scheduling::HealthPolicy policy(
        {*policies::scheduling::Catalog(), prefix, reasons}, health_);
    const auto prepared = policy.Prepare(
        policies::scheduling::PodAskingFor(policies::scheduling::kGpu, 1), view, now());
    const auto& evaluator =
        std::get<std::unique_ptr<policies::scheduling::NodeEvaluator>>(prepared);
    for (int i = 0; i < kNodes; ++i) {
      admitted_[i] = evaluator->Evaluate(*view.At(view.Find(NameOf(i)).value())).fits;
    }
  }

  const policies::scheduling::HealthConfig health_;
  Duration at_{0};
  Dice dice_;
  cluster::Snapshot snapshot_;
  EvictionPlan plan_;
  std::vector<Machine> machines_;
  bool admitted_[kNodes] = {};
  std::set<std::string> due_;
};

struct Life {
  const char* condition;
  policies::scheduling::HealthProfile profile;
};

class DetectorLives : public testing::TestWithParam<Life> {};

TEST_P(DetectorLives, MoveNoPodExcludeNoWellNodeAndLetNoBrokenOneIn) {
  int refusals = 0;
  int evictions = 0;
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    Pool pool(GetParam().condition, GetParam().profile, seed);
    while (pool.at() < kLife) {
      pool.Live();
      for (int i = 0; i < kNodes; ++i) {
        const Machine& machine = pool.machine(i);
        const auto where = [&] {
          return "seed " + std::to_string(seed) + ", node " + std::to_string(i) + ", " +
                 std::to_string(pool.at().count()) + " s";
        };
        if (machine.IsKnownBad()) {
          ASSERT_FALSE(pool.Admits(i)) << where();
        }
        const bool is_well =
            !machine.ever_broke() || (!machine.IsKnownBad() && machine.IsBeyondDoubt(pool.at()));
        if (is_well) {
          ASSERT_TRUE(pool.Admits(i)) << where();
        }
        if (machine.IsBadFor(pool.at(), kWait)) {
          ASSERT_TRUE(pool.IsDue(i)) << where();
        }
        if (pool.IsDue(i)) {
          ASSERT_TRUE(machine.IsBadAndDoubtedFor(pool.at(), kWait)) << where();
        }
        refusals += machine.IsKnownBad() ? 1 : 0;
        evictions += pool.IsDue(i) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(refusals, 10'000);
  EXPECT_GT(evictions, 5'000);
}

// GPUIsLost has a time of recovery, and DStateProcess none. By pfn, nothing is ever stale.
INSTANTIATE_TEST_SUITE_P(
    Conditions, DetectorLives,
    testing::Values(Life{"GPUIsLost", policies::scheduling::HealthProfile::kProbe},
                    Life{"DStateProcess", policies::scheduling::HealthProfile::kPfn}),
    [](const auto& param) { return std::string(param.param.condition); });

}  // namespace
}  // namespace berth::controller
