#include "policies/admission/engine.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/wording.h"
#include "tests/unit/policies/admission/engine_fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

Request By(std::string user, std::vector<std::string> groups = {}) {
  Request request = MakeRequest();
  request.user = {.name = std::move(user), .groups = std::move(groups)};
  return request;
}

std::optional<std::string> Applied(const model::Workload& workload) {
  const auto found = model::Find(ObjectAnnotations(workload), "berth.dev/applied");
  return found ? std::optional(std::string(*found)) : std::nullopt;
}

constexpr Mode kModes[] = {Mode::kOff, Mode::kWarn, Mode::kEnforce};

TEST(AdmissionEngineTest, OfTwoModesTheWeakerOneDecidesWhatIsChanged) {
  for (const Mode policy : kModes) {
    const auto engine = MakeEngine(Only<IsolationPolicy>(policy));
    for (const Mode mode : kModes) {
      const Outcome outcome = engine->Mutate(In(mode), CpuPod());
      const Mode weaker = std::min(mode, policy);
      EXPECT_EQ(outcome.denial, "");
      EXPECT_EQ(outcome.workload != CpuPod(), weaker == Mode::kEnforce);
      ASSERT_THAT(outcome.warnings, SizeIs(weaker == Mode::kOff ? 0 : 1));
      ASSERT_THAT(outcome.effects, SizeIs(outcome.warnings.size()));
      if (weaker == Mode::kOff) continue;
      EXPECT_THAT(outcome.warnings[0],
                  StartsWith(weaker == Mode::kWarn ? "berth (warn only): kept off nodes"
                                                   : "berth: kept off nodes"));
      EXPECT_EQ(outcome.effects[0].policy, "isolation");
      EXPECT_EQ(outcome.effects[0].changed, weaker == Mode::kEnforce);
      EXPECT_EQ(outcome.effects[0].would, weaker == Mode::kWarn);
      EXPECT_THAT(outcome.effects[0].text, StartsWith("kept off nodes"));
    }
  }
}

TEST(AdmissionEngineTest, OfTwoModesTheWeakerOneDecidesWhatIsDenied) {
  for (const Mode policy : kModes) {
    const auto engine = MakeEngine(Only<AcceleratorAffinityPolicy>(policy));
    for (const Mode mode : kModes) {
      const Mode weaker = std::min(mode, policy);
      for (const Outcome& outcome :
           {engine->Mutate(In(mode), Wrong()), engine->Validate(In(mode), Wrong(), nullptr)}) {
        EXPECT_EQ(outcome.workload, Wrong());
        EXPECT_EQ(outcome.denial.empty(), weaker != Mode::kEnforce);
        ASSERT_THAT(outcome.warnings, SizeIs(weaker == Mode::kWarn ? 1 : 0));
        ASSERT_THAT(outcome.effects, SizeIs(weaker == Mode::kOff ? 0 : 1));
        if (weaker == Mode::kOff) continue;
        EXPECT_EQ(outcome.effects[0].denied, weaker == Mode::kEnforce);
        EXPECT_EQ(outcome.effects[0].would, weaker == Mode::kWarn);
        EXPECT_FALSE(outcome.effects[0].changed);
        const std::string fault =
            "metadata.annotations[berth.dev/accelerators] names K80, which is not in the catalogue";
        EXPECT_THAT(outcome.effects[0].text, StartsWith(fault));
        if (weaker == Mode::kWarn) {
          EXPECT_THAT(outcome.warnings[0], StartsWith("berth (warn only), denied: " + fault));
        } else {
          EXPECT_EQ(
              outcome.denial,
              "berth accelerator-affinity: " + fault +
                  "; write one or more of V100, A100, A30, H100, H200, B200, L4, L40S and 2 more");
        }
      }
    }
  }
}

