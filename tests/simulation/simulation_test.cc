// Seeds of the simulation: 500, or those that SEEDS names; see seeds.h.

#include <cstddef>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/simulation/seeds.h"
#include "tests/simulation/world.h"

namespace berth::simulation {
namespace {

/// What happened in the world of `seed`: the last `most` lines of it.
std::string StoryOf(std::uint64_t seed, std::ptrdiff_t most) {
  World world(seed, Sabotage::kNone, true);
  world.Run();
  return EndOf(world.trace(), most);
}

/// A share of all seeds, so that they run side by side.
class Simulation : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::uint64_t kShares = 10;
};

TEST_P(Simulation, BerthIsSafeTrueAliveAndBounded) {
  const Seeds seeds = SeedsToRun(500);
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    if (seed % kShares != GetParam()) continue;
    const Complaint complaint = World(seed, Sabotage::kNone, false).Run();
    ASSERT_FALSE(complaint) << "seed " << seed << " failed: " << *complaint
                            << "\nreplay with SEEDS=" << seed << '-' << seed << "; what happened:\n"
                            << StoryOf(seed, seeds.first == seeds.last ? kWholeStory : kEndOfStory);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Simulation, ::testing::Range<std::uint64_t>(0, 10));

TEST(SimulationTest, ASeedTellsTheSameStoryEachTime) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(StoryOf(seed, kWholeStory), StoryOf(seed, kWholeStory)) << seed;
  }
}

// Where nothing happens nothing is proved.
TEST(SimulationTest, MuchHappens) {
  World::Counts sum;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    World world(seed, Sabotage::kNone, false);
    world.Run();
    sum.answers += world.counts().answers;
    sum.refusals += world.counts().refusals;
    sum.truths += world.counts().truths;
    sum.berth_lives += world.counts().berth_lives;
    sum.outages += world.counts().outages;
    sum.patches += world.counts().patches;
    sum.unreadable += world.counts().unreadable;
  }
  EXPECT_GT(sum.answers, 1000);
  EXPECT_GT(sum.refusals, 1000);
  EXPECT_GT(sum.truths, 10'000);
  EXPECT_GT(sum.berth_lives, 70);
  EXPECT_GT(sum.outages, 30);
  EXPECT_GT(sum.patches, 30);
  EXPECT_GT(sum.unreadable, 1000);
}

struct Broken {
  Sabotage sabotage;
  const char* name;
  /// Part of what is said of it.
  const char* complaint;
};

class BrokenSimulation : public ::testing::TestWithParam<Broken> {};

// Who breaks it on purpose is found out.
TEST_P(BrokenSimulation, IsFoundOut) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Complaint complaint = World(seed, GetParam().sabotage, false).Run();
    if (!complaint) continue;
    EXPECT_NE(complaint->find(GetParam().complaint), std::string::npos)
        << seed << ": " << *complaint;
    return;
  }
  ADD_FAILURE() << "300 seeds have not found it";
}

INSTANTIATE_TEST_SUITE_P(
    Sabotage, BrokenSimulation,
    ::testing::Values(Broken{Sabotage::kDropsUpserts, "DropsUpserts", "at revision"},
                      Broken{Sabotage::kDropsDeletes, "DropsDeletes", "at revision"},
                      Broken{Sabotage::kForgetsReplace, "ForgetsReplace", "at revision"},
                      Broken{Sabotage::kRunsAhead, "RunsAhead", "revision"},
                      Broken{Sabotage::kTrustsUnreadable, "TrustsUnreadable", "at revision"},
                      Broken{Sabotage::kIgnoresConditions, "IgnoresConditions", "admitted"},
                      Broken{Sabotage::kGivesUp, "GivesUp", ""},
                      Broken{Sabotage::kLeaks, "Leaks", "kept"}),
    [](const auto& broken) { return broken.param.name; });

}  // namespace
}  // namespace berth::simulation
