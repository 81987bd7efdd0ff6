#include "controller/refusals.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::controller {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class RefusalsTest : public ::testing::Test {
 protected:
  policies::scheduling::ReasonTable reasons_;
  const policies::scheduling::ReasonId lost_ =
      reasons_.Intern({.policy = "health", .text = "node(s) had condition GPUIsLost"});
  const policies::scheduling::ReasonId page_ =
      reasons_.Intern({.policy = "health", .text = "node(s) had condition GPUPendingPage"});
};

TEST_F(RefusalsTest, CountsNodesByReason) {
  const auto refusals = ReadRefusals(
      "0/90 nodes are available: 12 node(s) had condition GPUPendingPage, 3 node(s) had condition "
      "GPUIsLost, 4 Insufficient nvidia.com/gpu. preemption: 0/90 nodes are available.",
      reasons_);
  ASSERT_THAT(refusals, SizeIs(2));
  EXPECT_EQ(refusals[0].reason, lost_);
  EXPECT_EQ(refusals[0].nodes, 3U);
  EXPECT_EQ(refusals[1].reason, page_);
  EXPECT_EQ(refusals[1].nodes, 12U);
}

TEST_F(RefusalsTest, WhatOnlyLooksLikeAReasonIsNone) {
  for (const char* message :
       {"", "node(s) had condition GPUIsLost", "3 node(s) had condition GPUIsLostAgain.",
        " node(s) had condition GPUIsLost", "x node(s) had condition GPUIsLost.",
        "99999999999999999999999 node(s) had condition GPUIsLost."}) {
    EXPECT_THAT(ReadRefusals(message, reasons_), IsEmpty()) << message;
  }
}

}  // namespace
}  // namespace berth::controller