TEST(AdmissionEngineTest, WarnsAtCreationOfNoFaultThatItWouldHavePutRight) {
  const auto engine = MakeEngine(Only<GuaranteedQosPolicy>());
  EXPECT_THAT(engine->Validate(In(Mode::kWarn), CpuPod(), nullptr).warnings, IsEmpty());
  EXPECT_NE(engine->Validate(In(Mode::kEnforce), CpuPod(), nullptr).denial, "");

  model::Workload contradictory = CpuPod();
  contradictory.pod.containers[0].resources = Resources({{"cpu", "1"}, {"memory", "1Gi"}});
  contradictory.pod.containers[0].resources.requests["cpu"] = Q("2");
  EXPECT_THAT(engine->Validate(In(Mode::kWarn), contradictory, nullptr).warnings, SizeIs(1));
  const model::Workload guaranteed =
      MakePod({MakeContainer("main", Resources({{"cpu", "1"}, {"memory", "1Gi"}}))});
  EXPECT_THAT(engine->Validate(In(Mode::kWarn), CpuPod(), &guaranteed).warnings, SizeIs(1));
}

TEST(AdmissionEngineTest, APolicyThatOnlyWarnsSeesWhatOthersChange) {
  AdmissionConfig config = Only<IsolationPolicy, CreatorPolicy>();
  std::get<PolicySettings<IsolationPolicy>>(config.policies.all).mode = Mode::kWarn;
  const Outcome outcome = MakeEngine(config)->Mutate(MakeRequest(), CpuPod());
  EXPECT_FALSE(outcome.workload.pod.node_terms);
  EXPECT_EQ(Applied(outcome.workload), "creator 1.2.3");
  EXPECT_THAT(outcome.warnings, ElementsAre(StartsWith("berth (warn only): kept off nodes")));
}

TEST(AdmissionEngineTest, NotesOnTheObjectWhatHoldsAndSince) {
  const auto engine = MakeEngine(Only<CreatorPolicy, IsolationPolicy>());
  for (const model::Workload& workload : {CpuPod(), MakeJob(CpuPod())}) {
    const Outcome outcome = engine->Mutate(MakeRequest(), workload);
    EXPECT_EQ(Applied(outcome.workload), "creator,isolation 1.2.3");
    EXPECT_THAT(outcome.warnings, Each(Not(HasSubstr("applied"))));
    EXPECT_EQ(engine->Mutate(MakeRequest(), outcome.workload).workload, outcome.workload);
  }
}

TEST(AdmissionEngineTest, AJobsPodsDoNotCarryItsNote) {
  const Outcome outcome =
      MakeEngine(Only<IsolationPolicy>())->Mutate(MakeRequest(), MakeJob(CpuPod()));
  EXPECT_EQ(Applied(outcome.workload), "isolation 1.2.3");
  EXPECT_THAT(outcome.workload.pod.annotations, IsEmpty());
}

TEST(AdmissionEngineTest, BelievesNobodyElsesNote) {
  const auto engine = MakeEngine(Only<IsolationPolicy>());
  const model::Workload cpu = Annotated(CpuPod(), "applied", "guaranteed-qos 9.9");
  const model::Workload gpu = Annotated(GpuPod(), "applied", "isolation 1.2.3");
  EXPECT_EQ(Applied(engine->Mutate(MakeRequest(), cpu).workload), "isolation 1.2.3");
  EXPECT_EQ(Applied(engine->Mutate(MakeRequest(), gpu).workload), std::nullopt);
  // Warn changes nothing, that included.
  EXPECT_EQ(engine->Mutate(In(Mode::kWarn), cpu).workload, cpu);
}

TEST(AdmissionEngineTest, WritesNoNoteWhereNothingIsChanged) {
  const auto engine = MakeEngine(Only<IsolationPolicy>());
  model::Workload isolated = CpuPod();
  isolated.pod.node_terms = {{.expressions = {{"berth.dev/accelerator", "DoesNotExist", {}}}}};
  for (const model::Workload& pod : {isolated, GpuPod()}) {
    const Outcome outcome = engine->Mutate(MakeRequest(), pod);
    EXPECT_EQ(outcome.workload, pod);
    EXPECT_THAT(outcome.warnings, IsEmpty());
    EXPECT_THAT(outcome.effects, IsEmpty());
  }
}

TEST(AdmissionEngineTest, ADeniedObjectStaysAsItWasAndTellsOfNoChange) {
  const auto engine = MakeEngine(Only<CreatorPolicy, AcceleratorAffinityPolicy>());
  const model::Workload pod = Annotated(Wrong(), "created-by", "bob");
  const Outcome outcome = engine->Mutate(MakeRequest(), pod);
  EXPECT_THAT(outcome.denial, StartsWith("berth accelerator-affinity: "));
  EXPECT_EQ(outcome.workload, pod);
  EXPECT_THAT(outcome.warnings, IsEmpty());
  for (const PolicyEffect& effect : outcome.effects) EXPECT_FALSE(effect.changed) << effect.policy;
}

