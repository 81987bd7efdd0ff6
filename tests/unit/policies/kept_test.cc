#include "policies/scheduling/kept.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "model/kept_room.h"
#include "policies/scheduling/engine.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

using std::chrono::minutes;

constexpr std::int64_t kAllDevices = 8;

// Eight devices for a gang of priority 5 that was created an hour ago.
model::KeptRoom Room(std::int64_t devices = kAllDevices) {
  return {.gang = "ml/train",
          .resource = std::string(kGpu),
          .devices = devices,
          .priority = 5,
          .created = kNow - minutes(60),
          .ends_by = kNow + minutes(30),
          .until = kNow + minutes(10)};
}

model::NodeState Keeping(const std::vector<model::KeptRoom>& rooms, std::int64_t used = 0) {
  model::NodeState node = GpuNode("gpu-1", kV100, kAllDevices);
  node.node.annotations = {{"berth.dev/kept", model::KeptRoomsText(rooms)}};
  node.used.Set(kGpu, used);
  return node;
}

// A pod that comes after the gang.
model::Pod Later(std::int64_t devices = 1, model::StringMap annotations = {}) {
  model::Pod pod = PodAskingFor(kGpu, devices, std::move(annotations));
  pod.priority = 5;
  pod.created = kNow;
  return pod;
}

// One of these pods that says that it is of a gang.
model::Pod OfGang(const std::string& namespace_name, const std::string& gang) {
  model::Pod pod = Later(1, {{"berth.dev/gang-name", gang}, {"berth.dev/gang-size", "2"}});
  pod.namespace_ = namespace_name;
  return pod;
}

model::Pod EndingIn(const std::string& runtime) {
  return Later(1, {{"berth.dev/max-runtime", runtime}});
}

class KeptTest : public testing::Test {
 protected:
  PreparedPod Prepare(const model::Pod& pod, const model::NodeState& node,
                      model::Time now = kNow) const {
    return engine_.Prepare(pod, FixedView({node, GpuNode("gpu-2", kV100)}), now);
  }
  DatedJudgement Judge(const model::Pod& pod, const model::NodeState& node,
                       model::Time now = kNow) const {
    return Prepare(pod, node, now).Judge(node);
  }
  bool Fits(const model::Pod& pod, const model::NodeState& node, model::Time now = kNow) const {
    return Judge(pod, node, now).fits;
  }

  const SchedulingEngine engine_{Catalog(), "berth.dev", SchedulingConfig{}};
};

TEST_F(KeptTest, APodThatComesLaterGetsNoDeviceThatIsKept) {
  const DatedJudgement judged = Judge(Later(), Keeping({Room()}));
  EXPECT_FALSE(judged.fits);
  const Reason& reason = engine_.reasons()[judged.reason];
  EXPECT_EQ(reason.policy, "kept");
  EXPECT_EQ(reason.text, "node(s) had devices that are kept for a gang");
  EXPECT_EQ(judged.valid_until, kNow + minutes(10));
  EXPECT_TRUE(Fits(Later(), GpuNode("gpu-2", kV100))) << "there nothing is kept";
}

TEST_F(KeptTest, WhatIsLeftBesideTheDevicesThatAreKeptIsForAll) {
  EXPECT_TRUE(Fits(Later(2), Keeping({Room(4)}, 2)));
  EXPECT_FALSE(Fits(Later(3), Keeping({Room(4)}, 2)));
  EXPECT_FALSE(Fits(Later(1), Keeping({Room(8)}, 7))) << "the last one that is free is kept, too";
}

TEST_F(KeptTest, AllGangsThatThePodComesAfterCount) {
  model::KeptRoom other = Room(3);
  other.gang = "ml/other";
  EXPECT_TRUE(Fits(Later(2), Keeping({Room(3), other})));
  EXPECT_FALSE(Fits(Later(3), Keeping({Room(3), other})));
  other.created = kNow + minutes(1);
  EXPECT_TRUE(Fits(Later(5), Keeping({Room(3), other}))) << "the other one comes after the pod";
}

TEST_F(KeptTest, PriorityAndThenAgeSayWhoComesLater) {
  const auto fits = [this](std::int32_t priority, model::Time created) {
    model::Pod pod = Later();
    pod.priority = priority;
    pod.created = created;
    return Fits(pod, Keeping({Room()}));
  };
  EXPECT_TRUE(fits(6, kNow));
  EXPECT_FALSE(fits(5, kNow - minutes(60))) << "the gang was there, and this one is as old";
  EXPECT_TRUE(fits(5, kNow - minutes(60) - model::Duration{1}));
  EXPECT_FALSE(fits(4, kNow - minutes(90)));
  EXPECT_FALSE(fits(5, model::kNoTime)) << "it does not exist yet";
  EXPECT_TRUE(fits(6, model::kNoTime));
  EXPECT_FALSE(fits(std::numeric_limits<std::int32_t>::min(), kNow));
}

