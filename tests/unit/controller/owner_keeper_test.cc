#include "controller/owner_keeper.h"

#include "controller/leader_transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fake_api.h"
#include "tests/unit/controller/fixtures.h"

namespace berth::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kConfigMap[] = "/api/v1/namespaces/ml/configmaps/berth";
constexpr char kOwnersLease[] = "/apis/coordination.k8s.io/v1/namespaces/ml/leases/berth-scheduler";
const kube::OwnerReference kOwner{"v1", "ConfigMap", "berth", "u1"};

class OwnerKeeperTest : public ::testing::Test {
 protected:
  OwnerKeeperTest() {
    api_.Put(kConfigMap, {{"metadata", {{"uid", "u1"}}}});
    api_.Put(kOwnersLease, {{"metadata", {{"name", "berth-scheduler"}}}, {"spec", {{"a", 1}}}});
  }

  FakeApi api_;
  ObjectClient client_{&api_};
  Owner owner_;
  WriteRecord writes_;
  bool may_write_ = true;
  OwnerKeeper keeper_{{.namespace_name = "ml",
                       .config_map = "berth",
                       .leases = {"berth-scheduler", "not-yet"},
                       .may_write = [this] { return may_write_; }},
                      &client_,
                      &owner_,
                      &writes_};
};

TEST_F(OwnerKeeperTest, AdoptsTheLeasesThatExist) {
  EXPECT_TRUE(keeper_.Pass().ok());
  EXPECT_EQ(owner_.Get(), kOwner);
  EXPECT_TRUE(api_.Get(kOwnersLease)->HasOwner(kOwner));
  EXPECT_EQ(api_.objects.at(kOwnersLease)["spec"]["a"], 1);
  EXPECT_THAT(writes_.written, ElementsAre("owner ml/berth-scheduler berth"));
  EXPECT_TRUE(keeper_.Pass().ok());
  EXPECT_THAT(writes_.written, ElementsAre("owner ml/berth-scheduler berth"));
}

TEST_F(OwnerKeeperTest, HasNoOwnerThatDoesNotExist) {
  ASSERT_TRUE(keeper_.Pass().ok());
  api_.objects.erase(kConfigMap);
  EXPECT_TRUE(keeper_.Pass().ok());
  EXPECT_EQ(owner_.Get(), std::nullopt);
}

TEST_F(OwnerKeeperTest, KeepsAnOwnerThatCannotBeRead) {
  ASSERT_TRUE(keeper_.Pass().ok());
  api_.failures = {{std::string("GET ") + kConfigMap, 503}};
  EXPECT_TRUE(absl::IsUnavailable(keeper_.Pass()));
  EXPECT_EQ(owner_.Get(), kOwner);
}

TEST_F(OwnerKeeperTest, TellsWhatItMayNotRead) {
  api_.failures = {{std::string("GET ") + kOwnersLease, 403}};
  EXPECT_TRUE(absl::IsPermissionDenied(keeper_.Pass()));
}

TEST_F(OwnerKeeperTest, WritesNothingWithoutTheRightTo) {
  may_write_ = false;
  EXPECT_TRUE(keeper_.Pass().ok());
  EXPECT_THAT(writes_.written, IsEmpty());
  EXPECT_FALSE(api_.Get(kOwnersLease)->HasOwner(kOwner));
}

// The right may end between the look and the write.
TEST_F(OwnerKeeperTest, ToldOfNoWriteThatWasNotTried) {
  LeaderTransport transport(&api_, [] { return std::nullopt; });
  ObjectClient client(&transport);
  OwnerKeeper keeper({.namespace_name = "ml",
                      .config_map = "berth",
                      .leases = {"berth-scheduler"},
                      .may_write = [] { return true; }},
                     &client, &owner_, &writes_);
  EXPECT_TRUE(keeper.Pass().ok());
  EXPECT_THAT(writes_.written, IsEmpty());
  EXPECT_FALSE(api_.Get(kOwnersLease)->HasOwner(kOwner));
}

TEST_F(OwnerKeeperTest, AsksForNothingWithoutAnOwner) {
  OwnerKeeper none({.namespace_name = "ml"}, &client_, &owner_, &writes_);
  EXPECT_TRUE(none.Pass().ok());
  EXPECT_THAT(api_.requests, IsEmpty());
}

}  // namespace
}  // namespace berth::controller
