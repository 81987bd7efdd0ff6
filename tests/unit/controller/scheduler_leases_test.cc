#include "controller/scheduler_leases.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::controller {
namespace {

using testing::HasSubstr;

class SchedulerLeasesTest : public ::testing::Test {
 protected:
  void Reply(const std::string& holder, int transitions) {
    transport_.replies.push_back(
        {.body = R"({"metadata":{"resourceVersion":"7"},"spec":{"holderIdentity":")" + holder +
                 R"(","leaseTransitions":)" + std::to_string(transitions) + "}}"});
  }
  void Refuse(int status) { transport_.replies.push_back({.status = status, .body = "{}"}); }

  std::string Read() { return leases_.Read().text; }
  // What it logs meanwhile.
  std::string LinesOfRead() {
    testing::internal::CaptureStderr();
    leases_.Read();
    return testing::internal::GetCapturedStderr();
  }

  kube::ScriptedTransport transport_;
  SchedulerLeases leases_{{{"kube-system", "kube-scheduler"}}, &transport_};
};

TEST_F(SchedulerLeasesTest, NamesTheHolderAndCountsTheHolders) {
  Reply("a", 1);
  EXPECT_EQ(Read(), "a/1");
  EXPECT_EQ(transport_.requests[0].target,
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler");
  Reply("a", 2);
  EXPECT_EQ(Read(), "a/2");
}

TEST_F(SchedulerLeasesTest, NamesAllOfSeveralSchedulers) {
  SchedulerLeases leases({{"kube-system", "kube-scheduler"}, {"berth-system", "berth-scheduler"}},
                         &transport_);
  Reply("a", 1);
  Reply("b", 2);
  EXPECT_EQ(leases.Read().text, "a/1,b/2");
}

// As where leader election is off: everything goes on, and somebody is told once.
TEST_F(SchedulerLeasesTest, AMissingLeaseSaysNothing) {
  for (std::size_t said = 1; said < SchedulerLeases::kBelieved; ++said) {
    Refuse(404);
    EXPECT_EQ(LinesOfRead(), "") << said;
  }
  Refuse(404);
  const std::string lines = LinesOfRead();
  EXPECT_THAT(lines, HasSubstr("kube-system/kube-scheduler"));
  EXPECT_THAT(lines, HasSubstr("planner.gangs.schedulerLeases"));
  Refuse(404);
  EXPECT_EQ(LinesOfRead(), "");
  Refuse(404);
  EXPECT_EQ(Read(), "");
}

TEST_F(SchedulerLeasesTest, OneThatCannotBeReadCountsAsItWas) {
  Reply("a", 1);
  Read();
  Refuse(403);
  testing::internal::CaptureStderr();
  EXPECT_EQ(Read(), "a/1");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("berth controller --rbac"));
  Reply("b", 2);
  EXPECT_THAT(LinesOfRead(), HasSubstr("can be read"));
}

TEST_F(SchedulerLeasesTest, OneThatCannotBeReadIsUncertain) {
  Reply("a", 1);
  EXPECT_TRUE(leases_.Read().is_certain);
  for (const int status : {403, 404, 429, 500}) {
    Refuse(status);
    const SchedulerTerm term = leases_.Read();
    EXPECT_FALSE(term.is_certain) << status;
    EXPECT_EQ(term.text, "a/1") << status;
  }
  Reply("b", 2);
  EXPECT_TRUE(leases_.Read().is_certain);
}

// Who knows that there is no Lease knows who leads: nobody else does.
TEST_F(SchedulerLeasesTest, ThatOneIsMissingIsBelievedWhenItIsSaidAgain) {
  Reply("a", 1);
  Read();
  for (std::size_t said = 1; said < SchedulerLeases::kBelieved; ++said) {
    Refuse(404);
    EXPECT_FALSE(leases_.Read().is_certain) << said;
  }
  Refuse(404);
  const SchedulerTerm term = leases_.Read();
  EXPECT_TRUE(term.is_certain);
  EXPECT_EQ(term.text, "");
  Refuse(404);
  EXPECT_TRUE(leases_.Read().is_certain);
  Reply("b", 2);
  EXPECT_TRUE(leases_.Read().is_certain);
}

TEST_F(SchedulerLeasesTest, WithoutLeasesAsksNobody) {
  SchedulerLeases none({}, &transport_);
  EXPECT_EQ(none.Read().text, "");
  EXPECT_THAT(transport_.requests, testing::IsEmpty());
}

}  // namespace
}  // namespace berth::controller
