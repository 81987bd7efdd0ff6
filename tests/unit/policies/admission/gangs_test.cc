#include "policies/admission/gangs.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/engine_fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kGate = "berth.dev/gang";

const GangsPolicy& Policy() {
  static const GangsPolicy policy(Context(), {});
  return policy;
}

GangsPolicy WithKinds(std::vector<std::string> kinds) {
  return GangsPolicy(Context(), {.kinds = std::move(kinds)});
}

model::Workload GangMember(std::string name, std::string size) {
  return Annotated(Annotated(GpuPod(), "gang-name", std::move(name)), "gang-size", std::move(size));
}

model::Workload Gated(model::Workload pod) {
  pod.pod.gates.emplace_back(kGate);
  return pod;
}

model::Workload Labelled(model::Workload workload, std::string label, std::string value) {
  workload.pod.labels.emplace_back(std::move(label), std::move(value));
  model::Normalize(workload.pod.labels);
  return workload;
}

model::Workload Owned(model::Workload workload, model::OwnerReference owner) {
  owner.controller = true;
  workload.owners = {std::move(owner)};
  return workload;
}

/// A Job that runs that many pods at once.
model::Workload JobOf(std::int64_t pods) {
  model::Workload job = MakeJob(GpuPod());
  job.job->parallelism = pods;
  job.job->completions = pods;
  job.job->indexed = true;
  return job;
}

/// Sets an annotation of the object itself.
model::Workload Saying(model::Workload object, const std::string& name, std::string value) {
  object.annotations.emplace_back("berth.dev/" + name, std::move(value));
  model::Normalize(object.annotations);
  return object;
}

model::Workload AskingForGang(model::Workload object) {
  return Saying(std::move(object), "gang", "true");
}

/// A template of a JobSet, which is used `replicas` times for a Job of `pods` pods.
model::Workload JobSetPart(std::int64_t replicas, std::int64_t pods, int index = 0) {
  model::Workload part = JobOf(pods);
  part.kind = "JobSet";
  part.group = "jobset.x-k8s.io";
  part.template_field = "spec.replicatedJobs[" + std::to_string(index) + "].template.spec.template";
  part.replicas = replicas;
  return part;
}

std::string SizeIn(const model::Workload& workload) {
  return std::string(model::Find(workload.pod.annotations, "berth.dev/gang-size").value_or(""));
}

std::string NameIn(const model::Workload& workload) {
  return std::string(model::Find(workload.pod.annotations, "berth.dev/gang-name").value_or(""));
}

/// What a template becomes together with the others of its object.
std::vector<model::Workload> Marked(const GangsPolicy& policy,
                                    std::vector<model::Workload> templates) {
  policy.SeeTogether(templates);
  for (model::Workload& workload : templates) {
    Draft draft(workload);
    Remarks remarks;
    policy.MutateTemplate(MakeRequest(), draft, remarks);
    workload = draft.workload();
  }
  return templates;
}

std::vector<std::string> TextsOf(const std::vector<Objection>& objections) {
  std::vector<std::string> texts;
  for (const Objection& objection : objections) {
    texts.push_back(objection.field + " " + objection.reason + "; " + objection.advice);
  }
  return texts;
}

Request UpdateRequest() {
  Request request = MakeRequest();
  request.operation = Operation::kUpdate;
  return request;
}

TEST(GangsTest, PodsOfAGangGetTheGate) {
  const Made made = Mutate(Policy(), GangMember("train", "16"));
  EXPECT_TRUE(made.holds);
  EXPECT_EQ(made.workload, Gated(GangMember("train", "16")));
  EXPECT_THAT(
      made.changes,
      ElementsAre("waits for all 16 pods of gang 'train' (scheduling gate berth.dev/gang)"));
  const Made again = Mutate(Policy(), made.workload);
  EXPECT_TRUE(again.holds);
  EXPECT_EQ(again.writes, 0);
  EXPECT_THAT(again.changes, IsEmpty());
}

