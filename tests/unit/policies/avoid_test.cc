#include "policies/scheduling/avoid.h"

#include <chrono>
#include <string>
#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/avoid.h"
#include "policies/scheduling/engine.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

model::Pod PodOf(const std::string& controller) {
  model::Pod pod = PodAskingFor(kGpu, 1);
  pod.controller_uid = controller;
  return pod;
}

model::NodeState Avoided(std::string name, std::vector<model::Avoided> entries) {
  model::NodeState node = GpuNode(std::move(name), kV100);
  node.node.annotations = {{"berth.dev/avoid", model::AvoidedText(entries)}};
  return node;
}

class AvoidTest : public testing::Test {
 protected:
  Judgement Judge(const model::Pod& pod, const model::NodeState& node, model::Time now = kNow) {
    return engine_.Prepare(pod, FixedView({node, GpuNode("other", kV100)}), now).Judge(node);
  }

  const SchedulingEngine engine_{Catalog(), "berth.dev", SchedulingConfig{}};
  const model::NodeState node_ =
      Avoided("gpu-1", {{"job-7", kNow + std::chrono::hours(1)}, {"job-8", kNow}});
};

TEST_F(AvoidTest, ANodeWhereTheJobFailedComesLastAndIsNotRefused) {
  const Judgement judged = Judge(PodOf("job-7"), node_);
  EXPECT_TRUE(judged.fits);
  EXPECT_TRUE(judged.last);
  EXPECT_FALSE(Judge(PodOf("job-7"), GpuNode("gpu-2", kV100)).last);
}

TEST_F(AvoidTest, OtherJobsAndExpiredEntriesAreNotAvoided) {
  for (const char* controller : {"job-9", "job-8", "job", ""}) {
    EXPECT_FALSE(Judge(PodOf(controller), node_).last) << controller;
  }
  EXPECT_FALSE(Judge(PodOf("job-7"), node_, kNow + std::chrono::hours(1)).last);
}

// A judgement that is kept must not outlive the entry.
TEST_F(AvoidTest, TheVerdictIsValidUntilTheEntryExpires) {
  const auto prepared = engine_.Prepare(PodOf("job-7"), FixedView({node_}), kNow);
  EXPECT_EQ(prepared.Judge(node_).valid_until, kNow + std::chrono::hours(1));
}

// Judgements are kept by key. Pods that are avoided nowhere share theirs, whatever their Job.
TEST_F(AvoidTest, OnlyAvoidedJobsHaveJudgementsOfTheirOwn) {
  const FixedView view({node_});
  const auto key = [&](const char* job) { return engine_.Prepare(PodOf(job), view, kNow).key(); };
  EXPECT_EQ(key("job-1"), key("job-2"));
  EXPECT_NE(key("job-1"), key("job-7"));
  EXPECT_NE(key("job-7"), key("job-8"));
}

TEST_F(AvoidTest, AnnotationsOfOthersAreNotRead) {
  model::NodeState node = GpuNode("gpu-1", kV100);
  node.node.annotations = {
      {"example.com/avoid", model::AvoidedText({{"job-7", kNow + std::chrono::hours(1)}})}};
  EXPECT_FALSE(Judge(PodOf("job-7"), node).last);
}

TEST_F(AvoidTest, AnnotationsThatCannotBeReadAreNone) {
  for (const char* text : {"", ",", "job-7", "job-7=", "job-7=soon", "=2100-01-01T00:00:00Z",
                           "job-7=infinite-future", "job-7 = 2100"}) {
    model::NodeState node = GpuNode("gpu-1", kV100);
    node.node.annotations = {{"berth.dev/avoid", text}};
    EXPECT_FALSE(Judge(PodOf("job-7"), node).last) << text;
  }
}

}  // namespace
}  // namespace berth::policies::scheduling