TEST(AdmissionEngineTest, WritesBelowTheConfiguredPrefix) {
  const auto engine = MakeEngine(Only<CreatorPolicy, IsolationPolicy>(), "ml.example.org");
  const model::Workload pod = engine->Mutate(MakeRequest(), CpuPod()).workload;
  EXPECT_EQ(model::Find(pod.pod.annotations, "ml.example.org/created-by"), "alice");
  EXPECT_EQ(model::Find(pod.pod.annotations, "ml.example.org/applied"), "creator,isolation 1.2.3");
  EXPECT_EQ(pod.pod.node_terms->at(0).expressions.at(0).key, "ml.example.org/accelerator");
}

struct Exemption {
  std::string what;
  Request request;
  model::Workload pod;
};

model::Workload OwnedBy(std::string kind) {
  model::Workload pod = CpuPod();
  pod.owners = {{.kind = std::move(kind), .name = "owner", .controller = true}};
  return pod;
}

TEST(AdmissionEngineTest, IsNotConcernedWithPartsOfNodesAndWithWhatGoes) {
  const auto engine = MakeEngine(Only<IsolationPolicy, CreatorPolicy>());
  model::Workload going = CpuPod();
  going.deleted = true;
  for (const Exemption& e : std::vector<Exemption>{
           {"DaemonSet controller", By("system:serviceaccount:kube-system:daemon-set-controller"),
            OwnedBy("DaemonSet")},
           {"DaemonSet controller without an account", By("system:kube-controller-manager"),
            OwnedBy("DaemonSet")},
           {"kubelet", By("system:node:n1", {"system:nodes", "system:authenticated"}), CpuPod()},
           {"being deleted", MakeRequest(), going},
       }) {
    for (const Outcome& outcome :
         {engine->Mutate(e.request, e.pod), engine->Validate(e.request, e.pod, nullptr)}) {
      EXPECT_EQ(outcome.workload, e.pod) << e.what;
      EXPECT_EQ(outcome.denial, "") << e.what;
      EXPECT_THAT(outcome.warnings, IsEmpty()) << e.what;
    }
  }
}

TEST(AdmissionEngineTest, TakesFromPodsOfDaemonSetsOnlyWhatTheirTemplateClaims) {
  const auto engine = MakeEngine(AdmissionConfig());
  const model::Workload plain = OwnedBy("DaemonSet");
  const model::Workload claiming = Annotated(plain, "created-by", "bob");
  Request request = By("system:serviceaccount:kube-system:daemon-set-controller");
  const Outcome outcome = engine->Mutate(request, claiming);
  EXPECT_EQ(outcome.workload, plain);
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("created-by 'bob' removed")));
  EXPECT_EQ(engine->Validate(request, plain, nullptr).denial, "");
  model::Workload job = MakeJob(claiming);
  EXPECT_EQ(engine->Mutate(request, job).workload, job);
  request.mode = Mode::kWarn;
  EXPECT_EQ(engine->Mutate(request, claiming).workload, claiming);
}

TEST(AdmissionEngineTest, JudgesOfADaemonSetOnlyWhatItClaims) {
  const auto engine = MakeEngine(AdmissionConfig());
  const model::Workload plain = MakeOwner("DaemonSet", CpuPod());
  const Outcome silent = engine->PreviewPods(MakeRequest(), {plain});
  EXPECT_THAT(silent.warnings, IsEmpty());
  EXPECT_EQ(silent.denial, "");
  const Outcome own = engine->PreviewPods(MakeRequest(), {Annotated(plain, "created-by", "alice")});
  EXPECT_THAT(own.warnings, ElementsAre(HasSubstr("created-by 'alice' removed")));
  EXPECT_EQ(own.denial, "");
  const model::Workload claiming = Annotated(plain, "created-by", "bob");
  EXPECT_THAT(engine->PreviewPods(MakeRequest(), {claiming}).denial, HasSubstr("names 'bob'"));
  EXPECT_EQ(engine->PreviewPods(MakeRequest(), {claiming}, {claiming}).denial, "");
}