TEST(GangsTest, TheGateIsAddedToThoseOfOthers) {
  model::Workload queued = GangMember("train", "2");
  queued.pod.gates = {"kueue.x-k8s.io/admission"};
  EXPECT_THAT(Mutate(Policy(), queued).workload.pod.gates,
              ElementsAre("kueue.x-k8s.io/admission", "berth.dev/gang"));
}

TEST(GangsTest, NothingElseWaits) {
  model::Workload bound = GangMember("train", "16");
  bound.pod.node_name = "node-1";
  for (const model::Workload& workload :
       {GpuPod(), GangMember("train", "1"), bound, Annotated(GpuPod(), "gang", "false"), JobOf(4),
        Labelled(GpuPod(), "kueue.x-k8s.io/pod-group-name", "g"),
        MakeOwner("StatefulSet", GpuPod())}) {
    const Made made = Mutate(Policy(), workload);
    EXPECT_FALSE(made.holds && workload.is_pod());
    EXPECT_EQ(made.workload, workload);
    EXPECT_THAT(made.changes, IsEmpty());
    EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), workload)), IsEmpty());
  }
}

TEST(GangsTest, ControllersNameTheGangsOfTheirPods) {
  const model::Workload asking = Annotated(GpuPod(), "gang", "true");
  const model::Workload kueue = Annotated(
      Labelled(asking, "kueue.x-k8s.io/pod-group-name", "Group_1"), "gang-topology", "rack");
  model::Workload counted = kueue;
  counted.pod.annotations.emplace_back("kueue.x-k8s.io/pod-group-total-count", "3");
  model::Normalize(counted.pod.annotations);
  const Made made = Mutate(Policy(), counted);
  EXPECT_THAT(made.workload.pod.gates, ElementsAre("berth.dev/gang"));
  EXPECT_EQ(NameIn(made.workload), "Group_1");
  EXPECT_EQ(SizeIn(made.workload), "3");

  const model::Workload sized = Annotated(GpuPod(), "gang-size", "4");
  const model::Workload of_job_set =
      Labelled(Labelled(Owned(sized, {.kind = "Job", .name = "set-a-0", .uid = "9"}),
                        "jobset.sigs.k8s.io/jobset-name", "set"),
               "jobset.sigs.k8s.io/jobset-uid", "1-2");
  EXPECT_EQ(NameIn(Mutate(Policy(), of_job_set).workload), "set-1-2");
}

// Pods of a deleted Job of the same name may still run.
TEST(GangsTest, AGangWithoutANameHasThatOfItsOwner) {
  const model::Workload sized = Annotated(GpuPod(), "gang-size", "4");
  const model::Workload of_job =
      Owned(sized, {.kind = "Job", .name = "train", .group = "batch", .uid = "1a2b3c4d-0000"});
  EXPECT_EQ(NameIn(Mutate(Policy(), of_job).workload), "train-1a2b3c4d");
  const model::Workload of_long =
      Owned(sized, {.kind = "Job", .name = std::string(253, 'x'), .uid = "1a2b3c4d-0000"});
  const Made made = Mutate(Policy(), of_long);
  EXPECT_THAT(NameIn(made.workload), SizeIs(253));
  EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), made.workload)), IsEmpty());
}

TEST(GangsTest, PodsThatCannotBeMembersAreRefused) {
  const std::string at = "metadata.annotations[berth.dev/";
  const std::vector<std::pair<model::Workload, std::string>> cases = {
      {Annotated(GpuPod(), "gang", "true"),
       at + "gang-size] is missing; write the number of pods of the gang on each of them"},
      {Annotated(GpuPod(), "gang-size", "4"),
       at + "gang-name] is missing; write one name on all pods of the gang"},
      {GangMember("train", "all"), at + "gang-size] 'all' is not a whole number above 0; write the "
                                        "number of pods of the gang"},
      {GangMember("train", "0"), at + "gang-size] 0 is not a whole number above 0; write"},
      {GangMember("train", "5000"), at + "gang-size] '5000' is more than 4096, the most pods of a"},
      {GangMember("a b", "4"), at + "gang-name] 'a b' is not a name; write up to 253 letters"},
      {Annotated(GangMember("a", "4"), "gang-models", "two"),
       at + "gang-models] 'two' is not known; write any"},
      {Annotated(GpuPod(), "gang", "yes"),
       "metadata says berth.dev/gang: 'yes'; write \"true\", or \"false\" for no gang"}};
  for (const auto& [pod, text] : cases) {
    const Made made = Mutate(Policy(), pod);
    EXPECT_EQ(made.workload, pod) << text;
    EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), made.workload)),
                ElementsAre(HasSubstr(text)));
  }
}