// A node with devices that are whole and others that are divided.
TEST_F(KeptTest, PodsThatAskForAnotherResourceAreNotConcerned) {
  constexpr char kSlice[] = "nvidia.com/mig-1g.5gb";
  model::KeptRoom slices = Room(20);
  slices.resource = kSlice;
  const auto node = [&](const std::vector<model::KeptRoom>& rooms) {
    model::NodeState state = Keeping(rooms);
    state.node.allocatable.Set(kGpu, 4);
    state.node.allocatable.Set(kSlice, 28);
    return state;
  };
  const auto asking = [&](std::int64_t devices, std::int64_t parts) {
    model::Pod pod = Later(devices);
    pod.requests.Set(kSlice, parts);
    return pod;
  };
  EXPECT_TRUE(Fits(asking(4, 0), node({slices})));
  EXPECT_EQ(Judge(asking(4, 0), node({slices})).valid_until, model::kForever);
  EXPECT_TRUE(Fits(asking(0, 8), node({slices})));
  EXPECT_FALSE(Fits(asking(0, 9), node({slices})));
  EXPECT_TRUE(Fits(asking(0, 28), node({Room(4)})));
  EXPECT_TRUE(Fits(asking(2, 8), node({slices, Room(2)})));
  EXPECT_FALSE(Fits(asking(2, 9), node({slices, Room(2)})));
  EXPECT_FALSE(Fits(asking(3, 8), node({slices, Room(2)})));
}

TEST_F(KeptTest, AGangGetsWhatIsKeptForItAndNothingThatIsKeptForOthers) {
  model::KeptRoom other = Room(3);
  other.gang = "ml/other";
  EXPECT_TRUE(Fits(OfGang("ml", "train"), Keeping({Room()})));
  EXPECT_TRUE(Fits(OfGang("ml", "train"), Keeping({Room(), other}, 4)));
  EXPECT_FALSE(Fits(OfGang("ml", "train"), Keeping({Room(), other}, 5)));
  EXPECT_FALSE(Fits(OfGang("ml", "other"), Keeping({Room()})));
  EXPECT_FALSE(Fits(OfGang("team", "train"), Keeping({Room()})));
  model::Pod unreadable = OfGang("ml", "train");
  unreadable.annotations = {{"berth.dev/gang-name", "train"}};
  EXPECT_FALSE(Fits(unreadable, Keeping({Room()}))) << "without a size it is of none";
}

// Whoever may create pods may write it, and it may outlive the nomination.
TEST_F(KeptTest, AnAnnotationThatSaysThatThePodIsPlannedIsNotEnough) {
  model::Pod pod = OfGang("ml", "other");
  pod.annotations.emplace_back("berth.dev/plan", "gpu-1");
  EXPECT_FALSE(Fits(pod, Keeping({Room()})));
}

// kube-scheduler may know of a volume, or of a claim, for which another node alone will do.
TEST_F(KeptTest, APodThatThePlannerHasLetGoGetsWhateverNodeItFits) {
  model::Pod pod = OfGang("ml", "other");
  for (const char* node : {"gpu-1", "gpu-2"}) {
    pod.nominated_node = node;
    EXPECT_TRUE(Fits(pod, Keeping({Room()}))) << node;
  }
}

TEST_F(KeptTest, ThePodThatIsNominatedForTheNodeMayUseIt) {
  model::Pod pod = Later();
  pod.nominated_node = "gpu-1";
  EXPECT_TRUE(Fits(pod, Keeping({Room()})));
  for (const char* other : {"gpu-2", "gone"}) {
    pod.nominated_node = other;
    EXPECT_FALSE(Fits(pod, Keeping({Room()}))) << other;
  }
}

TEST_F(KeptTest, APodThatEndsInTimeMayUseIt) {
  EXPECT_TRUE(Fits(EndingIn("30m"), Keeping({Room()})));
  for (const char* runtime : {"30m1s", "0s", "-1m", "soon", ""}) {
    EXPECT_FALSE(Fits(EndingIn(runtime), Keeping({Room()}))) << runtime;
  }
  model::KeptRoom never = Room();
  never.ends_by = kNow;
  EXPECT_FALSE(Fits(EndingIn("1s"), Keeping({never})));
}

