#include "cli/pod_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "kube/json.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PodProgress ProgressOf(std::string_view pod) {
  kube::JsonParser parser;
  const auto root = parser.Parse(pod);
  EXPECT_TRUE(root.ok()) << root.status();
  absl::Status error;
  const kube::Path path("Pod");
  PodProgress progress = PodProgressOf(kube::JsonValue(*root, path, error), "berth.dev/gang-name");
  EXPECT_TRUE(error.ok()) << error;
  return progress;
}

std::vector<std::string> Lines(const std::vector<Remark>& remarks) {
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) lines.push_back(remark.text);
  return lines;
}

std::vector<std::string> Changes(const Observed& before, const Observed& after) {
  return Lines(ChangesBetween(before, after));
}

const Observed kPending{.pod = {.uid = "u", .phase = "Pending"},
                        .verdicts = Verdicts{.fitting = 2, .refused = {{"GPUIsLost", 3}}},
                        .events = std::vector<PodEvent>()};

TEST(PodProgress, IsReadFromThePod) {
  const PodProgress pod =
      ProgressOf(R"({"metadata":{"uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z",
      "annotations":{"berth.dev/gang-name":" train "}},
    "spec":{"nodeName":"n1","schedulingGates":[{"name":"g"}]},
    "status":{"phase":"Pending","nominatedNodeName":"n2","reason":"Evicted",
      "conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"m"}],
      "initContainerStatuses":[{"state":{"waiting":{"reason":"ImagePullBackOff"}}}],
      "containerStatuses":[{"state":{"waiting":{"reason":"PodInitializing"}}}]}})");
  EXPECT_EQ(pod.uid, "u");
  EXPECT_EQ(pod.phase, "Pending");
  EXPECT_EQ(pod.node, "n1");
  EXPECT_EQ(pod.nominated, "n2");
  EXPECT_EQ(pod.reason, "Evicted");
  EXPECT_EQ(pod.gang, "train");
  EXPECT_EQ(pod.waiting, "ImagePullBackOff");
  EXPECT_TRUE(pod.ending);
  EXPECT_THAT(pod.gates, ElementsAre("g"));
  EXPECT_EQ(pod.conditions.at("PodScheduled"), (PodCondition{"False", "Unschedulable", "m"}));
}

TEST(PodChanges, AreNoneWhereNothingHasChanged) {
  EXPECT_THAT(Changes(kPending, kPending), IsEmpty());
}

TEST(PodChanges, TellHowManyNodesAreRefusedAndWhy) {
  Observed after = kPending;
  after.verdicts = {.fitting = 1, .refused = {{"GPUIsLost", 1}, {"PodFails", 3}}};
  EXPECT_THAT(Changes(kPending, after),
              ElementsAre("GPUIsLost: 1 node refused, was 3", "PodFails: 3 nodes refused, was 0",
                          "1 node fits, was 2"));
  after.verdicts.reset();
  EXPECT_THAT(Changes(kPending, after), IsEmpty()) << "a bound pod needs no node";
}

TEST(PodChanges, TellOfNominationsAndTheBinding) {
  Observed nominated = kPending;
  nominated.pod.nominated = "n1";
  EXPECT_THAT(Changes(kPending, nominated), ElementsAre("n1 is nominated"));
  EXPECT_THAT(Changes(nominated, kPending), ElementsAre("n1 is no longer nominated"));
  Observed bound = kPending;
  bound.pod.node = "n1";
  EXPECT_THAT(Changes(nominated, bound), ElementsAre("bound to n1"));
  Observed pulls = bound;
  pulls.pod.waiting = "ImagePullBackOff";
  EXPECT_THAT(Changes(bound, pulls), ElementsAre("its containers wait: ImagePullBackOff"));
}

TEST(PodChanges, TellOfGatesGangAndDeletion) {
  Observed before = kPending;
  before.pod.gates = {"a", "b"};
  before.pod.gang = "train";
  before.gang = "waiting: 0 of 2 bound";
  Observed after = before;
  after.pod.gates = {"b"};
  after.gang = "planned: 0 of 2 bound";
  after.pod.ending = true;
  EXPECT_THAT(Changes(before, after),
              ElementsAre("scheduling gate a is gone", "somebody has deleted it, and it ends",
                          "gang train: planned: 0 of 2 bound"));
}

