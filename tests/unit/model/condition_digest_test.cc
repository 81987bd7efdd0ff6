#include "model/condition_digest.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::model {
namespace {

constexpr Time kThen{Duration{1'000}};

Condition Is(std::string type, ConditionStatus status, Time since = kNoTime) {
  return {std::move(type), status, since, kNoTime};
}

TEST(ConditionDigest, MarksWhatIsNotFalseAndWhatIsNotTrue) {
  const ConditionDigest digest = DigestOf({Is("Ready", ConditionStatus::kTrue, kThen),
                                           Is("GPUIsLost", ConditionStatus::kFalse),
                                           Is("NICLinkDown", ConditionStatus::kUnknown, kThen)});
  EXPECT_EQ(digest.not_false, MarkOf("Ready") | MarkOf("NICLinkDown"));
  EXPECT_EQ(digest.not_true, MarkOf("GPUIsLost") | MarkOf("NICLinkDown"));
  EXPECT_EQ(DigestOf({}), ConditionDigest{});
}

TEST(ConditionDigest, TellsWhenTheLastChanged) {
  const auto later = kThen + Duration{5};
  EXPECT_EQ(DigestOf({Is("A", ConditionStatus::kTrue, later), Is("B", ConditionStatus::kFalse),
                      Is("C", ConditionStatus::kFalse, kThen)})
                .last_transition,
            later);
  EXPECT_EQ(DigestOf({Is("A", ConditionStatus::kTrue)}).last_transition, kNoTime);
}

// Where the mark of Ready, which all nodes have, were that of a type that is looked for, nothing
// would be won.
TEST(ConditionDigest, TellsReadyFromWhatDetectorsSay) {
  for (const char* type : {"GPUIsLost", "GPURuntimeError", "GPUPendingPage", "DStateProcess",
                           "PCIeLinkDegraded", "NICLinkDown", "NICLinkFlapping"}) {
    EXPECT_NE(MarkOf(type), MarkOf("Ready")) << type;
  }
}

// On a node that is well under EKS's agent, its conditions are True and kubelet's others False.
TEST(ConditionDigest, TellsWhatEksSaysFromThePressures) {
  for (const char* type : {"AcceleratedHardwareReady", "KernelReady", "NetworkingReady",
                           "StorageReady", "ContainerRuntimeReady"}) {
    for (const char* pressure : {"MemoryPressure", "DiskPressure", "PIDPressure"}) {
      EXPECT_NE(MarkOf(type), MarkOf(pressure)) << type << ' ' << pressure;
    }
  }
}

}  // namespace
}  // namespace berth::model