// A judgement that is kept must not outlive the entry, nor the last moment for a short pod.
TEST_F(KeptTest, TheVerdictIsValidUntilTimeAloneMayChangeIt) {
  model::KeptRoom longer = Room(1);
  longer.until = kNow + minutes(20);
  EXPECT_EQ(Judge(Later(), Keeping({longer, Room(1)})).valid_until, kNow + minutes(10));
  const DatedJudgement in_time = Judge(EndingIn("25m"), Keeping({Room()}));
  EXPECT_TRUE(in_time.fits);
  EXPECT_EQ(in_time.valid_until, kNow + minutes(5) + model::Duration{1});
  EXPECT_TRUE(Fits(EndingIn("25m"), Keeping({Room()}), kNow + minutes(5)));
  EXPECT_FALSE(Fits(EndingIn("25m"), Keeping({Room()}), in_time.valid_until));
}

TEST_F(KeptTest, ExpiredEntriesKeepNothing) {
  EXPECT_FALSE(Fits(Later(), Keeping({Room()}), kNow + minutes(10) - model::Duration{1}));
  EXPECT_TRUE(Fits(Later(), Keeping({Room()}), kNow + minutes(10)));
}

TEST_F(KeptTest, ItChangesNoScore) {
  const model::NodeState node = Keeping({Room(2)});
  model::NodeState without = node;
  without.node.annotations.clear();
  EXPECT_EQ(Judge(Later(), node).score, Judge(Later(), without).score);
}

// Judgements are kept by key. Pods that come after the same gangs share theirs.
TEST_F(KeptTest, PodsShareJudgementsUnlessAGangComesBetweenThem) {
  model::KeptRoom late = Room(2);
  late.created = kNow - minutes(30);
  const model::NodeState node = Keeping({Room(2), late});
  const auto key = [&](minutes age, const model::Pod& like = Later()) {
    model::Pod pod = like;
    pod.created = kNow - age;
    return Prepare(pod, node).key();
  };
  EXPECT_EQ(key(minutes(0)), key(minutes(30)));
  EXPECT_NE(key(minutes(30)), key(minutes(31)));
  EXPECT_EQ(key(minutes(31)), key(minutes(60)));
  EXPECT_NE(key(minutes(60)), key(minutes(61)));
  EXPECT_EQ(key(minutes(61)), key(minutes(90)));
  EXPECT_NE(key(minutes(0)), key(minutes(0), EndingIn("10m")));
  model::Pod nominated = Later();
  nominated.nominated_node = "gpu-2";
  EXPECT_EQ(key(minutes(0)), key(minutes(0), nominated)) << "nothing is kept there";
  nominated.nominated_node = "gpu-1";
  EXPECT_NE(key(minutes(0)), key(minutes(0), nominated));
  EXPECT_EQ(key(minutes(0), OfGang("ml", "a")), key(minutes(30), OfGang("ml", "a")));
  EXPECT_NE(key(minutes(0), OfGang("ml", "a")), key(minutes(0), OfGang("ml", "b")));
  EXPECT_NE(key(minutes(0), OfGang("ml", "a")), key(minutes(0)));
}

// As long as nothing is kept, the policy takes no time and takes no pod for another.
TEST_F(KeptTest, WithoutEntriesItHasNoOpinion) {
  const model::NodeState node = GpuNode("gpu-1", kV100);
  for (const PolicyVerdict& each : Prepare(Later(), node).JudgeEach(node)) {
    EXPECT_NE(each.policy, "kept");
  }
  model::Pod other = EndingIn("10m");
  other.created = kNow - minutes(90);
  other.nominated_node = "gpu-1";
  EXPECT_EQ(Prepare(Later(), node).key(), Prepare(other, node).key());
  EXPECT_EQ(Prepare(Later(), node).key(), Prepare(OfGang("ml", "train"), node).key());
}

TEST_F(KeptTest, OfAnotherPrefixNothingIsKept) {
  model::NodeState node = Keeping({Room()});
  node.node.annotations[0].first = "example.com/kept";
  EXPECT_TRUE(Fits(Later(), node));
}

TEST_F(KeptTest, NumbersThatNobodyMeansDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(Fits(Later(), Keeping({Room(kMost), Room(kMost), Room(kMost)}, kMost)));
  model::NodeState node = Keeping({Room()});
  node.node.allocatable.Set(kGpu, kMost);
  EXPECT_TRUE(Fits(Later(), node));
}

}  // namespace
}  // namespace berth::policies::scheduling