TEST(AdmissionEngineTest, IsConcernedWithWhoOnlySaysSo) {
  const auto engine = MakeEngine(Only<IsolationPolicy>());
  model::Workload mirror = CpuPod();
  mirror.pod.annotations = {{"kubernetes.io/config.mirror", "x"}};
  for (const Exemption& e : std::vector<Exemption>{
           {"ownerReference to a DaemonSet", MakeRequest(), OwnedBy("DaemonSet")},
           {"the annotation of mirror pods", MakeRequest(), mirror},
           {"account of the name elsewhere", By("system:serviceaccount:team:daemon-set-controller"),
            OwnedBy("DaemonSet")},
           {"controller manager for no DaemonSet", By("system:kube-controller-manager"),
            OwnedBy("ReplicaSet")},
           {"a node without its group", By("system:node:n1"), CpuPod()},
       }) {
    EXPECT_NE(engine->Mutate(e.request, e.pod).workload, e.pod) << e.what;
    EXPECT_NE(engine->Validate(e.request, e.pod, nullptr).denial, "") << e.what;
  }
}

TEST(AdmissionEngineTest, ConfiguredControllersComeOnTopOfKubernetesOwn) {
  AdmissionConfig config = Only<IsolationPolicy, CreatorPolicy>();
  config.controllers = {{"system:serviceaccount:kubeflow:operator", "PyTorchJob"}};
  const auto engine = MakeEngine(config);
  const auto creator_of = [&](const std::string& user, const std::string& owner) {
    return model::Find(engine->Mutate(By(user), OwnedBy(owner)).workload.pod.annotations,
                       "berth.dev/created-by")
        .has_value();
  };
  EXPECT_FALSE(creator_of("system:serviceaccount:kubeflow:operator", "PyTorchJob"));
  EXPECT_FALSE(creator_of("system:serviceaccount:kube-system:job-controller", "Job"));
  EXPECT_TRUE(creator_of("system:serviceaccount:kubeflow:other", "PyTorchJob"));
  const model::Workload daemon = OwnedBy("DaemonSet");
  EXPECT_EQ(engine->Mutate(By("system:serviceaccount:kube-system:daemon-set-controller"), daemon)
                .workload,
            daemon);
}

TEST(AdmissionEngineTest, TellsPoliciesWhichResourcesAreOrdinary) {
  AdmissionConfig config = Only<IsolationPolicy>();
  const auto isolates = [&config](std::string_view resource) {
    const Outcome outcome = MakeEngine(config)->Mutate(MakeRequest(), GpuPod("1", resource));
    return outcome.workload.pod.node_terms.has_value();
  };
  EXPECT_TRUE(isolates("rdma/hca_shared_devices_a"));
  EXPECT_TRUE(isolates("vpc.amazonaws.com/efa"));
  EXPECT_TRUE(isolates("devices.kubevirt.io/kvm"));
  EXPECT_FALSE(isolates("example.com/fpga"));
  config.ordinary_resources = {"example.com/*"};
  EXPECT_TRUE(isolates("example.com/fpga"));
  EXPECT_FALSE(isolates("rdma/hca_shared_devices_a"));
}

TEST(AdmissionEngineTest, AnUpdateIsDeniedOnlyForWhatItMakesWorse) {
  const auto engine = MakeEngine(Only<AcceleratorAffinityPolicy, IsolationPolicy>());
  Request request = MakeRequest();
  request.operation = Operation::kUpdate;
  const auto denied = [&](const model::Workload& now, const model::Workload& before) {
    return !engine->Validate(request, now, &before).denial.empty();
  };
  model::Workload labelled = Wrong();
  labelled.pod.annotations.emplace_back("note", "new");
  EXPECT_FALSE(denied(Wrong(), Wrong()));
  EXPECT_FALSE(denied(labelled, Wrong()));
  EXPECT_FALSE(denied(GpuPod(), Wrong()));
  EXPECT_FALSE(denied(CpuPod(), CpuPod()));
  EXPECT_TRUE(denied(Wrong(), GpuPod()));
  EXPECT_TRUE(denied(Annotated(GpuPod(), "accelerators", "P100"), Wrong()));
}

