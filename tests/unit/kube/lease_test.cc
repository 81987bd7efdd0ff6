#include "kube/lease.h"

#include "gtest/gtest.h"

namespace berth::kube {
namespace {

constexpr char kLease[] = R"({
  "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
  "metadata": {"name": "berth", "namespace": "ml", "resourceVersion": "7",
               "labels": {"team": "infra"}},
  "spec": {"holderIdentity": "host_1", "leaseDurationSeconds": 15, "leaseTransitions": 3,
           "acquireTime": "2026-01-31T12:00:00.000000Z",
           "renewTime": "2026-01-31T12:00:02.000001Z"}})";

TEST(Lease, ReadsItsRecord) {
  const auto lease = LeaseFromJson(kLease);
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->record, (LeaseRecord{.holder = "host_1",
                                        .duration = std::chrono::seconds(15),
                                        .acquired = "2026-01-31T12:00:00.000000Z",
                                        .renewed = "2026-01-31T12:00:02.000001Z",
                                        .transitions = 3}));
}

TEST(Lease, AReleasedOneHasNoHolder) {
  const auto lease = LeaseFromJson(R"({"metadata": {"resourceVersion": "7"}, "spec": {}})");
  ASSERT_TRUE(lease.ok()) << lease.status();
  EXPECT_EQ(lease->record, LeaseRecord());
}

// Labels that others gave it must survive, and the version says what is overwritten.
TEST(Lease, IsWrittenBackWithItsMetadata) {
  auto lease = LeaseFromJson(kLease);
  ASSERT_TRUE(lease.ok()) << lease.status();
  lease->record.holder = "host_\"2\"";
  ++lease->record.transitions;
  const std::string text = LeaseToJson(*lease);
  for (const char* part : {R"("labels":{"team":"infra"})", R"("resourceVersion":"7")",
                           R"("kind":"Lease")", R"("apiVersion":"coordination.k8s.io/v1")"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  const auto again = LeaseFromJson(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->record, lease->record);
}

TEST(Lease, ANewOneHasNameAndNamespace) {
  const std::string text = NewLeaseToJson("ml", "berth", {.holder = "me"});
  for (const char* part : {R"("metadata":{"name":"berth","namespace":"ml"})",
                           R"("holderIdentity":"me")", R"("leaseDurationSeconds":0)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(Lease, WhatIsNoLeaseIsAnError) {
  struct Case {
    const char* text;
    const char* error;
  };
  for (const Case& c : {
           Case{"", "the text is empty"},
           Case{"<html>", "the text is not JSON"},
           Case{"[]", "Lease: expected an object, got array"},
           Case{R"({"metadata": {}})", "Lease.metadata.resourceVersion: is missing"},
           Case{R"({"metadata": {"resourceVersion": "1"}, "spec": {"leaseDurationSeconds": "15"}})",
                "Lease.spec.leaseDurationSeconds: expected a whole number, got"},
       }) {
    const absl::Status status = LeaseFromJson(c.text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << c.text;
    EXPECT_NE(status.message().find(c.error), absl::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace berth::kube
