#include "planner/topology.h"

#include "tests/unit/planner/gang_fixture.h"

namespace berth::planner {
namespace {

using model::NodeIndex;
using ::testing::ElementsAre;

std::vector<std::string> PathsAt(const Topology& topology, std::size_t level) {
  std::vector<std::string> paths;
  for (const Topology::Domain* domain : topology.At(level)) paths.push_back(domain->path);
  return paths;
}

TEST(Topology, RacksOfTheSameNameInDifferentZonesAreDifferent) {
  GangFixture f;
  f.AddNode("a", 8, "1", "east");
  f.AddNode("b", 8, "1", "west");
  f.AddNode("c", 8, "2", "east");
  f.AddNode("d", 8, "1", "east");
  const policies::scheduling::FixedView view(f.nodes);
  const Topology topology(view, {kRack, kZone});
  EXPECT_THAT(PathsAt(topology, 0), ElementsAre("east/1", "east/2", "west/1"));
  EXPECT_THAT(PathsAt(topology, 1), ElementsAre("east", "west"));
  EXPECT_THAT(PathsAt(topology, 2), ElementsAre(""));
  EXPECT_EQ(&topology.Around(0), &topology.Around(3));
  EXPECT_EQ(topology.Around(0, 1).path, "east");
  EXPECT_EQ(topology.Around(0, 2).path, "");
  EXPECT_LT(topology.PositionOf(3), topology.PositionOf(2));
  EXPECT_LT(topology.PositionOf(2), topology.PositionOf(1));
}

TEST(Topology, ANodeWithoutALabelIsInTheNextWiderDomain) {
  GangFixture f;
  f.AddNode("a", 8, "", "east");
  f.AddNode("b", 8, "1", "");
  f.AddNode("c", 8);
  const policies::scheduling::FixedView view(f.nodes);
  const Topology topology(view, {kRack, kZone});
  EXPECT_EQ(topology.Around(0).path, "east");
  EXPECT_EQ(topology.Around(1).path, "1");
  EXPECT_EQ(topology.Around(1).level, 0U);
  EXPECT_EQ(&topology.Around(2), &topology.cluster());
  EXPECT_EQ(topology.LevelOf(kZone), std::size_t{1});
  EXPECT_EQ(topology.LevelOf("block"), std::nullopt);
}

}  // namespace
}  // namespace berth::planner