TEST(AdmissionEngineTest, AnUpdateIsJudgedByWhatItChanges) {
  const auto engine = MakeEngine(Only<CreatorPolicy>());
  const model::Workload alices = Annotated(CpuPod(), "created-by", "alice");
  const model::Workload bobs = Annotated(CpuPod(), "created-by", "bob");
  EXPECT_THAT(engine->Validate(MakeRequest(), bobs, &alices).denial, StartsWith("berth creator: "));
  EXPECT_THAT(engine->Validate(In(Mode::kWarn), bobs, &alices).warnings, SizeIs(1));
  EXPECT_EQ(engine->Validate(MakeRequest(), bobs, &bobs).denial, "");
  EXPECT_EQ(engine->Validate(MakeRequest(), bobs, nullptr).denial, "");
}

// It holds its devices until its grace period is over.
TEST(AdmissionEngineTest, OfAPodThatIsBeingDeletedOnlyTheUpdateIsJudged) {
  const auto engine = MakeEngine(Only<CreatorPolicy, IsolationPolicy>());
  model::Workload before = Annotated(GpuPod(), "created-by", "alice");
  model::Workload now = Annotated(CpuPod(), "created-by", "alice");
  model::Workload forged = Annotated(GpuPod(), "created-by", "bob");
  before.deleted = now.deleted = forged.deleted = true;
  const Outcome denied = engine->Validate(MakeRequest(), forged, &before);
  EXPECT_THAT(denied.denial, StartsWith("berth creator: metadata.annotations[berth.dev/created-by] "
                                        "names 'bob', but the stored pod names 'alice'"));
  EXPECT_EQ(denied.workload, forged);
  EXPECT_THAT(engine->Validate(In(Mode::kWarn), forged, &before).warnings, SizeIs(1));
  const Outcome same = engine->Validate(MakeRequest(), now, &before);
  EXPECT_EQ(same.denial, "");
  EXPECT_THAT(same.warnings, IsEmpty());
  const model::Workload job = MakeJob(before);
  EXPECT_EQ(engine->Validate(MakeRequest(), MakeJob(forged), &job).denial, "")
      << "it makes no pods any more";
  const Request kubelet = By("system:node:n1", {"system:nodes"});
  EXPECT_EQ(engine->Validate(kubelet, forged, &before).denial, "");
}

TEST(AdmissionEngineTest, JudgesAnUpdateByWhatIsKnownOfIt) {
  const auto engine = MakeEngine(Only<CreatorPolicy, IsolationPolicy>());
  model::Workload nobodys;
  nobodys.kind = "Pod";
  const model::Workload bobs = Annotated(nobodys, "created-by", "bob");
  const Outcome outcome = engine->JudgeUpdate(MakeRequest(), bobs, nobodys);
  EXPECT_THAT(outcome.denial, StartsWith("berth creator: "));
  ASSERT_THAT(outcome.effects, SizeIs(1));
  EXPECT_TRUE(outcome.effects[0].denied);
  EXPECT_EQ(engine->JudgeUpdate(MakeRequest(), bobs, bobs).denial, "");
  EXPECT_THAT(engine->JudgeUpdate(In(Mode::kWarn), bobs, nobodys).warnings, SizeIs(1));
  EXPECT_THAT(engine->JudgeUpdate(In(Mode::kOff), bobs, nobodys).warnings, IsEmpty());
}

TEST(AdmissionEngineTest, AnUpdateMayNotRaiseALimitThatWasTooHighBefore) {
  const auto engine = MakeEngine(Only<JobRetriesPolicy>());
  Request request = MakeRequest();
  request.operation = Operation::kUpdate;
  const auto job_of = [](std::int64_t limit) {
    model::Workload job = MakeJob(CpuPod());
    job.job->backoff_limit = limit;
    return job;
  };
  const model::Workload before = job_of(6);
  EXPECT_NE(engine->Validate(request, job_of(100), &before).denial, "");
  for (const std::int64_t limit : {6, 5, 0}) {
    EXPECT_EQ(engine->Validate(request, job_of(limit), &before).denial, "") << limit;
  }
}

