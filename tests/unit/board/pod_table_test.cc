#include "board/pod_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/board/board_fixtures.h"

namespace berth::board {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> NamesOf(const PodTable::Entries& entries) {
  std::vector<std::string> names;
  for (const auto& [key, entry] : entries) names.emplace_back(key);
  return names;
}

struct PodTableTest : ::testing::Test {
  PodTable table{TestCatalog(), "berth.dev"};
};

TEST_F(PodTableTest, FollowsAPodFromWaitingOverItsPlanToItsNode) {
  table.Upsert(Waiting("train", 8));
  EXPECT_THAT(NamesOf(table.waiting()), ElementsAre("ml/train"));

  table.Upsert(Nominated("train", 8, "a"));
  EXPECT_THAT(NamesOf(table.On("a", /*planned=*/true)), ElementsAre("ml/train"));
  EXPECT_THAT(NamesOf(table.waiting()), ElementsAre("ml/train"));

  table.Upsert(MakePod("train", "b", 8));
  EXPECT_THAT(table.On("a", /*planned=*/true), IsEmpty());
  EXPECT_THAT(NamesOf(table.On("b", /*planned=*/false)), ElementsAre("ml/train"));
  EXPECT_THAT(table.waiting(), IsEmpty());
  EXPECT_THAT(table.TakeTouched(), ElementsAre("a", "b"));

  model::Pod ended = MakePod("train", "b", 8);
  ended.terminated = true;
  table.Upsert(ended);
  EXPECT_THAT(table.On("b", /*planned=*/false), IsEmpty());
  EXPECT_THAT(table.TakeTouched(), ElementsAre("b"));
}

TEST_F(PodTableTest, KeepsPodsWithoutDevicesOnlyWhileTheyWait) {
  table.Upsert(Waiting("web", 0));
  EXPECT_THAT(NamesOf(table.waiting()), ElementsAre("ml/web"));
  table.Upsert(MakePod("web", "a", 0));
  EXPECT_THAT(table.entries(), IsEmpty());
}

TEST_F(PodTableTest, AListRemovesWhatItDoesNotHave) {
  table.Upsert(MakePod("stays", "a", 1));
  table.Upsert(MakePod("unreadable", "a", 1));
  table.Upsert(MakePod("gone", "b", 1));
  table.BeginReplace();
  table.Upsert(MakePod("stays", "a", 1));
  table.Keep("ml", "unreadable");
  EXPECT_THAT(NamesOf(table.On("b", false)), ElementsAre("ml/gone"))
      << "until the list is complete";
  table.EndReplace();
  EXPECT_THAT(NamesOf(table.On("a", false)), ElementsAre("ml/stays", "ml/unreadable"));
  EXPECT_THAT(table.On("b", false), IsEmpty());
}

TEST_F(PodTableTest, ALateDeletionLeavesTheNextPodOfTheNameAlone) {
  table.Upsert(MakePod("train", "a", 1));
  model::Pod former = MakePod("train", "a", 1);
  former.uid = "another";
  table.Delete(former);
  EXPECT_NE(table.Find("ml", "train"), nullptr);
  table.Delete(MakePod("train", "a", 1));
  EXPECT_EQ(table.Find("ml", "train"), nullptr);
}

TEST_F(PodTableTest, ThePodBelongsToItsCreatorOrElseToItsNamespace) {
  model::Pod pod = Waiting("train", 8);
  pod.annotations = {{"berth.dev/created-by", "alice"}};
  table.Upsert(pod);
  table.Upsert(Waiting("other", 8));
  EXPECT_EQ(table.Find("ml", "train")->owner, "alice");
  EXPECT_EQ(table.Find("ml", "other")->owner, "ml");
}

TEST_F(PodTableTest, ALongOwnerIsCutBetweenCharacters) {
  model::Pod pod = Waiting("train", 8);
  std::string creator;
  while (creator.size() < 200'000) creator += "ä";
  pod.annotations = {{"berth.dev/created-by", creator}};
  table.Upsert(pod);
  EXPECT_EQ(table.Find("ml", "train")->owner, creator.substr(0, 252) + "...");
}

TEST_F(PodTableTest, PodsThatWaitKeepOnlyBerthsOwnAnnotations) {
  model::Pod pod = Waiting("train", 8);
  pod.annotations = {{"berth.dev/accelerators", "V100"},
                     {"berth.developer/x", "y"},
                     {"kubectl.kubernetes.io/last-applied-configuration", "long"}};
  table.Upsert(pod);
  const model::StringMap expected = {{"berth.dev/accelerators", "V100"}};
  EXPECT_EQ(table.Find("ml", "train")->pod.annotations, expected);
}

TEST_F(PodTableTest, OwnAnnotationsAreFewAndShort) {
  model::Pod pod = Waiting("train", 8);
  for (int i = 100; i < 200; ++i) {
    pod.annotations.emplace_back("berth.dev/a" + std::to_string(i), std::string(10'000, 'x'));
  }
  pod.annotations.emplace_back("berth.dev/created-by", "alice");
  table.Upsert(pod);
  const model::StringMap& kept = table.Find("ml", "train")->pod.annotations;
  ASSERT_EQ(kept.size(), PodTable::kMostAnnotations);
  for (const auto& [name, value] : kept) {
    EXPECT_EQ(value, std::string(PodTable::kMostAnnotation - 3, 'x') + "...") << name;
  }
  EXPECT_EQ(table.Find("ml", "train")->owner, "alice") << "whatever else there is";
}

TEST_F(PodTableTest, AnEqualPodIsNoChange) {
  model::Pod pod = MakePod("train", "a", 1);
  pod.annotations = {{"example.com/long", "text"}};
  table.Upsert(pod);
  table.TakeTouched();
  table.Upsert(pod);
  EXPECT_THAT(table.TakeTouched(), IsEmpty());
}

}  // namespace
}  // namespace berth::board