GangsPolicy WithPodGroups() {
  return GangsPolicy(Context(), {.kinds = {}, .hold = GangHold::kPodGroup});
}

TEST(GangsTest, PodsWaitForAPodGroupWhereThatIsConfigured) {
  const auto made = Mutate(WithPodGroups(), GangMember("train", "16"));
  EXPECT_THAT(made.workload.pod.gates, IsEmpty());
  EXPECT_EQ(made.workload.pod.scheduling_group, "berth-train");
  EXPECT_THAT(made.changes,
              ElementsAre("waits for all 16 pods of gang 'train' (PodGroup berth-train)"));
}

TEST(GangsTest, PodsOfAPodGroupOfOthersStayThere) {
  model::Workload pod = GangMember("train", "16");
  pod.pod.scheduling_group = "mine";
  const auto made = Mutate(WithPodGroups(), pod);
  EXPECT_EQ(made.workload.pod.scheduling_group, "mine");
  EXPECT_THAT(WithPodGroups().Judge(MakeRequest(), pod), IsEmpty());
}

// kube-apiserver drops what it does not know.
TEST(GangsTest, PodsThatLackTheirPodGroupAreDeniedWithWhatToWrite) {
  const auto objections = TextsOf(WithPodGroups().Judge(MakeRequest(), GangMember("train", "16")));
  ASSERT_THAT(objections, SizeIs(1));
  EXPECT_THAT(objections[0], HasSubstr("GenericWorkload"));
  EXPECT_THAT(objections[0], HasSubstr("admission.policies.gangs.hold: Gate"));
  EXPECT_THAT(WithPodGroups().Judge(MakeRequest(), Gated(GangMember("train", "16"))), IsEmpty());
}

// A webhook that comes later may have removed the gate; whoever frees a pod must be able to.
TEST(GangsTest, TheGateIsDemandedAtCreationAlone) {
  const model::Workload ungated = GangMember("train", "4");
  EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), ungated)),
              ElementsAre("spec.schedulingGates lacks berth.dev/gang of a gang of 4 pods; write "
                          "that gate, or remove berth.dev/gang-size"));
  EXPECT_THAT(TextsOf(Policy().Judge(UpdateRequest(), ungated)), IsEmpty());
}

TEST(GangsTest, FreeingAPodStaysFree) {
  const auto engine = MakeEngine(Only<GangsPolicy>());
  const model::Workload stored = Gated(GangMember("train", "4"));
  const Outcome kept = engine->Keep(UpdateRequest(), GangMember("train", "4"), stored);
  EXPECT_EQ(kept.workload, GangMember("train", "4"));
  EXPECT_EQ(engine->Validate(UpdateRequest(), GangMember("train", "4"), &stored).denial, "");
}

TEST(GangsTest, AJobThatAsksTellsItsPodsHowManyTheyAre) {
  model::Workload by_label = JobOf(4);
  by_label.labels = {{"berth.dev/gang", "true"}};
  for (const model::Workload& job :
       {AskingForGang(JobOf(4)), Annotated(JobOf(4), "gang", "true"), by_label}) {
    const Made made = Mutate(Policy(), job);
    EXPECT_TRUE(made.holds);
    EXPECT_EQ(made.workload, Annotated(job, "gang-size", "4"));
    EXPECT_THAT(made.changes, ElementsAre("its 4 pods are a gang: they wait for each other "
                                          "(scheduling gate berth.dev/gang)"));
    EXPECT_EQ(Mutate(Policy(), made.workload).writes, 0);
    EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), made.workload)), IsEmpty());
  }
  EXPECT_EQ(SizeIn(Mutate(Policy(), AskingForGang(JobOf(1))).workload), "");
}

