#include "controller/eviction_batches.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/transport.h"

namespace berth::controller {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Answers evictions, with 201 unless told otherwise.
class Evictions final : public kube::Transport {
 public:
  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    targets.push_back(request.target);
    if (meanwhile) std::exchange(meanwhile, nullptr)();
    const absl::Status head = sink.OnHead({.status = code, .content_type = "application/json"});
    return head.ok() ? sink.OnBody("{}") : head;
  }
  void Stop() override {}

  int code = 201;
  /// Called once, before the next answer.
  std::function<void()> meanwhile;
  std::vector<std::string> targets;
};

std::string Target(const std::string& pod) {
  return "/api/v1/namespaces/ml/pods/" + pod + "/eviction";
}

class EvictionBatchesTest : public testing::Test {
 protected:
  static std::vector<RunningPod> Pods(const std::vector<std::string>& names) {
    std::vector<RunningPod> pods;
    for (const std::string& name : names) {
      RunningPod& running = pods.emplace_back();
      running.pod.namespace_ = "ml";
      running.pod.name = name;
      running.pod.uid = name + "-uid";
    }
    return pods;
  }

  absl::Status Evict(EvictionBatches& batches, const std::vector<std::string>& names) {
    std::unique_lock lock(mutex_);
    return batches.Evict(Pods(names), false, lock, patcher_);
  }

  /// As another thread does, over a connection of its own.
  bool Help(EvictionBatches& batches) {
    std::unique_lock lock(mutex_);
    Patcher patcher(&helper_);
    return batches.Help(lock, patcher);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Evictions own_;
  Evictions helper_;
  Patcher patcher_{&own_};
};

TEST_F(EvictionBatchesTest, EvictsAllPodsWithoutHelp) {
  EvictionBatches batches(4, &changed_);
  EXPECT_TRUE(Evict(batches, {"a", "b"}).ok());
  EXPECT_THAT(own_.targets, ElementsAre(Target("a"), Target("b")));
  EXPECT_FALSE(Help(batches));
}

TEST_F(EvictionBatchesTest, AHelperTakesTheNextPodUntilNoneIsLeft) {
  EvictionBatches batches(4, &changed_);
  std::vector<bool> helped;
  own_.meanwhile = [&] {
    for (int i = 0; i < 3; ++i) helped.push_back(Help(batches));
  };
  EXPECT_TRUE(Evict(batches, {"a", "b", "c"}).ok());
  EXPECT_THAT(own_.targets, ElementsAre(Target("a")));
  EXPECT_THAT(helper_.targets, ElementsAre(Target("b"), Target("c")));
  EXPECT_THAT(helped, ElementsAre(true, true, false));
}

TEST_F(EvictionBatchesTest, NobodyHelpsWhereEnoughThreadsEvict) {
  EvictionBatches batches(1, &changed_);
  bool helped = true;
  own_.meanwhile = [&] { helped = Help(batches); };
  EXPECT_TRUE(Evict(batches, {"a", "b"}).ok());
  EXPECT_FALSE(helped);
  EXPECT_THAT(own_.targets, ElementsAre(Target("a"), Target("b")));
  EXPECT_THAT(helper_.targets, IsEmpty());
}

TEST_F(EvictionBatchesTest, BeginsNoOtherPodAfterAnError) {
  EvictionBatches batches(4, &changed_);
  helper_.code = 429;
  own_.meanwhile = [&] { Help(batches); };
  EXPECT_FALSE(Evict(batches, {"a", "b", "c"}).ok());
  EXPECT_THAT(own_.targets, ElementsAre(Target("a")));
  EXPECT_THAT(helper_.targets, ElementsAre(Target("b")));
}

}  // namespace
}  // namespace berth::controller
