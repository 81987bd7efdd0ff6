#include "policies/admission/checkpoint.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const CheckpointPolicy& OnClaim() {
  static const CheckpointPolicy policy(Context(), {});
  return policy;
}

const CheckpointPolicy& InBucket() {
  static const CheckpointPolicy policy(
      Context(), {.target = CheckpointTarget::kObjectStore, .uri = "s3://bucket/prefix"});
  return policy;
}

model::Workload Asking(model::Workload workload, std::string claim = "true") {
  return Annotated(std::move(workload), "checkpoint", std::move(claim));
}

model::VolumeMount MountOf(std::string path) {
  return {.name = "berth-checkpoint", .mount_path = "/checkpoints", .sub_path = std::move(path)};
}

/// CpuPod() as it is to become.
model::Workload Prepared(model::Workload pod, const std::string& claim, const std::string& path) {
  pod.pod.volumes.push_back({.name = "berth-checkpoint", .claim = claim});
  for (model::Container& container : pod.pod.containers) {
    if (container.init) continue;
    container.mounts.push_back(MountOf(path));
    container.env.push_back({.name = "CHECKPOINT_DIR", .value = "/checkpoints"});
  }
  pod.pod.termination_grace_period = 120;
  return pod;
}

void ExpectLeftAlone(const CheckpointPolicy& policy, const model::Workload& workload,
                     const std::string& note) {
  const Made made = Mutate(policy, workload);
  EXPECT_FALSE(made.holds) << note;
  EXPECT_EQ(made.workload, workload) << note;
  EXPECT_THAT(made.changes, IsEmpty()) << note;
  ASSERT_THAT(made.notes, SizeIs(1)) << note;
  EXPECT_THAT(made.notes[0], HasSubstr(note));
}

