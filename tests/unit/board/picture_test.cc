#include "board/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "board/devices.h"
#include "tests/unit/board/board_fixtures.h"

namespace berth::board {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

/// What a page knows that applies every message: its nodes by id, with texts in place of words.
struct PageUnderTest {
  std::uint64_t revision = 0;
  std::vector<std::string> words;
  std::map<int, Json> nodes;
  Json pools;
  Json waiting;

  void Apply(const Picture& picture) {
    for (const std::string& part : picture.Encode(revision, 5)) Apply(Json::parse(part));
    revision = picture.revision();
  }

  void Apply(const Json& told) {
    if (told["since"] == 0 && told["first"] == true) *this = {};
    words.resize(told["words"]["from"].get<std::size_t>());
    for (const auto& word : told["words"]["add"]) words.push_back(word.get<std::string>());
    EXPECT_LE(told["nodes"]["id"].size(), 5U);
    for (std::size_t i = 0; i < told["nodes"]["id"].size(); ++i) {
      Json node;
      for (const auto& [column, values] : told["nodes"].items()) node[column] = values[i];
      for (const char* text : {"pool", "rack", "reason"})
        node[text] = words.at(node[text].get<std::size_t>());
      for (const char* shares : {"held", "planned"}) {
        for (std::size_t at = 0; at < node[shares].size(); at += 2) {
          node[shares][at] = words.at(node[shares][at].get<std::size_t>());
        }
      }
      nodes[node["id"].get<int>()] = node;
    }
    if (told["more"] == true) return;
    for (const auto& id : told["gone"]) nodes.erase(id.get<int>());
    if (told.contains("pools")) pools = told["pools"];
    if (told.contains("waiting")) waiting = told["waiting"];
  }
};

const NodeRow& RowOf(const BoardUnderTest& board, const std::string& name) {
  const NodeRow* row = board.picture.Find(name);
  EXPECT_NE(row, nullptr);
  static const NodeRow none;
  return row == nullptr ? none : *row;
}

TEST(BoardPicture, ANodesDevicesAreHeldPlannedFreeOrBroken) {
  BoardUnderTest board;
  model::Node node = MakeNode("a");
  node.labels.emplace_back(kRack, "r1");
  node.labels.emplace_back(kZone, "z");
  board.Put(node);
  model::Pod alice = MakePod("train", "a", 3);
  alice.annotations = {{"berth.dev/created-by", "alice"}};
  board.Put(alice);
  board.Put(MakePod("other", "a", 1));
  board.Put(Nominated("next", 2, "a"));
  EXPECT_TRUE(board.Update());
  const NodeRow& row = RowOf(board, "a");
  EXPECT_EQ(row.pool, "V100");
  EXPECT_EQ(row.rack, "z / r1");
  EXPECT_EQ(row.status, NodeStatus::kGood);
  EXPECT_THAT(row.held, ElementsAre(Pair("alice", 3), Pair("ml", 1)));
  EXPECT_THAT(row.planned, ElementsAre(Pair("ml", 2)));
  EXPECT_EQ(row.free, 2);
  EXPECT_EQ(row.broken, 0);
}

TEST(BoardPicture, AConditionBreaksWhatNobodyHoldsAndSaysSinceWhen) {
  BoardUnderTest board;
  board.Put(Broken("a"));
  board.Put(MakePod("train", "a", 3));
  board.Update();
  const NodeRow& row = RowOf(board, "a");
  EXPECT_EQ(row.status, NodeStatus::kBroken);
  EXPECT_EQ(row.reason, "GPUIsLost");
  EXPECT_EQ(row.since, kNow - std::chrono::hours(3));
  EXPECT_EQ(row.free, 0);
  EXPECT_EQ(row.broken, 5);
  EXPECT_THAT(row.held, ElementsAre(Pair("ml", 3)));
}

TEST(BoardPicture, StatesWithoutAConditionOfADetectorHaveNamesToo) {
  BoardUnderTest board;
  model::Node cordoned = MakeNode("cordoned");
  cordoned.unschedulable = true;
  board.Put(cordoned);
  model::Node down = MakeNode("down");
  down.conditions = {
      {"Ready", model::ConditionStatus::kUnknown, kNow - std::chrono::hours(1), kNow}};
  board.Put(down);
  model::Node shrunk = MakeNode("shrunk");
  shrunk.allocatable.Set(kGpu, 6);
  board.Put(shrunk);
  board.snapshot.QuarantineNode({.kind = "Node", .name = "odd", .error = "x"});
  board.Update();
  EXPECT_EQ(RowOf(board, "cordoned").status, NodeStatus::kCordoned);
  EXPECT_EQ(RowOf(board, "cordoned").broken, 8);
  EXPECT_EQ(RowOf(board, "down").status, NodeStatus::kNotReady);
  EXPECT_EQ(RowOf(board, "down").since, kNow - std::chrono::hours(1));
  EXPECT_EQ(RowOf(board, "shrunk").status, NodeStatus::kGood);
  EXPECT_EQ(RowOf(board, "shrunk").free, 6);
  EXPECT_EQ(RowOf(board, "shrunk").broken, 2) << "the kubelet does not offer them";
  EXPECT_EQ(RowOf(board, "odd").status, NodeStatus::kUnreadable);
}

TEST(BoardPicture, ANodeNeverShowsMoreDevicesThanItHas) {
  BoardUnderTest board;
  board.Put(MakeNode("a", 4));
  board.Put(MakePod("before", "a", 6));
  board.Put(Nominated("next", 2, "a"));
  board.Update();
  const NodeRow& row = RowOf(board, "a");
  EXPECT_THAT(row.held, ElementsAre(Pair("ml", 4)));
  EXPECT_THAT(row.planned, ElementsAre());
  EXPECT_EQ(row.free, 0);
  EXPECT_EQ(row.broken, 0);
}

model::Node WithoutDevices(const std::string& name) { return MakeNode(name, 0); }

// Its device plugin is away, and what ran there still runs.
TEST(BoardPicture, ANodeThatHasLostAllItsDevicesIsBrokenAndItsHoldersStay) {
  BoardUnderTest board;
  board.Put(WithoutDevices("a"));
  board.Put(MakePod("one", "a", 6));
  board.Put(MakePod("two", "a", 2));
  board.Put(Nominated("next", 2, "a"));
  board.Put(WithoutDevices("idle"));
  board.Update();
  const NodeRow& row = RowOf(board, "a");
  EXPECT_EQ(row.status, NodeStatus::kBroken);
  EXPECT_EQ(row.reason, "offers no devices");
  EXPECT_THAT(row.held, ElementsAre(Pair("ml", 8)));
  EXPECT_THAT(row.planned, IsEmpty());
  EXPECT_EQ(row.free, 0);
  EXPECT_EQ(row.broken, 0);
  EXPECT_EQ(RowOf(board, "idle").status, NodeStatus::kBroken);
  EXPECT_EQ(RowOf(board, "idle").reason, "offers no devices");
  EXPECT_THAT(board.picture.pools(),
              ElementsAre(Pair("V100", PoolTotals{.nodes = 2, .bad_nodes = 2, .held = 8})));
}

TEST(BoardPicture, AReasonThatSaysMoreComesBeforeDevicesThatAreAway) {
  BoardUnderTest board;
  model::Node broken = Broken("broken");
  model::Node cordoned = MakeNode("cordoned");
  cordoned.unschedulable = true;
  for (model::Node* node : {&broken, &cordoned}) {
    node->capacity.Set(kGpu, 0);
    node->allocatable.Set(kGpu, 0);
    board.Put(*node);
  }
  board.Update();
  EXPECT_EQ(RowOf(board, "broken").reason, "GPUIsLost");
  EXPECT_EQ(RowOf(board, "cordoned").status, NodeStatus::kCordoned);
}

// Neither its label nor its capacity tells of devices: the pods that hold them do.
TEST(BoardPicture, PodsThatHoldDevicesAreShownAlsoWhereNothingElseTellsOfSome) {
  BoardUnderTest board;
  for (const char* name : {"bare", "cpu"}) {
    model::Node node;
    node.name = name;
    board.Put(node);
  }
  board.Put(MakePod("train", "bare", 3));
  board.Update();
  const NodeRow& row = RowOf(board, "bare");
  EXPECT_EQ(row.status, NodeStatus::kBroken);
  EXPECT_EQ(row.reason, "offers no devices");
  EXPECT_THAT(row.held, ElementsAre(Pair("ml", 3)));
  EXPECT_EQ(RowOf(board, "cpu").status, NodeStatus::kGood);
  EXPECT_THAT(board.picture.pools(),
              ElementsAre(Pair("no accelerator", PoolTotals{.nodes = 1}),
                          Pair("unrecognised nvidia.com/gpu",
                               PoolTotals{.nodes = 1, .bad_nodes = 1, .held = 3})));
}

TEST(BoardPicture, PodsMayClaimAnyNumberOfDevicesOfANodeThatHasNone) {
  BoardUnderTest board;
  board.Put(WithoutDevices("a"));
  board.Put(MakePod("one", "a", std::numeric_limits<std::int64_t>::max()));
  board.Put(MakePod("two", "a", std::numeric_limits<std::int64_t>::max()));
  board.Update();
  EXPECT_EQ(HeldDevices(RowOf(board, "a")), 1'000'000'000);
  PageUnderTest page;
  page.Apply(board.picture);
  EXPECT_EQ(page.nodes.begin()->second["perCell"], 62'500'000);
}

// A page makes room for every cell, so the device plugin of one node could take everybody's page.
TEST(BoardPicture, ANodeIsDrawnInFewCellsHoweverManyDevicesItClaims) {
  const struct {
    std::int64_t devices;
    std::int64_t per_cell;
  } cases[] = {{0, 1},
               {1, 1},
               {16, 1},
               {17, 2},
               {80, 5},
               {1'000'000'000, 62'500'000},
               {std::numeric_limits<std::int64_t>::max(), 62'500'000}};
  for (const auto& [devices, per_cell] : cases) {
    BoardUnderTest board;
    board.Put(MakeNode("a", devices));
    board.Update();
    PageUnderTest page;
    page.Apply(board.picture);
    ASSERT_THAT(page.nodes, SizeIs(1)) << devices;
    const Json& node = page.nodes.begin()->second;
    EXPECT_EQ(node["perCell"], per_cell) << devices;
    EXPECT_LE(node["free"].get<std::int64_t>(), kMostCells * per_cell) << devices;
  }
}

TEST(BoardPicture, CellsAreCountedOverAllThatTheDevicesAreUsedFor) {
  const NodeRow row{.held = {{"alice", 7.5}}, .planned = {{"bob", 5}}, .free = 3, .broken = 2};
  EXPECT_EQ(DevicesPerCell(row), 2) << "8 held, 5 planned, 3 free and 2 broken are 18";
}

constexpr char kHalf[] = "nvidia.com/mig-3g.20gb";
constexpr char kSeventh[] = "nvidia.com/mig-1g.5gb";

/// V100 nodes whose devices are cut into slices.
std::shared_ptr<const model::AcceleratorCatalog> SlicedCatalog() {
  model::AcceleratorSpec v100;
  v100.name = "V100";
  v100.resource = kGpu;
  v100.slices = {{kHalf, 2}, {kSeventh, 7}};
  v100.nodes = {{"example.com/model", "^v100$"}};
  auto catalog = model::AcceleratorCatalog::Make({v100});
  return std::make_shared<const model::AcceleratorCatalog>(*std::move(catalog));
}

/// The node "a", with whole devices and slices.
model::Node SlicedNode(std::int64_t gpus, std::int64_t halves, std::int64_t sevenths) {
  model::Node node = MakeNode("a", gpus);
  for (model::Resources* resources : {&node.capacity, &node.allocatable}) {
    resources->Set(kHalf, halves);
    resources->Set(kSeventh, sevenths);
  }
  return node;
}

/// A pod of that owner, for one of the resource.
model::Pod PodOf(const std::string& owner, const std::string& node, const char* resource) {
  model::Pod pod = MakePod("of-" + owner, node, 0);
  pod.requests.Set(resource, 1);
  pod.annotations = {{"berth.dev/created-by", owner}};
  return pod;
}

TEST(BoardPicture, EverybodyWithASliceOfADeviceHoldsAPartOfIt) {
  BoardUnderTest board(SlicedCatalog());
  board.Put(SlicedNode(0, 0, 7));
  for (int i = 0; i < 7; ++i) board.Put(PodOf("user-" + std::to_string(i), "a", kSeventh));
  board.Update();
  const NodeRow& row = RowOf(board, "a");
  ASSERT_THAT(row.held, SizeIs(7));
  for (const auto& [owner, devices] : row.held) EXPECT_DOUBLE_EQ(devices, 1.0 / 7) << owner;
  EXPECT_EQ(HeldDevices(row), 1);
  EXPECT_EQ(row.free, 0);
  EXPECT_EQ(row.broken, 0);
  EXPECT_THAT(board.picture.pools(), ElementsAre(Pair("V100", PoolTotals{.nodes = 1, .held = 1})));
}

// Sevenths do not add up exactly, and what is left of the device is nothing that a pod could get.
TEST(BoardPicture, NothingIsPlannedOnADeviceOfWhichAllSlicesAreHeld) {
  BoardUnderTest board(SlicedCatalog());
  board.Put(SlicedNode(0, 0, 7));
  for (int i = 0; i < 7; ++i) board.Put(PodOf("user-" + std::to_string(i), "a", kSeventh));
  model::Pod planned = PodOf("carol", "", kSeventh);
  planned.nominated_node = "a";
  board.Put(planned);
  board.Update();
  EXPECT_THAT(RowOf(board, "a").planned, IsEmpty());
}

TEST(BoardPicture, SlicesOfAllSizesAreAddedUpAndRoundedOnce) {
  BoardUnderTest board(SlicedCatalog());
  board.Put(SlicedNode(0, 1, 3));
  board.Update();
  EXPECT_EQ(RowOf(board, "a").free, 1) << "a half and three sevenths are parts of one device";
}

TEST(BoardPicture, APlannedSliceMayGetTheRestOfADevice) {
  BoardUnderTest board(SlicedCatalog());
  board.Put(SlicedNode(1, 2, 0));
  board.Put(PodOf("alice", "a", kGpu));
  board.Put(PodOf("bob", "a", kHalf));
  model::Pod planned = PodOf("carol", "", kHalf);
  planned.nominated_node = "a";
  board.Put(planned);
  board.Update();
  const NodeRow& row = RowOf(board, "a");
  EXPECT_EQ(HeldDevices(row), 2);
  EXPECT_EQ(PlannedDevices(row), 0);
  EXPECT_EQ(row.free, 0);
  EXPECT_EQ(row.broken, 0);
  PageUnderTest page;
  page.Apply(board.picture);
  ASSERT_THAT(page.nodes, SizeIs(1));
  EXPECT_EQ(page.nodes.begin()->second["held"], Json({"alice", 1, "bob", 0.5}));
  EXPECT_EQ(page.nodes.begin()->second["planned"], Json({"carol", 0.5}));
  EXPECT_EQ(Json::parse(board.picture.Encode(0, 5).front())["noDevice"], kNoDevice);
}

TEST(BoardPicture, PoolsAreTheSumsOfTheirNodes) {
  BoardUnderTest board;
  board.Put(MakeNode("a"));
  board.Put(Broken("b"));
  model::Node cpu;
  cpu.name = "cpu";
  board.Put(cpu);
  board.Put(MakePod("train", "a", 3));
  board.Update();
  const PoolTotals v100{.nodes = 2, .bad_nodes = 1, .held = 3, .free = 5, .broken = 8};
  EXPECT_THAT(board.picture.pools(),
              ElementsAre(Pair("V100", v100), Pair("no accelerator", PoolTotals{.nodes = 1})));
}

TEST(BoardPicture, AClientGetsOnlyWhatHasChangedSinceItsRevision) {
  BoardUnderTest board;
  board.Put(MakeNode("a"));
  board.Put(MakeNode("b"));
  board.Update();
  PageUnderTest page;
  page.Apply(board.picture);
  EXPECT_FALSE(board.Update()) << "nothing has changed";

  board.Put(MakePod("train", "b", 3));
  EXPECT_TRUE(board.Update());
  const Json told = Json::parse(board.picture.Encode(page.revision, 5).front());
  EXPECT_EQ(told["nodes"]["name"], Json::array({"b"}));
  EXPECT_FALSE(told.contains("waiting"));

  board.snapshot.DeleteNode("a");
  EXPECT_TRUE(board.Update());
  page.Apply(board.picture);
  ASSERT_EQ(page.nodes.size(), 1U);
  EXPECT_EQ(page.nodes.begin()->second["name"], "b");
  EXPECT_EQ(page.nodes.begin()->second["held"], Json({"ml", 3}));
}

TEST(BoardPicture, TextsThatNobodyUsesAnyMoreAreForgotten) {
  BoardUnderTest board;
  board.Put(MakeNode("a"));
  board.Put(MakeNode("b"));
  PageUnderTest follows;
  PageUnderTest is_away;
  for (std::size_t i = 0; i < 3 * Picture::kFewWords; ++i) {
    model::Pod pod = MakePod("train", "a", 1);
    pod.annotations = {{"berth.dev/created-by", "user-" + std::to_string(i)}};
    board.Put(pod);
    ASSERT_TRUE(board.Update());
    follows.Apply(board.picture);
    if (i == 0) is_away.Apply(board.picture);
  }
  is_away.Apply(board.picture);
  PageUnderTest fresh;
  fresh.Apply(board.picture);
  EXPECT_LE(fresh.words.size(), Picture::kFewWords);
  EXPECT_EQ(fresh.nodes.size(), 2U);
  for (const PageUnderTest* page : {&follows, &is_away}) {
    EXPECT_EQ(page->nodes, fresh.nodes);
    EXPECT_EQ(page->words, fresh.words);
  }
}

/// Changes the cluster at random.
class RandomCluster {
 public:
  RandomCluster(BoardUnderTest& board, unsigned seed) : board_(board), random_(seed) {}

  void Step() {
    const std::string node = "n" + std::to_string(Below(12));
    const std::string name = "p" + std::to_string(Below(30));
    switch (Below(7)) {
      case 0:
        return board_.snapshot.DeleteNode(node);
      case 1:
        return board_.Put(Broken(node));
      case 2:
        return board_.Put(MakeNode(node, 4 + static_cast<std::int64_t>(Below(5))));
      case 3:
        return board_.Put(Waiting(name, static_cast<std::int64_t>(Below(9))));
      case 4:
        return board_.Put(Nominated(name, 1 + static_cast<std::int64_t>(Below(8)), node));
      case 5:
        return board_.Remove(MakePod(name, "", 1));
      default:
        return board_.Put(MakePod(name, node, 1 + static_cast<std::int64_t>(Below(4))));
    }
  }

  std::size_t Below(std::size_t end) { return random_() % end; }

 private:
  BoardUnderTest& board_;
  std::mt19937 random_;
};

TEST(BoardPictureProperty, WhoeverMissedWhateverEndsWithTheWholePicture) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    BoardUnderTest board;
    RandomCluster cluster(board, seed);
    std::vector<PageUnderTest> pages(3);
    for (int round = 0; round < 60; ++round) {
      for (std::size_t steps = cluster.Below(5); steps > 0; --steps) cluster.Step();
      board.Update();
      pages[cluster.Below(pages.size())].Apply(board.picture);
    }
    PageUnderTest fresh;
    fresh.Apply(board.picture);
    for (PageUnderTest& page : pages) {
      page.Apply(board.picture);
      EXPECT_EQ(page.nodes, fresh.nodes) << "seed " << seed;
      EXPECT_EQ(page.pools, fresh.pools) << "seed " << seed;
      EXPECT_EQ(page.waiting, fresh.waiting) << "seed " << seed;
    }
    for (const auto& [id, node] : fresh.nodes) {
      EXPECT_GE(node["free"], 0);
      EXPECT_GE(node["broken"], 0);
    }
  }
}

}  // namespace
}  // namespace berth::board
