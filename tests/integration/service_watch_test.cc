// Services, which a feed follows only where they are asked for.
#include <optional>
#include <set>
#include <string>

#include "tests/integration/fake_permissions.h"
#include "tests/integration/list_watch_fixture.h"

namespace berth::cluster {
namespace {

const model::Service kWeb{"ml", "web", {{"app", "web"}}};

class ServiceWatchTest : public ListWatchTest {
 protected:
  ServiceWatchTest() { follow_services_ = true; }

  std::optional<bool> Selects() const {
    model::Pod pod;
    pod.namespace_ = "ml";
    pod.labels = {{"app", "web"}};
    return snapshot_.Read().ServiceSelects(pod);
  }
};

TEST_F(ServiceWatchTest, AreListedAndFollowed) {
  StartServer();
  server_->Put(kWeb);
  StartFeed();
  ASSERT_TRUE(server_->AwaitCount(FakeRequest::kWatchServices, 1));
  EXPECT_TRUE(Await([&] { return Selects() == true; }));
  server_->Delete(kWeb);
  EXPECT_TRUE(Await([&] { return Selects() == false; }));
  server_->Put(kWeb);
  EXPECT_TRUE(Await([&] { return Selects() == true; }));
  EXPECT_EQ(services_.listed(), std::vector<std::size_t>{1});
  ExpectAlive();
}

TEST_F(ServiceWatchTest, AreListedByAWatchToo) {
  watch_list_ = true;
  StartServer();
  server_->Put(kWeb);
  StartFeed();
  EXPECT_TRUE(Await([&] { return Selects() == true; }));
  EXPECT_EQ(server_->Count(FakeRequest::kListServices), 0);
}

TEST_F(ServiceWatchTest, TakeTheRightsThatAreSaidToBeNeeded) {
  StartServer();
  StartFeed();
  ASSERT_TRUE(AwaitWatches());
  ASSERT_TRUE(server_->AwaitCount(FakeRequest::kWatchServices, 1));
  std::set<std::string> granted = berth::tests::Words(kFeedPermissions);
  granted.merge(berth::tests::Words(kServiceFeedPermissions));
  EXPECT_EQ(berth::tests::Needed(*server_), granted);
}

// As after an upgrade that left the ClusterRole as it was.
TEST_F(ServiceWatchTest, WithoutTheRightTheSnapshotIsInSyncAllTheSame) {
  StartServer();
  server_->FailAlways(FakeRequest::kListServices,
                      {.kind = FaultKind::kStatus, .code = 403, .reason = "Forbidden"});
  StartFeed();
  ASSERT_TRUE(Await([&] { return snapshot_.Synced() && !services_.errors().empty(); }));
  EXPECT_EQ(Selects(), std::nullopt);
  ExpectStopsPromptly();
}

}  // namespace
}  // namespace berth::cluster
