// Pods that are nominated for a node, which a feed follows only if it has somebody to tell.
#include <set>
#include <string>

#include "tests/integration/fake_permissions.h"
#include "tests/integration/list_watch_fixture.h"

namespace berth::cluster {
namespace {

model::Pod Waiting(const std::string& name, const std::string& nominated_node) {
  model::Pod pod = MakePod(name, "");
  pod.nominated_node = nominated_node;
  return pod;
}

class NominatedWatchTest : public ListWatchTest {
 protected:
  NominatedWatchTest() { follow_nominated_ = true; }

  std::set<std::string> Nominated() const {
    std::set<std::string> listed;
    nominated_pods_.ForEach([&](const NominatedPod& each) {
      listed.insert(each.key + " on " + each.pod.nominated_node);
    });
    return listed;
  }

  bool AwaitNominated(const std::set<std::string>& want) {
    return Await([&] { return Nominated() == want; });
  }
};

TEST_F(NominatedWatchTest, AreListedAndFollowedUntilTheyAreBound) {
  StartServer();
  server_->Put(Waiting("first", "n1"));
  server_->Put(Waiting("unplanned", ""));
  StartFeed();
  EXPECT_TRUE(AwaitNominated({"ml/first on n1"}));
  server_->Put(Waiting("unplanned", "n2"));
  EXPECT_TRUE(AwaitNominated({"ml/first on n1", "ml/unplanned on n2"}));
  server_->Put(MakePod("first", "n1"));
  EXPECT_TRUE(AwaitNominated({"ml/unplanned on n2"}));
  server_->Put(Waiting("unplanned", ""));
  EXPECT_TRUE(AwaitNominated({}));
}

TEST_F(NominatedWatchTest, NeedNoFurtherRights) {
  StartServer();
  StartFeed();
  ASSERT_TRUE(AwaitWatches());
  ASSERT_TRUE(server_->AwaitCount(FakeRequest::kWatchPending, 1));
  EXPECT_EQ(berth::tests::Needed(*server_), berth::tests::Words(kFeedPermissions));
}

TEST_F(NominatedWatchTest, AreNotWaitedFor) {
  StartServer();
  server_->FailAlways(FakeRequest::kListPending,
                      {.kind = FaultKind::kStatus, .code = 500, .reason = "Broken"});
  StartFeed();
  ASSERT_TRUE(Await([&] { return snapshot_.Synced() && !nominated_.errors().empty(); }));
  EXPECT_TRUE(nominated_pods_.empty());
  ExpectStopsPromptly();
}

}  // namespace
}  // namespace berth::cluster