TEST(PodChanges, TellAnEventOnce) {
  const PodEvent refused{"default-scheduler", "FailedScheduling", "0/3 nodes are available"};
  Observed after = kPending;
  after.events = {refused, refused};
  EXPECT_THAT(Changes(kPending, after),
              ElementsAre("default-scheduler, FailedScheduling: 0/3 nodes are available"));
  EXPECT_THAT(Changes(after, after), IsEmpty());
}

// kube-scheduler writes the same sentence into both.
TEST(PodChanges, LeaveTheConditionsMessageToTheEvent) {
  Observed before = kPending;
  before.pod.conditions["PodScheduled"] = {"False", "Unschedulable", "0/3 nodes"};
  Observed after = before;
  after.pod.conditions["PodScheduled"].message = "0/4 nodes";
  EXPECT_THAT(Changes(before, after), IsEmpty());
  after.events.reset();
  EXPECT_THAT(Changes(before, after),
              ElementsAre("PodScheduled is False (Unschedulable): 0/4 nodes"));
  after.pod.conditions["berth.dev/gang"] = {"False", "Waiting", "3 of 4 fit"};
  after.events = std::vector<PodEvent>();
  EXPECT_THAT(Changes(before, after), ElementsAre("berth.dev/gang is False (Waiting): 3 of 4 fit"));
}

// The binding is a line of its own.
TEST(PodChanges, DoNotRepeatInConditionsThatThePodIsBound) {
  Observed before = kPending;
  before.pod.conditions["PodScheduled"] = {"False", "Unschedulable"};
  Observed after = before;
  after.pod.node = "n1";
  after.pod.conditions["PodScheduled"] = {"True"};
  after.pod.conditions["Initialized"] = {"True"};
  after.pod.conditions["Ready"] = {"False", "ContainersNotReady"};
  EXPECT_THAT(Changes(before, after),
              ElementsAre("bound to n1", "Ready is False (ContainersNotReady)"));
  Observed ready = after;
  ready.pod.conditions["Ready"] = {"True"};
  EXPECT_THAT(Changes(after, ready), ElementsAre("Ready is True"));
}

TEST(PodState, SaysWhereThePodIs) {
  Observed seen = kPending;
  seen.pod.conditions["PodScheduled"] = {"False", "Unschedulable", "0/3 nodes"};
  seen.pod.conditions["Ready"] = {"True"};
  EXPECT_THAT(Lines(StateOf(seen)),
              ElementsAre("not bound, and no node is nominated",
                          "PodScheduled is False (Unschedulable): 0/3 nodes"));
  seen.pod.nominated = "n1";
  EXPECT_THAT(Lines(StateOf(seen)).front(), HasSubstr("n1 is nominated"));
  seen.pod.node = "n1";
  EXPECT_THAT(Lines(StateOf(seen)).front(), HasSubstr("bound to n1, phase Pending"));
}

TEST(PodEnds, WhereThereIsNothingToWaitFor) {
  EXPECT_FALSE(EndOf({.phase = "Pending"}).has_value());
  const auto runs = EndOf({.phase = "Running", .node = "n1"});
  ASSERT_TRUE(runs.has_value());
  EXPECT_TRUE(runs->good);
  EXPECT_EQ(runs->remark.text, "it runs on n1");
  EXPECT_FALSE(EndOf({.phase = "Running", .node = "n1", .ending = true}).has_value());
  EXPECT_TRUE(EndOf({.phase = "Succeeded", .node = "n1"})->good);
  const auto failed = EndOf({.phase = "Failed", .reason = "Evicted"});
  ASSERT_TRUE(failed.has_value());
  EXPECT_FALSE(failed->good);
  EXPECT_EQ(failed->remark.text, "it has failed: Evicted");
}

}  // namespace
}  // namespace berth::cli