TEST(GangsTest, TheTemplatesWordCountsBeforeTheObjects) {
  const model::Workload declining = Annotated(AskingForGang(JobOf(4)), "gang", "false");
  EXPECT_EQ(Mutate(Policy(), declining).workload, declining);
}

TEST(GangsTest, WhatAJobSaysOfItsGangReachesThePods) {
  const Made made = Mutate(
      Policy(), Saying(Saying(Saying(AskingForGang(JobOf(4)), "gang-topology", "example.com/rack"),
                              "gang-models", "any"),
                       "gang-preflight", "true"));
  EXPECT_EQ(model::Find(made.workload.pod.annotations, "berth.dev/gang-topology"),
            "example.com/rack");
  EXPECT_EQ(model::Find(made.workload.pod.annotations, "berth.dev/gang-models"), "any");
  EXPECT_EQ(model::Find(made.workload.pod.annotations, "berth.dev/gang-preflight"), "true");
}

TEST(GangsTest, AKindMayBeAGangByDefault) {
  const GangsPolicy policy = WithKinds({"batch/Job"});
  EXPECT_EQ(SizeIn(Mutate(policy, JobOf(4)).workload), "4");
  model::Workload without_ranks = JobOf(4);
  without_ranks.job->indexed = false;
  model::Workload in_turn = JobOf(4);
  in_turn.job->completions = 100;
  for (const model::Workload& job :
       {Saying(JobOf(4), "gang", "false"), without_ranks, in_turn, JobOf(1), JobOf(5000)}) {
    EXPECT_EQ(Mutate(policy, job).workload, job);
    EXPECT_THAT(TextsOf(policy.Judge(MakeRequest(), job)), IsEmpty());
  }
}

TEST(GangsTest, SoMayPodsOfAGroupThatSaysItsSize) {
  const GangsPolicy policy = WithKinds({"Pod"});
  model::Workload pod = Labelled(GpuPod(), "kueue.x-k8s.io/pod-group-name", "group");
  EXPECT_EQ(Mutate(policy, pod).workload, pod);
  pod.pod.annotations = {{"kueue.x-k8s.io/pod-group-total-count", "2"}};
  EXPECT_THAT(Mutate(policy, pod).workload.pod.gates, ElementsAre("berth.dev/gang"));
  EXPECT_EQ(Mutate(policy, GpuPod()).workload, GpuPod());
}

TEST(GangsTest, JobsThatCannotBeGangsAreRefused) {
  model::Workload in_turn = AskingForGang(JobOf(4));
  in_turn.job->completions = 100;
  const std::string size = "spec.template.metadata.annotations[berth.dev/gang-size] ";
  const model::Workload of_set =
      Owned(AskingForGang(JobOf(4)), {.kind = "JobSet", .name = "set", .group = "jobset.x-k8s.io"});
  const std::vector<std::pair<model::Workload, std::string>> cases = {
      {in_turn,
       "spec.completions are more than parallelism, so pods of the gang would wait for others to "
       "end; write the same number, or berth.dev/gang: \"false\""},
      {AskingForGang(JobOf(5000)),
       size + "would be 5000, more than the most pods of a gang; make at most "
              "4096 pods"},
      {Annotated(JobOf(4), "gang-size", "8"),
       size + "is 8, but the Job makes 4 pods at once; write 4, or leave it out"},
      {Annotated(JobOf(4), "gang-size", "none"), size + "'none' is not a whole number above 0"},
      {of_set, size + "is missing: nobody says how many pods the JobSet 'set' makes; write the "
                      "number of pods of the gang, or list the kind in admission.frameworks"},
      {Saying(JobOf(4), "gang", "1"), "metadata says berth.dev/gang: '1'; write \"true\""}};
  for (const auto& [job, text] : cases) {
    const Made made = Mutate(Policy(), job);
    EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), made.workload)),
                ElementsAre(HasSubstr(text)));
  }
}

