// Several candidates over hours, with everything that may go wrong between them and the Lease.

#include <memory>
#include <random>

#include "gtest/gtest.h"
#include "tests/unit/controller/election_fixtures.h"

namespace berth::controller {
namespace {

using Fault = FakeLease::Fault;

class World {
 public:
  World(std::uint64_t seed, int candidates) : random_(seed) {
    lease_.fault = [this] { return NextFault(); };
    lease_.meanwhile = [this] { Meanwhile(); };
    for (int i = 0; i < candidates; ++i) {
      auto& one = all_.emplace_back(std::make_unique<One>());
      one->rate = 1 + 0.01 * static_cast<double>(Draw(-1, 1));
      one->candidate =
          std::make_unique<Candidate>(std::string(1, static_cast<char>('a' + i)), &lease_,
                                      &one->clock, seed + static_cast<std::uint64_t>(i));
    }
  }

  void Run(seconds duration) {
    const seconds end = duration;
    while (passed_ < end) {
      StepAllDue();
      Pass(milliseconds(Draw(1, 500)));
      if (Draw(1, 200) == 1) outage_ = !outage_;
      if (Draw(1, 2000) == 1 && lease_.record) lease_.record.reset();
    }
  }

  int most_leaders = 0;
  int changes = 0;

 private:
  struct One {
    FakeTime clock;
    double rate = 1;
    milliseconds due{0};
    bool busy = false;
    bool led = false;
    std::unique_ptr<Candidate> candidate;
  };

  int Draw(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  Fault NextFault() {
    if (outage_) return Draw(0, 1) == 0 ? Fault::kNeverArrives : Fault::kReplyIsLost;
    const int ticket = Draw(0, 19);
    if (ticket == 0) return Fault::kNeverArrives;
    return ticket == 1 ? Fault::kReplyIsLost : Fault::kNone;
  }

  // A request takes its time, in which others act.
  void Meanwhile() {
    Pass(milliseconds(Draw(0, 9) == 0 ? Draw(0, 2500) : Draw(0, 20)));
    StepAllDue();
  }

  void StepAllDue() {
    for (const auto& one : all_) {
      if (one->busy || one->due > passed_) continue;
      one->busy = true;
      const milliseconds wait = one->candidate->Step();
      one->due = passed_ + wait;
      one->busy = false;
      Count();
    }
  }

  void Pass(milliseconds time) {
    passed_ += time;
    for (const auto& one : all_) {
      one->clock.now += std::chrono::microseconds(
          static_cast<std::int64_t>(1000 * one->rate * static_cast<double>(time.count())));
    }
    Count();
  }

  void Count() {
    int leaders = 0;
    for (const auto& one : all_) {
      const bool leads = one->candidate->Leads();
      leaders += leads ? 1 : 0;
      changes += leads != one->led ? 1 : 0;
      one->led = leads;
    }
    most_leaders = std::max(most_leaders, leaders);
  }

  std::mt19937_64 random_;
  milliseconds passed_{0};
  bool outage_ = false;
  FakeLease lease_;
  std::vector<std::unique_ptr<One>> all_;
};

TEST(LeaderElectionProperty, NeverTwoLead) {
  int changes = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    World world(seed, 2 + static_cast<int>(seed % 2));
    world.Run(std::chrono::hours(1));
    EXPECT_EQ(world.most_leaders, 1) << "seed " << seed;
    changes += world.changes;
  }
  EXPECT_GT(changes, 1000) << "leadership hardly moved, so this proves nothing";
}

}  // namespace
}  // namespace berth::controller
