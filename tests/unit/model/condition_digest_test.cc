#include "model/condition_digest.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

constexpr Time kThen{Duration{1'000}};

Condition Is(std::string type, ConditionStatus status, Time since = kNoTime) {
  return {std::move(type), status, since, kNoTime};
}

TEST(ConditionDigest, MarksWhatIsNotFalse) {
  const ConditionDigest digest = DigestOf({Is("Ready", ConditionStatus::kTrue, kThen),
                                           Is("GPUIsLost", ConditionStatus::kFalse),
                                           Is("NICLinkDown", ConditionStatus::kUnknown, kThen)});
  EXPECT_EQ(digest.marks, MarkOf("Ready") | MarkOf("NICLinkDown"));
  EXPECT_EQ(digest.last_turned_false, kNoTime);
  EXPECT_EQ(DigestOf({}), ConditionDigest{});
}

TEST(ConditionDigest, TellsWhenTheLastTurnedFalse) {
  const auto later = kThen + Duration{5};
  EXPECT_EQ(DigestOf({Is("A", ConditionStatus::kFalse, later), Is("B", ConditionStatus::kFalse),
                      Is("C", ConditionStatus::kFalse, kThen),
                      Is("D", ConditionStatus::kTrue, later + Duration{1})})
                .last_turned_false,
            later);
}

// Where the mark of Ready, which all nodes have, were that of a type that is looked for, nothing
// would be won.
TEST(ConditionDigest, TellsReadyFromWhatDetectorsSay) {
  for (const char* type : {"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess",
                           "PCIeLinkDegraded", "NICLinkDown", "NICLinkFlapping"}) {
    EXPECT_NE(MarkOf(type), MarkOf("Ready")) << type;
  }
}

}  // namespace
}  // namespace berth::model