TEST(CheckpointTest, MountsTheClaimWhereARetryFindsItAgain) {
  const model::Workload pod = Asking(CpuPod());
  const Made made = Mutate(OnClaim(), pod);
  EXPECT_TRUE(made.holds);
  EXPECT_EQ(made.workload, Prepared(pod, "checkpoints", "train"));
  EXPECT_THAT(
      made.changes,
      ElementsAre("checkpoints, in every retry: 'train' of claim checkpoints at /checkpoints",
                  "terminationGracePeriodSeconds raised to 120, to write a checkpoint on SIGTERM"));
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST(CheckpointTest, RetriesOfAJobsPodShareOnePath) {
  model::Workload first = Asking(CpuPod());
  first.owners = {{.kind = "Job", .name = "llama", .controller = true, .group = "batch"}};
  first.name = "";
  first.generate_name = "llama-2-";
  first.pod.annotations.insert(first.pod.annotations.begin(),
                               {"batch.kubernetes.io/job-completion-index", "2"});
  model::Workload retry = first;
  retry.name = "llama-2-x7k2p";
  Request request = MakeRequest();
  request.controller = "Job";
  for (const model::Workload& pod : {first, retry}) {
    const Made made = Mutate(OnClaim(), pod, request);
    EXPECT_THAT(made.workload.pod.containers[0].mounts, ElementsAre(MountOf("llama/2")));
  }
}

TEST(CheckpointTest, MountsTheClaimThatThePodNames) {
  const model::Workload pod = Asking(CpuPod(), "team-data");
  EXPECT_EQ(Mutate(OnClaim(), pod).workload, Prepared(pod, "team-data", "train"));
}

TEST(CheckpointTest, IsForMainContainersOnly) {
  model::Container init = MakeContainer("init");
  init.init = true;
  model::Container sidecar = init;
  sidecar.sidecar = true;
  const model::Workload pod =
      Asking(MakePod({init, sidecar, MakeContainer("a"), MakeContainer("b")}));
  EXPECT_EQ(Mutate(OnClaim(), pod).workload, Prepared(pod, "checkpoints", "train"));
}

TEST(CheckpointTest, KeepsALongerGracePeriod) {
  model::Workload pod = Asking(CpuPod());
  pod.pod.termination_grace_period = 600;
  const Made made = Mutate(OnClaim(), pod);
  EXPECT_EQ(made.workload.pod.termination_grace_period, 600);
  EXPECT_THAT(made.changes, SizeIs(1));
}

TEST(CheckpointTest, LeavesItsOwnResultAlone) {
  for (const CheckpointPolicy* policy : {&OnClaim(), &InBucket()}) {
    const Made again = Mutate(*policy, Mutate(*policy, Asking(CpuPod())).workload);
    EXPECT_TRUE(again.holds);
    EXPECT_EQ(again.writes, 0);
    EXPECT_THAT(again.changes, IsEmpty());
  }
}

TEST(CheckpointTest, AContainerThatCameLaterGetsItToo) {
  model::Workload pod = Mutate(OnClaim(), Asking(CpuPod())).workload;
  pod.pod.containers.push_back(MakeContainer("late"));
  const Made made = Mutate(OnClaim(), pod);
  EXPECT_THAT(made.workload.pod.volumes, SizeIs(1));
  EXPECT_THAT(made.workload.pod.containers[0].mounts, SizeIs(1));
  EXPECT_THAT(made.workload.pod.containers[1].mounts, ElementsAre(MountOf("train")));
}

TEST(CheckpointTest, SaysNothingToPodsThatDoNotAsk) {
  for (const model::Workload& pod : {CpuPod(), Asking(CpuPod(), "false")}) {
    const Made made = Mutate(OnClaim(), pod);
    EXPECT_FALSE(made.holds);
    EXPECT_EQ(made.workload, pod);
    EXPECT_THAT(made.notes, IsEmpty());
    EXPECT_THAT(OnClaim().Judge(MakeRequest(), pod), IsEmpty());
  }
}

TEST(CheckpointTest, InAnObjectStoreSetsAUri) {
  const model::Workload pod = Asking(CpuPod());
  const Made made = Mutate(InBucket(), pod);
  model::Workload expected = pod;
  expected.pod.containers[0].env = {
      {.name = "CHECKPOINT_URI", .value = "s3://bucket/prefix/team/train"}};
  expected.pod.termination_grace_period = 120;
  EXPECT_TRUE(made.holds);
  EXPECT_EQ(made.workload, expected);
  EXPECT_THAT(made.changes[0],
              HasSubstr("in every retry: s3://bucket/prefix/team/train (CHECKPOINT_URI)"));
}

TEST(CheckpointTest, KeepsAVariableThatThePodSetsItself) {
  for (const char* value : {"/elsewhere", ""}) {
    model::Workload pod = Asking(MakePod({MakeContainer("a"), MakeContainer("b")}));
    pod.pod.containers[1].env = {{.name = "CHECKPOINT_DIR", .value = value}};
    const Made made = Mutate(OnClaim(), pod);
    EXPECT_TRUE(made.holds);
    EXPECT_THAT(made.workload.pod.containers[1].env,
                ElementsAre(model::EnvVar{.name = "CHECKPOINT_DIR", .value = value}));
    EXPECT_THAT(made.workload.pod.containers[1].mounts, SizeIs(1));
    EXPECT_THAT(
        made.notes,
        ElementsAre("CHECKPOINT_DIR is the pod's own; checkpoints last only in /checkpoints"));
  }
}

struct Obstacle {
  std::string note;
  std::function<void(model::PodTemplate&)> put;
};

const std::vector<Obstacle>& Obstacles() {
  static const std::vector<Obstacle> obstacles = {
      {"'main' has volume 'scratch' at /checkpoints; mount it elsewhere",
       [](auto& pod) {
         pod.containers[0].mounts = {{"scratch", "/checkpoints", ""}};
       }},
      {"'main' has volume 'scratch' at /checkpoints; mount it elsewhere",
       [](auto& pod) {
         pod.containers[0].mounts = {{"scratch", "/checkpoints//", ""}};
       }},
      {"'main' has volume 'berth-checkpoint' at /checkpoints",
       [](auto& pod) {
         pod.volumes = {{"berth-checkpoint", "checkpoints"}};
         pod.containers[0].mounts = {MountOf("of-bob")};
       }},
      {"the pod has another volume berth-checkpoint; rename it",
       [](auto& pod) {
         pod.volumes = {{"berth-checkpoint", "other"}};
       }},
      {"the pod has another volume berth-checkpoint; rename it",
       [](auto& pod) {
         pod.volumes = {{"berth-checkpoint", ""}};
       }},
  };
  return obstacles;
}

TEST(CheckpointTest, ChangesNothingWhereSomethingIsInTheWay) {
  for (const Obstacle& obstacle : Obstacles()) {
    model::Workload pod = Asking(CpuPod());
    obstacle.put(pod.pod);
    ExpectLeftAlone(OnClaim(), pod, obstacle.note);
    ExpectLeftAlone(OnClaim(), MakeJob(pod), obstacle.note);
  }
}

TEST(CheckpointTest, VolumesElsewhereAreNotInTheWay) {
  model::Workload pod = Asking(CpuPod());
  pod.pod.volumes = {{"scratch", "checkpoints"}};
  pod.pod.containers[0].mounts = {{"scratch", "/checkpoints/old", ""}, {"scratch", "/", ""}};
  EXPECT_EQ(Mutate(OnClaim(), pod).workload, Prepared(pod, "checkpoints", "train"));
}

TEST(CheckpointTest, APodWithoutAStableNameNeedsAKey) {
  model::Workload pod = Asking(CpuPod());
  pod.name = "";
  pod.generate_name = "train-";
  ExpectLeftAlone(OnClaim(), pod, "write a name into berth.dev/checkpoint-key");
  ExpectLeftAlone(InBucket(), pod, "write a name into berth.dev/checkpoint-key");
  const model::Workload keyed = Annotated(pod, "checkpoint-key", "llama");
  EXPECT_EQ(Mutate(OnClaim(), keyed).workload, Prepared(keyed, "checkpoints", "llama"));
}

TEST(CheckpointTest, TellsTheAuthorOfAJobWhatItsPodsGet) {
  const model::Workload job = MakeJob(Asking(CpuPod()));
  ExpectLeftAlone(OnClaim(), job, "'train' of claim checkpoints at /checkpoints");
  ExpectLeftAlone(InBucket(), job, "s3://bucket/prefix/team/train");
  model::Workload generated = job;
  generated.name = "";
  ExpectLeftAlone(OnClaim(), generated, "in a directory with the Job's name");
}

TEST(CheckpointTest, DoesNotTakeAnotherGroupsJobForOne) {
  model::Workload flow = MakeOwner("Job", Asking(CpuPod()));
  flow.template_field = "spec.tasks[0].template";
  flow.job.reset();
  EXPECT_THAT(Mutate(OnClaim(), flow).notes, IsEmpty());
}

TEST(CheckpointTest, TellsTheAuthorOfADeploymentThatItsPodsHaveNoName) {
  for (const char* kind : {"Deployment", "ReplicaSet", "ReplicationController"}) {
    ExpectLeftAlone(OnClaim(), MakeOwner(kind, Asking(CpuPod())), "generated names");
  }
  for (const model::Workload& workload :
       {MakeOwner("StatefulSet", Asking(CpuPod())), MakeOwner("PyTorchJob", Asking(CpuPod())),
        MakeOwner("Deployment", Annotated(Asking(CpuPod()), "checkpoint-key", "web"))}) {
    const Made made = Mutate(OnClaim(), workload);
    EXPECT_EQ(made.workload, workload);
    EXPECT_THAT(made.notes, IsEmpty());
  }
}

TEST(CheckpointTest, ObjectsToWhatIsNoClaimAndNoKey) {
  struct Case {
    std::string annotation;
    std::string text;
    std::string reason;
  };
  for (const Case& c : std::vector<Case>{
           {"checkpoint", "", "is '', which is not a valid name of a claim"},
           {"checkpoint", "Yes", "is 'Yes', which is not a valid name of a claim"},
           {"checkpoint", "a/b", "is 'a/b', which is not a valid name of a claim"},
           {"checkpoint-key", "", "is '', which is not a valid name of a directory"},
           {"checkpoint-key", "..", "is '..', which is not a valid name of a directory"},
           {"checkpoint-key", "../of-bob", "is '../of-bob', which is not"},
           {"checkpoint-key", "a/b", "is 'a/b', which is not"},
           {"checkpoint-key", "a\x01", "is 'a ', which is not"},
           {"checkpoint-key", std::string(300, 'k'), "kkk...', which is not"},
       }) {
    model::Workload pod = CpuPod();
    if (c.annotation != "checkpoint") pod = Asking(pod);
    pod = Annotated(pod, c.annotation, c.text);
    for (const auto& [workload, metadata] :
         {std::pair(pod, "metadata"), std::pair(MakeJob(pod), "spec.template.metadata")}) {
      const auto objections = OnClaim().Judge(MakeRequest(), workload);
      ASSERT_THAT(objections, SizeIs(1)) << c.text;
      EXPECT_EQ(objections[0].field, metadata + (".annotations[berth.dev/" + c.annotation + "]"));
      EXPECT_THAT(objections[0].reason, HasSubstr(c.reason));
      EXPECT_THAT(objections[0].advice, HasSubstr("write "));
      const Made made = Mutate(OnClaim(), workload);
      EXPECT_FALSE(made.holds);
      EXPECT_EQ(made.workload, workload);
    }
  }
}

TEST(CheckpointTest, AnObjectStoreNeedsNoClaim) {
  const model::Workload pod = Asking(CpuPod(), "Yes");
  EXPECT_THAT(InBucket().Judge(MakeRequest(), pod), IsEmpty());
  EXPECT_TRUE(Mutate(InBucket(), pod).holds);
}

TEST(CheckpointTest, DoesNotJudgeAKeyThatNobodyUses) {
  EXPECT_THAT(OnClaim().Judge(MakeRequest(), Annotated(CpuPod(), "checkpoint-key", "../x")),
              IsEmpty());
}

std::vector<std::string> Faults(const CheckpointConfig& config) {
  std::vector<std::string> faults;
  for (const model::FieldError& error : Validate(config)) faults.push_back(error.path);
  return faults;
}

TEST(CheckpointConfigTest, RefusesWhatNoPodCouldUse) {
  EXPECT_THAT(Faults({}), IsEmpty());
  EXPECT_THAT(Faults({.claim = "Check Points"}), ElementsAre("claim"));
  EXPECT_THAT(Faults({.claim = ""}), ElementsAre("claim"));
  EXPECT_THAT(Faults({.target = CheckpointTarget::kObjectStore}), ElementsAre("uri"));
  EXPECT_THAT(Faults({.min_grace_period = model::Duration(-1)}), ElementsAre("minGracePeriod"));
  EXPECT_THAT(Faults({.min_grace_period = model::Duration(0)}), IsEmpty());
  for (const auto* path : {"", "/", "checkpoints", "/a/", "/a/../b", "/a:b", "/a b", "/$(HOME)"}) {
    EXPECT_THAT(Faults({.mount_path = path}), ElementsAre("mountPath")) << path;
  }
  EXPECT_THAT(Faults({.mount_path = "/mnt/check_points.d"}), IsEmpty());
}

TEST(CheckpointConfigTest, TakesUrisThatNothingExpandsOrSplits) {
  for (const auto* uri : {"s3://bucket", "s3://bucket/prefix", "https://minio:9000/bucket/a%20b"}) {
    EXPECT_THAT(Faults({.target = CheckpointTarget::kObjectStore, .uri = uri}), IsEmpty()) << uri;
  }
  for (const auto* uri : {"bucket/prefix", "s3://", "s3://bucket/", "s3://a b", "s3://a\n",
                          "s3://$(HOME)", "S3 ://a"}) {
    EXPECT_THAT(Faults({.target = CheckpointTarget::kObjectStore, .uri = uri}), ElementsAre("uri"))
        << uri;
  }
}

}  // namespace
}  // namespace berth::policies::admission
