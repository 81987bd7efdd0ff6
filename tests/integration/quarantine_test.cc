// One object that cannot be read, before the start and while everything runs: it alone is in
// quarantine, and all else goes on. By pages and by watches that list.
#include "tests/integration/fake_objects.h"
#include "tests/integration/list_watch_fixture.h"

namespace berth::cluster {
namespace {

using berth::tests::EncodeObject;

// 0001-01-01T00:00:00+09:00, the zero time as some clients of Go write it.
const model::Time kOddTime{model::Duration(-62'135'629'200)};

std::string FullName(const model::Node& node) { return node.name; }
std::string FullName(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

class QuarantineTest : public ListWatchTest, public ::testing::WithParamInterface<bool> {
 protected:
  QuarantineTest() { watch_list_ = GetParam(); }

  /// The object breaks off before its last byte.
  template <typename Object>
  void PutBroken(FakeRequest list, const Object& object) {
    server_->PutBytes(list, FullName(object), [&](const std::string& version) {
      std::string bytes = EncodeObject(object, version);
      bytes.pop_back();
      return bytes;
    });
  }
  void PutBroken(const model::Node& node) { PutBroken(FakeRequest::kListNodes, node); }
  void PutBroken(const model::Pod& pod) { PutBroken(FakeRequest::kListPods, pod); }

  void PutNameless(const std::string& key) {
    server_->PutBytes(FakeRequest::kListNodes, key, [](const std::string&) { return "\xff"; });
  }

  bool Quarantined(const std::string& node) const {
    const Snapshot::Reader reader = snapshot_.Read();
    const auto index = reader.Find(node);
    return index && reader.At(*index)->quarantined;
  }

  std::vector<model::Condition> ConditionsOf(const std::string& node) const {
    const Snapshot::Reader reader = snapshot_.Read();
    const auto index = reader.Find(node);
    return index ? reader.At(*index)->node.conditions : std::vector<model::Condition>();
  }

  std::size_t Count(Kind kind) const { return snapshot_.Read().Quarantined(kind).size(); }

  /// What began has not begun again.
  void ExpectOneList() {
    EXPECT_EQ(nodes_.listed().size(), 1U);
    EXPECT_EQ(pods_.listed().size(), 1U);
    EXPECT_TRUE(nodes_.errors().empty());
    EXPECT_TRUE(pods_.errors().empty());
  }
};

TEST_P(QuarantineTest, AnOddTimeHoldsUpNothing) {
  StartServer();
  model::Node odd = MakeNode("n1");
  odd.conditions = {{"GPUIsLost", model::ConditionStatus::kTrue, kOddTime, kOddTime}};
  server_->Put(odd);
  StartFeed();
  ASSERT_TRUE(Await([&] { return snapshot_.Synced(); }));
  ExpectContents(AtFirst());
  EXPECT_FALSE(Quarantined("n1"));
  const std::vector<model::Condition> read = {
      {.type = "GPUIsLost", .status = model::ConditionStatus::kTrue}};
  EXPECT_EQ(ConditionsOf("n1"), read);
  // Another breaks meanwhile.
  odd.name = "n2";
  server_->Put(odd);
  EXPECT_TRUE(Await([&] { return ConditionsOf("n2") == read; }));
  ExpectAlive();
  ExpectOneList();
}

TEST_P(QuarantineTest, BytesThatAreNotUtf8HoldUpNothing) {
  StartServer();
  model::Node odd = MakeNode("n1");
  odd.labels = {{"\xff", "\xc3\x28"}};
  odd.conditions = {{"\xfe", model::ConditionStatus::kTrue, kOddTime, kOddTime}};
  server_->Put(odd);
  StartFeed();
  ExpectContents(AtFirst());
  EXPECT_EQ(ConditionsOf("n1").size(), 1U);
  EXPECT_FALSE(Quarantined("n1"));
  ExpectAlive();
  ExpectOneList();
}

TEST_P(QuarantineTest, WhatIsBrokenBeforeTheStartIsListedWithTheOthers) {
  StartServer();
  PutBroken(MakeNode("n1"));
  PutBroken(MakePod("p0", "n0"));
  PutNameless("n9");
  StartFeed();
  ASSERT_TRUE(Await([&] { return snapshot_.Synced(); }));
  EXPECT_TRUE(Quarantined("n1"));
  EXPECT_FALSE(Quarantined("n2"));
  const Contents want = {{"n0", "4/8"}, {"n1", "0/0"}, {"n2", "0/8"}, {"n3", "0/8"}, {"n4", "0/8"}};
  EXPECT_EQ(Have(), want);
  EXPECT_EQ(Count(Kind::kNodes), 2U);
  EXPECT_EQ(Count(Kind::kPods), 1U);
  EXPECT_EQ(nodes_.unreadable().size(), 2U);
  server_->Put(MakeNode("n1"));
  server_->Put(MakePod("p0", "n0"));
  ExpectContents(AtFirst());
  EXPECT_FALSE(Quarantined("n1"));
  EXPECT_EQ(Count(Kind::kPods), 0U);
  EXPECT_EQ(nodes_.listed(), std::vector<std::size_t>{6});
  ExpectAlive();
  ExpectOneList();
}

TEST_P(QuarantineTest, WhatBreaksLaterStaysAsItWasKnown) {
  StartBoth();
  ExpectContents(AtFirst());
  PutBroken(MakeNode("n1", 3));
  PutBroken(MakeNode("n7", 3));
  PutBroken(MakePod("p0", "n1", 7));
  EXPECT_TRUE(Await([&] { return Quarantined("n7") && Count(Kind::kPods) == 1; }));
  EXPECT_TRUE(Quarantined("n1"));
  EXPECT_EQ(Count(Kind::kNodes), 2U);
  Contents want = AtFirst();
  want["n7"] = "0/0";
  EXPECT_EQ(Have(), want);
  // The watch goes on behind them.
  server_->DropConnections();
  server_->Put(MakeNode("n2", 4));
  want["n2"] = "0/4";
  ExpectContents(want);
  EXPECT_EQ(nodes_.listed().size(), 1U);
}

TEST_P(QuarantineTest, AListInWhichTheyAreBrokenStillDropsNothing) {
  StartBoth();
  ExpectContents(AtFirst());
  server_->Pause();
  PutBroken(MakeNode("n1", 3));
  PutBroken(MakePod("p0", "n1", 7));
  server_->Compact();
  server_->Resume();
  EXPECT_TRUE(Await([&] { return nodes_.listed().size() == 2 && pods_.listed().size() == 2; }));
  EXPECT_EQ(Have(), AtFirst());
  EXPECT_TRUE(Quarantined("n1"));
  EXPECT_EQ(Count(Kind::kPods), 1U);
}

TEST_P(QuarantineTest, WhatIsDeletedLeavesThoughItCannotBeRead) {
  StartBoth();
  ExpectContents(AtFirst());
  PutBroken(MakeNode("n4"));
  PutBroken(MakePod("p0", "n0"));
  EXPECT_TRUE(Await([&] { return Quarantined("n4") && Count(Kind::kPods) == 1; }));
  server_->Delete(MakeNode("n4"));
  server_->Delete(MakePod("p0", "n0"));
  ExpectContents({{"n0", "4/8"}, {"n1", "0/8"}, {"n2", "0/8"}, {"n3", "0/8"}});
  EXPECT_EQ(Count(Kind::kNodes) + Count(Kind::kPods), 0U);
  ExpectOneList();
}

// Nobody knows which node it is: after another list it is none that pods are let onto.
TEST_P(QuarantineTest, AChangeThatNamesNobodyIsNotOverlooked) {
  StartBoth();
  ExpectContents(AtFirst());
  PutNameless("n1");
  ExpectContents({{"n0", "5/8"}, {"n2", "0/8"}, {"n3", "0/8"}, {"n4", "0/8"}});
  EXPECT_EQ(Count(Kind::kNodes), 1U);
  EXPECT_EQ(nodes_.Ends(kube::WatchEnd::kGarbage), 1);
  server_->Put(MakeNode("n1"));
  ExpectContents(AtFirst());
  ExpectAlive();
}

INSTANTIATE_TEST_SUITE_P(Lists, QuarantineTest, ::testing::Bool(), [](const auto& by_watch) {
  return by_watch.param ? "ByAWatch" : "ByPages";
});

}  // namespace
}  // namespace berth::cluster
