#include "controller/leader_election.h"

#include "gtest/gtest.h"
#include "tests/unit/controller/election_fixtures.h"

namespace berth::controller {
namespace {

using Fault = FakeLease::Fault;

class LeaderElectionTest : public ::testing::Test {
 protected:
  void FailAlways(Fault fault) {
    lease_.fault = [fault] { return fault; };
  }
  void FailNoMore() { FailAlways(Fault::kNone); }

  FakeTime clock_;
  FakeLease lease_;
  Candidate a_{"a", &lease_, &clock_};
  Candidate b_{"b", &lease_, &clock_};
};

TEST_F(LeaderElectionTest, TheFirstCandidateCreatesTheLeaseAndLeads) {
  EXPECT_FALSE(a_.Leads());
  EXPECT_EQ(a_.Step(), seconds(2));
  EXPECT_TRUE(a_.Leads());
  EXPECT_EQ(*lease_.record, (kube::LeaseRecord{.holder = "a",
                                               .duration = seconds(15),
                                               .acquired = "2027-01-15T08:00:00.000000Z",
                                               .renewed = "2027-01-15T08:00:00.000000Z",
                                               .transitions = 0}));
  EXPECT_EQ(a_.story, "leads ");
}

TEST_F(LeaderElectionTest, RenewingChangesNothingButTheTime) {
  a_.Step();
  const kube::LeaseRecord first = *lease_.record;
  a_.wall_clock += seconds(2);
  clock_.now += seconds(2);
  a_.Step();
  kube::LeaseRecord renewed = first;
  renewed.renewed = "2027-01-15T08:00:02.000000Z";
  EXPECT_EQ(*lease_.record, renewed);
  EXPECT_EQ(a_.story, "leads ");
}

TEST_F(LeaderElectionTest, ACandidateComesBackAfterTheRetryPeriodWithJitter) {
  a_.Step();
  milliseconds shortest = seconds(9);
  milliseconds longest{0};
  for (int i = 0; i < 100; ++i) {
    const milliseconds wait = b_.Step();
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
    a_.Step();
  }
  EXPECT_GE(shortest, seconds(2));
  EXPECT_LT(longest, milliseconds(4400));
  EXPECT_GT(longest - shortest, seconds(1));
  EXPECT_FALSE(b_.Leads());
  EXPECT_EQ(b_.story, "sees:a ");
}

TEST_F(LeaderElectionTest, AnotherTakesOverOnceTheLeaseIsOver) {
  a_.Step();
  b_.Step();  // sees it now; from here on nobody renews
  clock_.now += milliseconds(14'999);
  b_.Step();
  EXPECT_FALSE(b_.Leads());
  clock_.now += milliseconds(1);
  b_.Step();
  EXPECT_TRUE(b_.Leads());
  EXPECT_FALSE(a_.Leads());
  EXPECT_EQ(lease_.record->holder, "b");
  EXPECT_EQ(lease_.record->transitions, 1);
}

TEST_F(LeaderElectionTest, EachKnowsWhichOtherOneHoldsTheLease) {
  a_.Step();
  EXPECT_EQ(b_.OtherHolder(), "") << "b has not looked yet";
  b_.Step();
  EXPECT_EQ(a_.OtherHolder(), "");
  EXPECT_EQ(b_.OtherHolder(), "a");
  a_.Release();
  b_.Step();
  EXPECT_EQ(b_.OtherHolder(), "");
}

TEST_F(LeaderElectionTest, AReleasedLeaseIsTakenAtOnce) {
  a_.Step();
  b_.Step();
  a_.Release();
  EXPECT_FALSE(a_.Leads());
  EXPECT_EQ(lease_.record->holder, "");
  EXPECT_EQ(lease_.record->duration, seconds(1));
  b_.Step();
  EXPECT_TRUE(b_.Leads());
}

TEST_F(LeaderElectionTest, TellsThatOthersHaveToWaitForWhatItCouldNotRelease) {
  a_.Step();
  FailAlways(Fault::kNeverArrives);
  a_.Release();
  EXPECT_EQ(a_.story, "leads stops ");
  EXPECT_EQ(a_.errors, std::vector<std::string>{"connection refused"});
}

TEST_F(LeaderElectionTest, ACandidateHasNothingToRelease) {
  a_.Step();
  b_.Step();
  b_.Release();
  EXPECT_EQ(lease_.record->holder, "a");
}

TEST_F(LeaderElectionTest, WhoIsRobbedStopsAndGoesOnAsCandidate) {
  a_.Step();
  lease_.Steal("thief");
  clock_.now += seconds(2);
  a_.Step();
  EXPECT_FALSE(a_.Leads());
  EXPECT_EQ(a_.story, "leads stops sees:thief ");
  clock_.now += seconds(15);
  a_.Step();
  EXPECT_TRUE(a_.Leads());
  EXPECT_EQ(lease_.record->transitions, 1);
  EXPECT_TRUE(a_.errors.empty());
}

// Who wrote is known only once the lease has been read; until then nobody may write.
TEST_F(LeaderElectionTest, WhoIsOvertakenStopsEvenIfItCannotReadByWhom) {
  a_.Step();
  lease_.Steal("thief");
  int calls = 0;
  lease_.fault = [&] { return ++calls == 1 ? Fault::kNone : Fault::kNeverArrives; };
  a_.Step();
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(a_.Leads());
  EXPECT_EQ(a_.errors, std::vector<std::string>{"connection refused"});
}

TEST_F(LeaderElectionTest, WhoSeesAnotherHolderStopsThoughItsRenewalWasLost) {
  a_.Step();
  lease_.Steal("thief");
  int calls = 0;
  lease_.fault = [&] { return ++calls == 1 ? Fault::kNeverArrives : Fault::kNone; };
  a_.Step();
  EXPECT_FALSE(a_.Leads());
  EXPECT_EQ(a_.story, "leads stops sees:thief ");
}

TEST_F(LeaderElectionTest, TheRightEndsByItselfWhenTheServerIsAway) {
  a_.Step();
  FailAlways(Fault::kNeverArrives);
  clock_.now += seconds(2);
  a_.Step();
  EXPECT_TRUE(a_.Leads());
  clock_.now += milliseconds(7'999);
  EXPECT_TRUE(a_.Leads());
  clock_.now += milliseconds(1);
  EXPECT_FALSE(a_.Leads()) << "nobody has to step for that";
  a_.Step();
  EXPECT_EQ(a_.story, "leads stops ");
  FailNoMore();
  a_.Step();
  EXPECT_TRUE(a_.Leads());
  EXPECT_EQ(lease_.record->transitions, 0) << "it had been its lease all the time";
}

// The right counts from when the renewal was sent: others may have seen it right then.
TEST_F(LeaderElectionTest, ASlowReplyShortensTheRight) {
  lease_.meanwhile = [&] { clock_.now += seconds(3); };
  a_.Step();
  // Two calls were made, and 9 s have passed since the creation was sent 6 s ago.
  EXPECT_TRUE(a_.Leads());
  clock_.now += seconds(4);
  EXPECT_FALSE(a_.Leads());
}

TEST_F(LeaderElectionTest, ALostReplyIsNoLoss) {
  a_.Step();
  int calls = 0;
  lease_.fault = [&] { return ++calls == 1 ? Fault::kReplyIsLost : Fault::kNone; };
  clock_.now += seconds(2);
  a_.Step();
  EXPECT_TRUE(a_.Leads());
  EXPECT_EQ(calls, 3) << "renewed, read, renewed again";
  EXPECT_EQ(a_.story, "leads ");
}

TEST_F(LeaderElectionTest, ADeletedLeaseIsCreatedAgainByItsHolder) {
  a_.Step();
  b_.Step();
  lease_.record.reset();
  b_.Step();
  EXPECT_FALSE(b_.Leads()) << "A does not know yet";
  a_.Step();
  EXPECT_TRUE(a_.Leads());
  EXPECT_EQ(lease_.record->holder, "a");
}

TEST_F(LeaderElectionTest, ADeletedLeaseIsCreatedByAnotherWhenItsTimeIsOver) {
  a_.Step();
  b_.Step();
  lease_.record.reset();
  b_.Step();
  clock_.now += milliseconds(14'999);
  b_.Step();
  EXPECT_FALSE(b_.Leads());
  clock_.now += milliseconds(1);
  b_.Step();
  EXPECT_TRUE(b_.Leads());
}

// A has seen the lease missing before it created it, which says nothing about how long the next one
// is missing.
TEST_F(LeaderElectionTest, ALeaseThatWasCreatedIsNotMissingAnyMore) {
  a_.Step();
  FailAlways(Fault::kNeverArrives);
  clock_.now += seconds(10);
  a_.Step();
  EXPECT_FALSE(a_.Leads());
  FailNoMore();
  b_.Step();
  clock_.now += seconds(15);
  b_.Step();
  ASSERT_TRUE(b_.Leads()) << "A has heard nothing of it";
  lease_.record.reset();
  a_.Step();
  EXPECT_FALSE(a_.Leads() && b_.Leads());
  EXPECT_FALSE(lease_.record) << "B does not know yet that it was deleted";
  b_.Step();
  EXPECT_TRUE(b_.Leads());
}

// While nobody could look, another may have led and had its lease deleted, too.
TEST_F(LeaderElectionTest, ALeaseThatNobodyCouldLookForWasNotMissingAllTheTime) {
  a_.Step();
  b_.Step();
  lease_.record.reset();
  b_.Step();
  a_.Step();
  for (int i = 0; i < 8; ++i) {
    clock_.now += seconds(2);
    a_.Step();
    FailAlways(Fault::kNeverArrives);
    b_.Step();
    FailNoMore();
  }
  ASSERT_TRUE(a_.Leads());
  lease_.record.reset();
  b_.Step();
  EXPECT_FALSE(a_.Leads() && b_.Leads());
}

TEST_F(LeaderElectionTest, OfTwoWhoWriteAtOnceOneLeads) {
  // While A is about to write, B comes and does.
  int calls = 0;
  lease_.meanwhile = [&] {
    if (++calls == 2) b_.Step();
  };
  a_.Step();
  EXPECT_TRUE(b_.Leads());
  EXPECT_FALSE(a_.Leads());
  EXPECT_TRUE(a_.errors.empty());
}

TEST_F(LeaderElectionTest, WhatOthersWroteIntoTheLeaseDoesNotMatter) {
  struct Case {
    const char* what;
    kube::LeaseRecord record;
    bool held;  // one second later
  };
  constexpr auto kEver = std::chrono::seconds::max();
  const Case cases[] = {
      {"future", {.holder = "x", .duration = seconds(15), .renewed = "2999-01-01T00:00:00Z"}, true},
      {"past", {.holder = "x", .duration = seconds(15), .renewed = "1970-01-01T00:00:00Z"}, true},
      {"no time", {.holder = "x", .duration = seconds(15), .renewed = "soon"}, true},
      {"for ever", {.holder = "x", .duration = kEver}, true},
      {"no duration", {.holder = "x"}, false},
      {"negative", {.holder = "x", .duration = seconds(-15)}, false},
      {"no holder", {.duration = seconds(15)}, false},
  };
  for (const Case& c : cases) {
    FakeLease lease;
    lease.record = c.record;
    Candidate candidate("c", &lease, &clock_);
    candidate.Step();
    clock_.now += seconds(1);
    candidate.Step();
    EXPECT_EQ(candidate.Leads(), !c.held) << c.what;
  }
}

TEST_F(LeaderElectionTest, AWallClockThatJumpsChangesNothing) {
  a_.Step();
  b_.Step();
  for (const int jump : {86'400, -200'000, 500'000'000}) {
    a_.wall_clock += seconds(jump);
    b_.wall_clock -= seconds(jump);
    clock_.now += seconds(2);
    a_.Step();
    b_.Step();
    EXPECT_TRUE(a_.Leads());
    EXPECT_FALSE(b_.Leads());
  }
}

TEST_F(LeaderElectionTest, AProcessThatWasSuspendedLeadsNoMore) {
  a_.Step();
  clock_.now += std::chrono::hours(1);
  EXPECT_FALSE(a_.Leads());
}

}  // namespace
}  // namespace berth::controller