TEST(GangsTest, AGangMayHavePodsOfSeveralJobs) {
  const model::Workload one =
      Annotated(Annotated(JobOf(4), "gang-size", "8"), "gang-name", "two-jobs");
  const model::Workload of_set =
      Owned(Annotated(JobOf(4), "gang-size", "8"), {.kind = "JobSet", .name = "set"});
  for (const model::Workload& job : {one, of_set}) {
    EXPECT_EQ(Mutate(Policy(), job).workload, job);
    EXPECT_THAT(TextsOf(Policy().Judge(MakeRequest(), job)), IsEmpty());
  }
  const model::Workload of_cron =
      Owned(AskingForGang(JobOf(4)), {.kind = "CronJob", .name = "nightly", .group = "batch"});
  EXPECT_EQ(SizeIn(Mutate(Policy(), of_cron).workload), "4");
}

TEST(GangsTest, AJobMayNotGrowOutOfItsGangUnlessAQueueStartsIt) {
  const auto engine = MakeEngine(Only<GangsPolicy>());
  const model::Workload stored = Annotated(JobOf(4), "gang-size", "4");
  model::Workload grown = Annotated(JobOf(6), "gang-size", "4");
  EXPECT_THAT(engine->Validate(UpdateRequest(), grown, &stored).denial,
              HasSubstr("is 4, but the Job makes 6 pods at once"));
  EXPECT_EQ(engine->Validate(UpdateRequest(), stored, &stored).denial, "");
  EXPECT_EQ(engine->Validate(UpdateRequest(), grown, &grown).denial, "");
  grown.job->queued = true;
  EXPECT_EQ(engine->Validate(UpdateRequest(), grown, &stored).denial, "");
}

TEST(GangsTest, TheTemplatesOfAnObjectAreOneGang) {
  const auto marked =
      Marked(Policy(), {AskingForGang(JobSetPart(1, 1, 0)), AskingForGang(JobSetPart(2, 4, 1)),
                        Annotated(AskingForGang(JobSetPart(1, 50, 2)), "gang", "false")});
  EXPECT_EQ(SizeIn(marked[0]), "9");
  EXPECT_EQ(SizeIn(marked[1]), "9");
  EXPECT_EQ(SizeIn(marked[2]), "");
  EXPECT_EQ(Marked(Policy(), marked), marked);
}

TEST(GangsTest, OnlyTheTemplatesThatAskAreOne) {
  const auto marked =
      Marked(Policy(), {JobSetPart(1, 1, 0), Annotated(JobSetPart(2, 4, 1), "gang", "true")});
  EXPECT_EQ(SizeIn(marked[0]), "");
  EXPECT_EQ(SizeIn(marked[1]), "8");
}

TEST(GangsTest, ATemplateThatStartsLaterIsNoPartOfTheGang) {
  model::Workload submitter = AskingForGang(JobSetPart(1, 1, 0));
  submitter.replicas.reset();
  const auto marked = Marked(Policy(), {submitter, AskingForGang(JobSetPart(2, 4, 1))});
  EXPECT_EQ(SizeIn(marked[0]), "");
  EXPECT_EQ(SizeIn(marked[1]), "8");
  EXPECT_THAT(TextsOf(Policy().JudgeTemplate(MakeRequest(), marked[0])), IsEmpty());
}

// The pods of the other templates would wait for those that come later.
TEST(GangsTest, OneTemplateWhosePodsRunInTurnKeepsTheObjectFromBeingAGang) {
  model::Workload in_turn = JobSetPart(1, 4, 1);
  in_turn.job->completions = 100;
  const GangsPolicy policy = WithKinds({"jobset.x-k8s.io/JobSet"});
  for (const model::Workload& made : Marked(policy, {JobSetPart(1, 1, 0), in_turn})) {
    EXPECT_EQ(SizeIn(made), "");
    EXPECT_THAT(TextsOf(policy.JudgeTemplate(MakeRequest(), made)), IsEmpty());
  }
  const auto asking = Marked(policy, {AskingForGang(JobSetPart(1, 1, 0)), AskingForGang(in_turn)});
  EXPECT_EQ(SizeIn(asking[0]), "");
  EXPECT_THAT(TextsOf(policy.JudgeTemplate(MakeRequest(), asking[1])),
              ElementsAre(HasSubstr("spec.replicatedJobs[1].template.spec.completions are more")));
}

