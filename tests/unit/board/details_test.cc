#include "board/details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tests/unit/board/board_fixtures.h"

namespace berth::board {
namespace {

using Json = nlohmann::json;

const model::GangNames kNames("berth.dev");

TEST(BoardDetails, ANodeTellsItsPodsAndEachPolicysVerdict) {
  BoardUnderTest board;
  board.Put(Broken("a"));
  board.Put(MakePod("train", "a", 3));
  board.Update();
  model::Pod one;
  one.requests.Set(kGpu, 1);
  const auto explanation = placement::Explain(one, board.snapshot.Read(), board.engine, kNow);
  const std::vector<PodTable::Entry> bound = {*board.pods.Find("ml", "train")};
  const Json node = Json::parse(NodeDetails(*board.picture.Find("a"), Broken("a").conditions, bound,
                                            {}, explanation, "a pod", kNames));
  EXPECT_EQ(node["held"], 3);
  EXPECT_EQ(node["pods"][0]["name"], "train");
  EXPECT_EQ(node["judgedFor"], "a pod");
  EXPECT_EQ(node["verdict"]["fits"], false);
  EXPECT_EQ(node["verdict"]["reason"], "node(s) had condition GPUIsLost");
  EXPECT_EQ(node["conditions"][0]["type"], "GPUIsLost");
  EXPECT_FALSE(node["verdict"]["policies"].empty());
}

// No policy has an opinion on it.
TEST(BoardDetails, ANodeWithoutDevicesTellsItsConditions) {
  BoardUnderTest board;
  model::Node cpu;
  cpu.name = "cpu";
  board.Put(cpu);
  board.Update();
  const std::vector<model::Condition> conditions = {
      {"MemoryPressure", model::ConditionStatus::kTrue, kNow - std::chrono::hours(3), kNow}};
  const Json node = Json::parse(
      NodeDetails(*board.picture.Find("cpu"), conditions, {}, {}, {}, /*judged_for=*/"", kNames));
  EXPECT_EQ(node["conditions"][0]["type"], "MemoryPressure");
  EXPECT_EQ(node["conditions"][0]["status"], "True");
  EXPECT_EQ(node["judgedFor"], "");
  EXPECT_FALSE(node.contains("verdict"));
}

TEST(BoardDetails, APodTellsWhereItMayGoAndWhyNotElsewhere) {
  BoardUnderTest board;
  board.Put(Broken("a"));
  board.Put(MakeNode("b"));
  board.Put(Waiting("train", 8));
  const PodTable::Entry& entry = *board.pods.Find("ml", "train");
  const Json pod = Json::parse(PodDetails(
      entry, placement::Explain(entry.pod, board.snapshot.Read(), board.engine, kNow), kNames));
  EXPECT_EQ(pod["fitting"], 1);
  EXPECT_EQ(pod["nodesInAll"], 2);
  EXPECT_EQ(pod["groups"][0]["reason"], "node(s) had condition GPUIsLost");
  EXPECT_EQ(pod["nodes"][0]["name"], "b");
}

// Also one that asks for no device, such as the launcher of a gang.
TEST(BoardDetails, APodOfAGangTellsWhyThePlannerHoldsItBack) {
  PodTable pods(TestCatalog(), "berth.dev");
  model::Pod launcher = Waiting("launcher", 0);
  launcher.gated = true;
  launcher.gates = {"berth.dev/gang"};
  pods.Upsert(launcher);
  const auto told = [&] {
    return Json::parse(PodDetails(*pods.Find("ml", "launcher"), {}, kNames))["gangWaits"];
  };
  EXPECT_EQ(told(), "");
  launcher.why_gang_waits = "gang train of 3: 2 of 3 pods are there";
  pods.Upsert(launcher);
  EXPECT_EQ(told(), *launcher.why_gang_waits);
}

TEST(BoardDetails, ASearchFindsPodsByNameAndOwnerWhateverTheCase) {
  PodTable pods(TestCatalog(), "berth.dev");
  model::Pod alices = Waiting("train", 8);
  alices.annotations = {{"berth.dev/created-by", "Alice"}};
  pods.Upsert(alices);
  pods.Upsert(MakePod("serve", "a", 1));
  EXPECT_EQ(Json::parse(FoundPods(pods, "ALICE"))["total"], 1);
  EXPECT_EQ(Json::parse(FoundPods(pods, "ml/ser"))["pods"][0]["node"], "a");
  EXPECT_EQ(Json::parse(FoundPods(pods, "nobody"))["total"], 0);
}

// The page marks them in the picture, and dims all others.
TEST(BoardDetails, ASearchTellsTheNodesOfAllPodsAlsoOfThoseThatItDoesNotList) {
  PodTable pods(TestCatalog(), "berth.dev");
  for (std::size_t i = 0; i < 2 * kMostFound; ++i) {
    const std::string number = std::to_string(100 + i);
    pods.Upsert(MakePod("train-" + number, "node-" + number, 1));
    pods.Upsert(MakePod("serve-" + number, "shared", 1));
  }
  pods.Upsert(Nominated("train-planned", 1, "planned"));
  pods.Upsert(Waiting("train-waits", 1));
  const Json found = Json::parse(FoundPods(pods, "train"));
  EXPECT_EQ(found["total"], 2 * kMostFound + 2);
  EXPECT_EQ(found["pods"].size(), kMostFound);
  EXPECT_EQ(found["nodes"].size(), 2 * kMostFound + 1);
  EXPECT_EQ(found["nodes"].back(), "planned");
  EXPECT_EQ(Json::parse(PodsOfOwner(pods, "ml"))["nodes"].size(), 2 * kMostFound + 2);
  EXPECT_EQ(Json::parse(FoundPods(pods, "serve"))["nodes"], Json::array({"shared"}));
  EXPECT_EQ(Json::parse(FoundPods(pods, "nobody"))["nodes"], Json::array());
}

// The page takes nodes and owners by the same rule.
TEST(BoardDetails, ASearchKnowsTheCaseOfAsciiLettersAlone) {
  PodTable pods(TestCatalog(), "berth.dev");
  model::Pod pod = Waiting("train", 8);
  pod.annotations = {{"berth.dev/created-by", "J\u00d6RG"}};
  pods.Upsert(pod);
  EXPECT_EQ(Json::parse(FoundPods(pods, "j\u00d6rg"))["total"], 1);
  EXPECT_EQ(Json::parse(FoundPods(pods, "j\u00f6rg"))["total"], 0);
}

TEST(BoardDetails, PodsOfAnOwnerAreNotThoseOfWhoseNameIsOnlyLikeIt) {
  PodTable pods(TestCatalog(), "berth.dev");
  for (const auto& [name, owner] : {std::pair{"train", "nlp"}, {"serve", "nlp-dev"}}) {
    model::Pod pod = MakePod(name, "a", 1);
    pod.annotations = {{"berth.dev/created-by", owner}};
    pods.Upsert(pod);
  }
  const Json found = Json::parse(PodsOfOwner(pods, "nlp"));
  EXPECT_EQ(found["total"], 1);
  EXPECT_EQ(found["pods"][0]["name"], "train");
  EXPECT_EQ(Json::parse(FoundPods(pods, "nlp"))["total"], 2);
}

TEST(BoardDetails, BytesThatAreNotUtf8AreReplaced) {
  PodTable pods(TestCatalog(), "berth.dev");
  model::Pod odd = Waiting("odd", 8);
  odd.annotations = {{"berth.dev/created-by", "a\xff"}};
  pods.Upsert(odd);
  EXPECT_EQ(Json::parse(FoundPods(pods, "odd"))["pods"][0]["owner"], "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace berth::board
