// Seeds of the simulation of gangs; see seeds.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "server/log.h"
#include "tests/simulation/gang_world.h"
#include "tests/simulation/seeds.h"

namespace berth::simulation {
namespace {

std::string GangStoryOf(std::uint64_t seed, std::ptrdiff_t most) {
  GangWorld world(seed, PlannerSabotage::kNone, true);
  world.Run();
  return EndOf(world.trace(), most);
}

// The planner logs what becomes of each gang.
[[maybe_unused]] const bool kQuiet = [] {
  server::SetLogLevel(server::LogLevel::kError);
  return true;
}();

/// A share of all seeds, so that they run side by side.
class GangSimulation : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(GangSimulation, GangsRunWholeAndAllEnd) {
  const Seeds seeds = SeedsToRun(100);
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    if (seed % 4 != GetParam()) continue;
    const Complaint complaint = GangWorld(seed, PlannerSabotage::kNone, false).Run();
    ASSERT_FALSE(complaint) << "seed " << seed << " failed: " << *complaint
                            << "\nreplay with SEEDS=" << seed << '-' << seed << "; what happened:\n"
                            << GangStoryOf(seed,
                                           seeds.first == seeds.last ? kWholeStory : kEndOfStory);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GangSimulation, ::testing::Range<std::uint64_t>(0, 4));

TEST(GangSimulationTest, ASeedTellsTheSameStoryEachTime) {
  EXPECT_EQ(GangStoryOf(1, kWholeStory), GangStoryOf(1, kWholeStory));
}

// Where nothing happens nothing is proved.
TEST(GangSimulationTest, MuchHappens) {
  GangWorld::Counts sum;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GangWorld world(seed, PlannerSabotage::kNone, false);
    world.Run();
    sum.releases += world.counts().releases;
    sum.evictions += world.counts().evictions;
    sum.restarts += world.counts().restarts;
  }
  EXPECT_GT(sum.releases, 50);
  EXPECT_GT(sum.evictions, 0);
  EXPECT_GT(sum.restarts, 10);
}

struct BrokenPlan {
  PlannerSabotage sabotage;
  const char* name;
  /// Part of what is said of it.
  const char* complaint;
};

class BrokenGangSimulation : public ::testing::TestWithParam<BrokenPlan> {};

// Who breaks it on purpose is found out.
TEST_P(BrokenGangSimulation, IsFoundOut) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Complaint complaint = GangWorld(seed, GetParam().sabotage, false).Run();
    // Some seeds end with another complaint, as that a gang waits for ever.
    if (complaint && complaint->find(GetParam().complaint) != std::string::npos) return;
  }
  ADD_FAILURE() << "100 seeds have not found it";
}

INSTANTIATE_TEST_SUITE_P(Sabotage, BrokenGangSimulation,
                         ::testing::Values(BrokenPlan{PlannerSabotage::kForgetsDeletes,
                                                      "ForgetsDeletes", "of which it knew"},
                                           BrokenPlan{PlannerSabotage::kForgetsLease,
                                                      "ForgetsLease", "not nominated for"}),
                         [](const auto& broken) { return broken.param.name; });

}  // namespace
}  // namespace berth::simulation