TEST(GangsTest, AnObjectMayMakeSeveralGangsOfTheSizeThatItSays) {
  model::Workload group = AskingForGang(JobSetPart(1, 1));
  group.replicas.reset();
  group.job.reset();
  group.gang_size = 5;
  EXPECT_EQ(SizeIn(Marked(Policy(), {group})[0]), "5");
}

TEST(GangsTest, NoNumberOfPodsOverflows) {
  const std::int64_t most = 9'223'372'036'854'775'807;
  std::vector<model::Workload> many(64, AskingForGang(JobSetPart(most, most)));
  Policy().SeeTogether(many);
  EXPECT_GT(many[0].gang_size.value_or(0), model::kMaxGangSize);
  EXPECT_THAT(TextsOf(Policy().JudgeTemplate(MakeRequest(), many[0])),
              ElementsAre(HasSubstr("more than the most pods of a gang")));
}

TEST(GangsTest, PodsThatStartInTurnCannotWaitForEachOther) {
  model::Workload workers = AskingForGang(JobSetPart(2, 4));
  workers.in_turn = true;
  auto marked = Marked(Policy(), {workers});
  EXPECT_EQ(SizeIn(marked[0]), "");
  EXPECT_THAT(TextsOf(Policy().JudgeTemplate(MakeRequest(), marked[0])),
              ElementsAre("spec starts its pods in turn, so they cannot wait for each other; write "
                          "berth.dev/gang: \"true\" in the templates of pods that start together, "
                          "instead of on the JobSet"));
  // The author of a template knows which start together.
  model::Workload knowing = Annotated(JobSetPart(2, 4), "gang", "true");
  knowing.in_turn = true;
  EXPECT_EQ(SizeIn(Marked(Policy(), {knowing})[0]), "8");

  model::Workload by_default = JobSetPart(2, 4);
  by_default.in_turn = true;
  const GangsPolicy policy = WithKinds({"jobset.x-k8s.io/JobSet"});
  EXPECT_EQ(SizeIn(Marked(policy, {by_default})[0]), "");
  EXPECT_EQ(SizeIn(Marked(policy, {JobSetPart(2, 4)})[0]), "8");
}

TEST(GangsTest, AnObjectWhoseSizeNobodyKnowsIsRefused) {
  model::Workload unknown = AskingForGang(JobSetPart(1, 1));
  unknown.replicas.reset();
  unknown.job.reset();
  const auto marked = Marked(Policy(), {unknown});
  EXPECT_THAT(TextsOf(Policy().JudgeTemplate(MakeRequest(), marked[0])),
              ElementsAre(HasSubstr("is missing: nobody says how many pods the JobSet makes at "
                                    "once; write the number of pods of the gang, or list the kind "
                                    "in admission.frameworks or admission.templates")));
  // The templates of a TrainingRuntime become those of a JobSet.
  model::Workload runtime = Annotated(JobSetPart(1, 1), "gang", "true");
  runtime.replicas.reset();
  EXPECT_THAT(TextsOf(Policy().JudgeTemplate(MakeRequest(), runtime)), IsEmpty());
}

TEST(GangsTest, AnUpdatedTemplateIsNotCountedAgain) {
  const model::Workload stored = Annotated(AskingForGang(JobSetPart(2, 4)), "gang-size", "9");
  EXPECT_THAT(TextsOf(Policy().JudgeTemplate(UpdateRequest(), stored)), IsEmpty());
  const Made made = Mutate(Policy(), AskingForGang(JobSetPart(2, 4)), UpdateRequest());
  EXPECT_THAT(made.changes, IsEmpty());
}

}  // namespace
}  // namespace berth::policies::admission
