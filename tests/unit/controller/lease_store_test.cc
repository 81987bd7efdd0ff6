#include "controller/lease_store.h"

#include "gtest/gtest.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using kube::HttpMethod;

constexpr char kLeaseJson[] =
    R"({"metadata":{"name":"berth","resourceVersion":"7"},"spec":{"holderIdentity":"a"}})";
constexpr char kCollection[] = "/apis/coordination.k8s.io/v1/namespaces/ml/leases";

class LeaseStoreTest : public ::testing::Test {
 protected:
  void Expect(const absl::StatusOr<kube::Lease>& lease, HttpMethod method,
              const std::string& target) {
    ASSERT_TRUE(lease.ok()) << lease.status();
    EXPECT_EQ(lease->record.holder, "a");
    EXPECT_EQ(transport_.requests.back().method, method);
    EXPECT_EQ(transport_.requests.back().target, target);
  }

  kube::ScriptedTransport transport_;
  ApiLeaseStore store_{&transport_, "ml", "berth"};
};

TEST_F(LeaseStoreTest, AsksTheApiServer) {
  transport_.replies = {
      {.body = kLeaseJson}, {.status = 201, .body = kLeaseJson}, {.body = kLeaseJson}};
  const auto lease = store_.Get();
  Expect(lease, HttpMethod::kGet, std::string(kCollection) + "/berth");
  Expect(store_.Create({.holder = "a"}), HttpMethod::kPost, kCollection);
  EXPECT_NE(transport_.requests.back().body.find(R"("name":"berth","namespace":"ml")"),
            std::string::npos);
  Expect(store_.Update(*lease), HttpMethod::kPut, std::string(kCollection) + "/berth");
  EXPECT_NE(transport_.requests.back().body.find(R"("resourceVersion":"7")"), std::string::npos);
}

// The right to write must not be lost by a write of our own: so it goes along with a renewal.
TEST_F(LeaseStoreTest, GivesTheLeaseItsOwnerWhenItIsRenewed) {
  Owner owner;
  ApiLeaseStore store(&transport_, "ml", "berth", &owner);
  transport_.replies = {{.body = kLeaseJson}, {.body = kLeaseJson}, {.body = kLeaseJson}};
  const auto lease = store.Get();
  ASSERT_TRUE(store.Update(*lease).ok());
  EXPECT_EQ(transport_.requests.back().body.find("ownerReferences"), std::string::npos);
  owner.Set(kube::OwnerReference{"v1", "ConfigMap", "berth", "u1"});
  ASSERT_TRUE(store.Update(*lease).ok());
  EXPECT_NE(transport_.requests.back().body.find(
                R"("ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"berth",)"),
            std::string::npos);
}

TEST_F(LeaseStoreTest, TellsApartWhatDecides) {
  transport_.replies = {{.status = 404}, {.status = 409}, {.status = 200, .body = "<html>"}};
  EXPECT_TRUE(absl::IsNotFound(store_.Get().status()));
  EXPECT_TRUE(absl::IsAborted(store_.Create({}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(store_.Get().status()));
  EXPECT_TRUE(absl::IsUnavailable(store_.Get().status()));
}

}  // namespace
}  // namespace berth::controller