TEST(AdmissionEngineTest, ForetellsWhatBecomesOfThePodsAndChangesNothing) {
  const auto engine = MakeEngine(Only<IsolationPolicy, AcceleratorAffinityPolicy>());
  const model::Workload cpu = MakeOwner("Deployment", CpuPod());
  const model::Workload wrong = MakeOwner("CronJob", Wrong());
  struct Case {
    Mode mode;
    const model::Workload& workload;
    std::string warning;
  };
  const std::string fault = "spec.jobTemplate.spec.template.metadata.annotations[berth.dev/";
  for (const Case& c : std::vector<Case>{
           {Mode::kEnforce, cpu, "berth, pods: kept off nodes"},
           {Mode::kWarn, cpu, "berth (warn only), pods: kept off nodes"},
           {Mode::kEnforce, wrong, "berth, pods denied: " + fault},
           {Mode::kWarn, wrong, "berth (warn only), pods denied: " + fault},
       }) {
    const Outcome outcome = engine->PreviewPods(In(c.mode), {c.workload});
    EXPECT_EQ(outcome.denial, "");
    EXPECT_EQ(outcome.pods_denied, c.mode == Mode::kEnforce && &c.workload == &wrong);
    EXPECT_THAT(outcome.warnings, ElementsAre(StartsWith(c.warning)));
    ASSERT_THAT(outcome.effects, SizeIs(1));
    EXPECT_TRUE(outcome.effects[0].would);
    EXPECT_FALSE(outcome.effects[0].changed || outcome.effects[0].denied);
  }
  EXPECT_THAT(engine->PreviewPods(In(Mode::kOff), {wrong}).warnings, IsEmpty());
  EXPECT_THAT(engine->PreviewPods(MakeRequest(), {MakeOwner("DaemonSet", CpuPod())}).warnings,
              IsEmpty());
}

// Kueue has counted them by then.
TEST(AdmissionEngineTest, ForetellsThatPodsWillRequestSomethingElse) {
  const auto engine = MakeEngine(Only<GuaranteedQosPolicy>());
  const model::Workload bare = MakeOwner("Deployment", CpuPod());
  EXPECT_TRUE(engine->PreviewPods(In(Mode::kEnforce), {bare}).requests_change);
  EXPECT_FALSE(engine->PreviewPods(In(Mode::kWarn), {bare}).requests_change);
  const model::Workload guaranteed = MakeOwner(
      "Deployment", MakePod({MakeContainer("main", Resources({{"cpu", "1"}, {"memory", "1Gi"}}))}));
  EXPECT_FALSE(engine->PreviewPods(In(Mode::kEnforce), {guaranteed}).requests_change);
}

TEST(AdmissionEngineTest, TellsWhichPoliciesMarkTemplates) {
  const auto engine = MakeEngine(Only<CreatorPolicy, IsolationPolicy>());
  std::vector<model::Workload> templates = {MakeOwner("PyTorchJob", CpuPod())};
  const Outcome outcome = engine->MarkTemplates(MakeRequest(), templates);
  EXPECT_EQ(templates[0], Annotated(MakeOwner("PyTorchJob", CpuPod()), "created-by", "alice"));
  ASSERT_THAT(outcome.effects, SizeIs(1));
  EXPECT_EQ(outcome.effects[0].policy, "creator");
  EXPECT_TRUE(outcome.effects[0].changed);
  // What is there already is no change.
  EXPECT_THAT(engine->MarkTemplates(MakeRequest(), templates).effects, IsEmpty());
}

TEST(AdmissionEngineTest, JobsKeepTheirRetriesInTheListedNamespaces) {
  AdmissionConfig config = Only<JobRetriesPolicy>();
  config.own_retries = {"elsewhere", MakeRequest().namespace_name};
  const model::Workload job = MakeJob(
      Annotated(MakePod({MakeContainer("train", Resources({{"memory", "1Gi"}, {kGpu, "1"}}))}),
                "retries", "own"));
  EXPECT_EQ(MakeEngine(config)->Mutate(MakeRequest(), job).workload, job);
  config.own_retries = {"elsewhere"};
  EXPECT_NE(MakeEngine(config)->Mutate(MakeRequest(), job).workload, job);
}

}  // namespace
}  // namespace berth::policies::admission
