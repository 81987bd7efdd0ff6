#include "cluster/checkpoint_times.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::cluster {
namespace {

constexpr model::Time kTime{model::Duration{1'769'860'800}};  // 2026-01-31T12:00:00Z

model::Pod PodSaying(const std::string& time, const std::string& uid = "u-1") {
  model::Pod pod;
  pod.namespace_ = "ml";
  pod.name = "train-0";
  pod.uid = uid;
  pod.node_name = "gpu-1";
  pod.priority = 7;
  pod.annotations = {{"berth.dev/checkpointed-at", time}};
  return pod;
}

TEST(CheckpointTimes, KnowsWhatBoundPodsSay) {
  CheckpointTimes times(true);
  times.Upsert(PodSaying("2026-01-31T12:00:00Z"));
  const CheckpointTimes::Record* const record = times.Find("u-1");
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->pod, "ml/train-0");
  EXPECT_EQ(record->at, kTime);
  EXPECT_EQ(record->priority, 7);
  times.Upsert(PodSaying("soon"));
  ASSERT_NE(times.Find("u-1"), nullptr);
  EXPECT_EQ(times.Find("u-1")->at, model::kNoTime);
  EXPECT_EQ(times.Find("u-2"), nullptr);
}

TEST(CheckpointTimes, OtherPodsCostNothing) {
  model::Pod unbound = PodSaying("2026-01-31T12:00:00Z", "u-1");
  unbound.node_name.clear();
  model::Pod ended = PodSaying("2026-01-31T12:00:00Z", "u-2");
  ended.terminated = true;
  model::Pod silent = PodSaying("", "u-3");
  silent.annotations = {{"checkpointed-at", "x"}, {"berth.dev/not-checkpointed-at", "x"}};
  CheckpointTimes times(true);
  for (const model::Pod& pod : {unbound, ended, silent}) times.Upsert(pod);
  EXPECT_EQ(times.size(), 0U);
  CheckpointTimes disabled(false);
  disabled.Upsert(PodSaying("2026-01-31T12:00:00Z"));
  EXPECT_EQ(disabled.size(), 0U);
}

TEST(CheckpointTimes, ForgetsPodsThatEndOrAreNotListed) {
  CheckpointTimes times(true);
  for (const char* uid : {"u-1", "u-2", "u-3", "u-4"}) {
    times.Upsert(PodSaying("2026-01-31T12:00:00Z", uid));
  }
  times.Remove(PodSaying("", "u-1"));
  model::Pod ended = PodSaying("2026-01-31T12:00:00Z", "u-2");
  ended.terminated = true;
  times.Upsert(ended);
  EXPECT_EQ(times.size(), 2U);
  times.BeginReplace();
  times.Keep({.kind = "Pod", .namespace_ = "ml", .name = "train-0", .uid = "u-3", .error = ""});
  times.EndReplace();
  EXPECT_NE(times.Find("u-3"), nullptr);
  EXPECT_EQ(times.Find("u-4"), nullptr);
}

}  // namespace
}  // namespace berth::cluster
