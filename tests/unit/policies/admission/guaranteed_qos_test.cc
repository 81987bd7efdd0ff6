#include "policies/admission/guaranteed_qos.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/qos.h"
#include "tests/unit/policies/admission/sizes.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Texts = std::vector<std::string>;

GuaranteedQosConfig With(MissingLimits missing_limits) {
  GuaranteedQosConfig config;
  config.missing_limits = missing_limits;
  return config;
}

GuaranteedQosConfig Lowering() {
  GuaranteedQosConfig config;
  config.cpu = CpuRule::kLower;
  return config;
}

GuaranteedQosPolicy QosPolicy(const GuaranteedQosConfig& config = {}) {
  return {Context(), config};
}

struct SizeCase {
  std::string name;
  std::vector<model::Container> containers;
  Texts sizes;
  Texts changes;
};

// What comes of each case, and that its own result is left alone.
void ExpectSizes(const GuaranteedQosPolicy& policy, const std::vector<SizeCase>& cases) {
  for (const SizeCase& c : cases) {
    const Made made = Mutate(policy, MakePod(c.containers));
    EXPECT_EQ(SizesOf(made.workload), c.sizes) << c.name;
    EXPECT_EQ(made.changes, c.changes) << c.name;
    EXPECT_TRUE(made.holds) << c.name;
    EXPECT_TRUE(IsGuaranteed(made.workload.pod)) << c.name;
    EXPECT_THAT(policy.Judge(MakeRequest(), made.workload), IsEmpty()) << c.name;
    const Made again = Mutate(policy, made.workload);
    EXPECT_EQ(again.writes, 0u) << c.name;
    EXPECT_EQ(again.holds, made.holds) << c.name;
    EXPECT_THAT(again.changes, IsEmpty()) << c.name;
  }
}

// The API server keeps a class that a pod is created with, and kubelet believes it.
TEST(GuaranteedQosTest, RemovesTheClassThatItsAuthorWrote) {
  for (const char* written : {"Guaranteed", "BestEffort"}) {
    model::Workload pod = CpuPod();
    pod.qos_class = written;
    const Made made = Mutate(QosPolicy(), pod);
    EXPECT_EQ(made.workload.qos_class, "");
    EXPECT_THAT(made.changes, testing::Contains("status.qosClass " + std::string(written) +
                                                " removed: the API server computes it"));
    EXPECT_EQ(Mutate(QosPolicy(), made.workload).writes, 0u);
  }
}

TEST(GuaranteedQosTest, ObjectsToAClassThatTheResourcesContradict) {
  model::Workload pod = Mutate(QosPolicy(), CpuPod()).workload;
  pod.qos_class = "Guaranteed";  // as the API server computes it
  EXPECT_THAT(QosPolicy().Judge(MakeRequest(), pod), IsEmpty());
  pod.qos_class = "Burstable";
  const auto objections = QosPolicy().Judge(MakeRequest(), pod);
  ASSERT_THAT(objections, SizeIs(1));
  EXPECT_EQ(objections[0].field, "status.qosClass");
}

TEST(GuaranteedQosTest, EqualisesWhatAContainerSays) {
  ExpectSizes(
      QosPolicy(),
      {{"equal already", {Sized("a", "1", "1Gi")}, {"1 1Gi"}, {}},
       {"equal in other words", {Sized("a", "1/1000m", "1Gi/1024Mi")}, {"1/1000m 1Gi/1024Mi"}, {}},
       {"limits only, which is the same to Kubernetes",
        {Sized("a", "-/2", "-/4Gi")},
        {"-/2 -/4Gi"},
        {}},
       {"requests only",
        {Sized("a", "2/-", "4Gi/-")},
        {"2 4Gi"},
        {"cpu limit of 'a' set to its request, 2, as both must be equal",
         "memory limit of 'a' set to its request, 4Gi, as both must be equal"}},
       {"zero is not set",
        {Sized("a", "0/2", "4Gi/0")},
        {"2 4Gi"},
        {"cpu request of 'a' set to its limit, 2, as both must be equal",
         "memory limit of 'a' set to its request, 4Gi, as both must be equal"}},
       {"both",
        {Sized("a", "1/2", "1Gi/4Gi")},
        {"2 4Gi"},
        {"cpu request of 'a' raised from 1 to its limit, 2, as both must be equal",
         "memory request of 'a' raised from 1Gi to its limit, 4Gi, as both must be equal"}},
       {"init containers and sidecars",
        {Init(Sized("i", "1/2", "1Gi")), Sidecar(Sized("s", "1", "1Gi/2Gi")),
         Sized("a", "1", "1Gi")},
        {"2 1Gi", "1 2Gi", "1 1Gi"},
        {"cpu request of 'i' raised from 1 to its limit, 2, as both must be equal",
         "memory request of 's' raised from 1Gi to its limit, 2Gi, as both must be equal"}}});
}

TEST(GuaranteedQosTest, LowersCpuButNeverMemoryWhereConfigured) {
  ExpectSizes(QosPolicy(Lowering()),
              {{"both",
                {Sized("a", "1/2", "1Gi/4Gi")},
                {"1 4Gi"},
                {"cpu limit of 'a' lowered from 2 to its request, 1, as both must be equal",
                 "memory request of 'a' raised from 1Gi to its limit, 4Gi, as both must be equal"}},
               {"a limit alone",
                {Sized("a", "0/2", "1Gi")},
                {"2 1Gi"},
                {"cpu request of 'a' set to its limit, 2, as both must be equal"}}});
}

// Every pod of a mesh has such a proxy, whose limit is for bursts.
TEST(GuaranteedQosTest, LowersTheCpuOfInjectedProxies) {
  ExpectSizes(QosPolicy(),
              {{"Istio's",
                {Sized("train", "4", "16Gi"), Sized("istio-proxy", "100m/2", "128Mi/1Gi")},
                {"4 16Gi", "100m 1Gi"},
                {"cpu limit of 'istio-proxy' lowered from 2 to its request, 100m, as both must be "
                 "equal",
                 "memory request of 'istio-proxy' raised from 128Mi to its limit, 1Gi, as both "
                 "must be equal"}}});
  GuaranteedQosConfig config;
  config.lower_cpu_of = {"proxy"};
  ExpectSizes(QosPolicy(config),
              {{"configured",
                {Sized("istio-proxy", "100m/2", "1Gi"), Sized("proxy", "100m/2", "1Gi")},
                {"2 1Gi", "100m 1Gi"},
                {"cpu request of 'istio-proxy' raised from 100m to its limit, 2, as both must be "
                 "equal",
                 "cpu limit of 'proxy' lowered from 2 to its request, 100m, as both must be "
                 "equal"}}});
}

TEST(GuaranteedQosTest, GivesContainersTheShareOfTheirDevices) {
  ExpectSizes(
      QosPolicy(),
      {{"two devices",
        {Sized("train", "-", "-", "2")},
        {"8 80Gi"},
        {"cpu and memory of 'train' set to 8 cores, 80Gi (2 x nvidia.com/gpu); set your own "
         "limits"}},
       {"memory alone",
        {Sized("train", "2", "-", "1")},
        {"2 40Gi"},
        {"memory of 'train' set to 40Gi (1 x nvidia.com/gpu); set your own limits"}},
       {"zeros",
        {Sized("train", "0", "0", "1")},
        {"4 40Gi"},
        {"cpu and memory of 'train' set to 4 cores, 40Gi (1 x nvidia.com/gpu); set your own "
         "limits"}},
       {"several",
        {Sized("a", "-", "-", "1"), Sized("b", "-", "-", "1")},
        {"4 40Gi", "4 40Gi"},
        {"cpu and memory of 'a' and 'b' set to 4 cores, 40Gi (1 x nvidia.com/gpu); set your own "
         "limits"}},
       {"small ones are taken off the largest",
        {Sidecar(Sized("s", "-", "-")), Sized("a", "-", "-", "1"), Sized("b", "-", "-", "2"),
         Sized("log", "-", "-")},
        {"1 4Gi", "4 40Gi", "6 72Gi", "1 4Gi"},
        {"cpu and memory of 's' and 'log' set to 1 core, 4Gi (default); set your own limits",
         "cpu and memory of 'a' set to 4 cores, 40Gi (1 x nvidia.com/gpu); set your own limits",
         "cpu and memory of 'b' set to 6 cores, 72Gi (of 2 x nvidia.com/gpu); set your own "
         "limits"}},
       {"many small ones take no more than a quarter",
        {Sized("a", "-", "-", "1"), Sized("b", "-", "-"), Sized("c", "-", "-"),
         Sized("d", "-", "-")},
        {"3 30721Mi", "333m 3413Mi", "333m 3413Mi", "333m 3413Mi"},
        {"cpu and memory of 'a' set to 3 cores, 30721Mi (of 1 x nvidia.com/gpu); set your own "
         "limits",
         "cpu and memory of 'b', 'c' and 1 more set to 333m, 3413Mi (default); set your own "
         "limits"}},
       {"beside sizes of their own, they get what these leave of the share",
        {Sized("a", "2", "38Gi", "1"), Sized("b", "-", "-")},
        {"2 38Gi", "1 2Gi"},
        {"cpu and memory of 'b' set to 1 core, 2Gi (default); set your own limits"}},
       {"or the least",
        {Sized("a", "8", "80Gi", "1"), Sized("b", "-", "-")},
        {"8 80Gi", "100m 128Mi"},
        {"cpu and memory of 'b' set to 100m, 128Mi (default); set your own limits"}},
       {"what a sidecar sets is its own affair",
        {Sidecar(Sized("s", "2", "1Gi")), Sized("a", "-", "-", "1")},
        {"2 1Gi", "4 40Gi"},
        {"cpu and memory of 'a' set to 4 cores, 40Gi (1 x nvidia.com/gpu); set your own limits"}},
       {"init containers run before, so nothing is taken off",
        {Init(Sized("i", "-", "-")), Sized("a", "-", "-", "1")},
        {"4 40Gi", "4 40Gi"},
        {"cpu and memory of 'i' set to 4 cores, 40Gi (the pod's total); set your own limits",
         "cpu and memory of 'a' set to 4 cores, 40Gi (1 x nvidia.com/gpu); set your own limits"}},
       {"an init container with the devices of one after it",
        {Init(Sized("i", "-", "-", "2")), Sized("a", "6", "-", "2")},
        {"6 80Gi", "6 80Gi"},
        {"cpu and memory of 'i' set to 6 cores, 80Gi (the pod's total); set your own limits",
         "memory of 'a' set to 80Gi (2 x nvidia.com/gpu); set your own limits"}}});
}

TEST(GuaranteedQosTest, TakesTheModelsThatThePodNames) {
  const Made made = Mutate(
      QosPolicy(), Annotated(MakePod({Sized("a", "-", "-", "1")}), "accelerators", "A100,A30"));
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("13 76Gi"));
}

TEST(GuaranteedQosTest, DefaultsNeverMakeAPodAskForMoreThanItsDevicesBring) {
  std::vector<model::Container> containers;
  for (int i = 0; i < 7; ++i) containers.push_back(Init(Sized("i", "-", "-", i == 3 ? "1" : "-")));
  for (int i = 0; i < 5; ++i) containers.push_back(Sidecar(Sized("s", "-", "-")));
  containers.push_back(Sized("a", "-", "-", "2"));
  for (int i = 0; i < 20; ++i) containers.push_back(Sized("log", "-", "-"));
  const Made made = Mutate(QosPolicy(), MakePod(containers));
  EXPECT_LE(EffectiveRequest(made.workload.pod, Compute::kCpu), Q("8").amount());
  EXPECT_LE(EffectiveRequest(made.workload.pod, Compute::kMemory), Q("80Gi").amount());
}

TEST(GuaranteedQosTest, LeavesALargestContainerOneCoreHoweverMuchTheOthersTake) {
  std::vector<model::Container> containers = {Sized("a", "-", "-", "1")};
  for (int i = 0; i < 500; ++i) containers.push_back(Sized("log", "-", "-"));
  EXPECT_EQ(SizesOf(Mutate(QosPolicy(), MakePod(containers)).workload).front(), "1 128Mi");
}

TEST(GuaranteedQosTest, GivesPodsWithoutDevicesWhatIsConfigured) {
  ExpectSizes(QosPolicy(),
              {{"alone",
                {Sized("a", "-", "-")},
                {"1 4Gi"},
                {"cpu and memory of 'a' set to 1 core, 4Gi (default); set your own limits"}},
               {"others",
                {Sidecar(Sized("s", "-", "-")), Sized("a", "-", "-"), Sized("b", "-", "1Gi")},
                {"100m 128Mi", "1 4Gi", "1 1Gi"},
                {"cpu and memory of 's' set to 100m, 128Mi (default); set your own limits",
                 "cpu and memory of 'a' set to 1 core, 4Gi (default); set your own limits",
                 "cpu of 'b' set to 1 core (default); set your own limits"}},
               {"init containers stay below what follows",
                {Init(Sized("i", "-", "-")), Sized("a", "50m", "64Mi")},
                {"50m 64Mi", "50m 64Mi"},
                {"cpu and memory of 'i' set to 50m, 64Mi (the pod's total); set your own limits"}},
               {"an init container gets what the others request",
                {Init(Sized("i", "-", "-")), Sidecar(Sized("s", "500m", "1Gi")),
                 Init(Sized("j", "-", "-")), Sized("a", "-", "-")},
                {"1500m 5Gi", "500m 1Gi", "1 4Gi", "1 4Gi"},
                {"cpu and memory of 'i' set to 1500m, 5Gi (the pod's total); set your own limits",
                 "cpu and memory of 'j' set to 1 core, 4Gi (the pod's total); set your own limits",
                 "cpu and memory of 'a' set to 1 core, 4Gi (default); set your own limits"}},
               {"or what another init container requests",
                {Init(Sized("i", "-", "-")), Init(Sized("j", "8", "64Gi")), Sized("a", "1", "1Gi")},
                {"8 64Gi", "8 64Gi", "1 1Gi"},
                {"cpu and memory of 'i' set to 8 cores, 64Gi (the pod's total); set your own "
                 "limits"}}});
  GuaranteedQosConfig config;
  config.without_accelerators = {.cpu = Q("1500m"), .memory = Q("2Gi")};
  config.small = {.cpu = Q("1"), .memory = Q("1Gi")};
  ExpectSizes(QosPolicy(config),
              {{"configured",
                {Sidecar(Sized("s", "-", "-")), Sized("a", "-", "-")},
                {"1 1Gi", "1500m 2Gi"},
                {"cpu and memory of 's' set to 1 core, 1Gi (default); set your own limits",
                 "cpu and memory of 'a' set to 1500m, 2Gi (default); set your own limits"}}});
}

TEST(GuaranteedQosTest, RaisesLimitsOfALimitRangeToLargerRequests) {
  model::Workload pod = MakePod({Sized("a", "1", "8Gi/1Gi"), Sized("b", "1", "8Gi/1Gi")});
  pod.pod.annotations = {
      {"kubernetes.io/limit-ranger", "LimitRanger plugin set: memory limit for container a"}};
  const Made made = Mutate(QosPolicy(), pod);
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("1 8Gi", "1 8Gi/1Gi"));
  EXPECT_THAT(made.changes, ElementsAre("memory limit of 'a' raised from 1Gi to its request, 8Gi, "
                                        "as both must be equal"));
  EXPECT_FALSE(made.holds);
}

// As LimitRanger leaves a pod where the LimitRange has `min` or `defaultRequest`: nobody asked for
// these requests.
TEST(GuaranteedQosTest, TakesRequestsOfALimitRangeForNone) {
  const auto mutate = [](std::vector<model::Container> containers, const char* set,
                         const GuaranteedQosConfig& config = {}) {
    model::Workload pod = MakePod(std::move(containers));
    pod.pod.annotations = {
        {"kubernetes.io/limit-ranger", std::string("LimitRanger plugin set: ") + set}};
    return Mutate(QosPolicy(config), pod);
  };
  const char* kBoth = "cpu, memory request for container train";
  const Made made = mutate({Sized("train", "10m/-", "16Mi/-", "2")}, kBoth);
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("8 80Gi"));
  EXPECT_THAT(made.changes, ElementsAre("cpu and memory of 'train' set to 8 cores, 80Gi (2 x "
                                        "nvidia.com/gpu); set your own limits"));
  EXPECT_TRUE(made.holds);

  // The author wrote a limit of cpu, and only the memory is the LimitRange's.
  const Made half =
      mutate({Sized("train", "3", "16Mi/-", "1")}, "memory request for container train");
  EXPECT_THAT(SizesOf(half.workload), ElementsAre("3 40Gi"));

  // No size is below the LimitRange's minimum.
  GuaranteedQosConfig little;
  little.without_accelerators = {.cpu = Q("100m"), .memory = Q("1Mi")};
  EXPECT_THAT(SizesOf(mutate({Sized("train", "200m/-", "16Mi/-")}, kBoth, little).workload),
              ElementsAre("200m 16Mi"));

  // A limit of the LimitRange counts, and so does a request that somebody wrote.
  EXPECT_THAT(SizesOf(mutate({Sized("train", "10m/1", "16Mi/1Gi")},
                             "cpu, memory request for container train; cpu, memory limit for "
                             "container train")
                          .workload),
              ElementsAre("1 1Gi"));
  EXPECT_THAT(
      SizesOf(mutate({Sized("train", "10m/-", "16Mi/-")}, "cpu, memory request for container other")
                  .workload),
      ElementsAre("10m 16Mi"));
}

TEST(GuaranteedQosTest, DeniesWhereOnlyALimitRangeRequests) {
  model::Workload pod = MakePod({Sized("a", "10m/-", "16Mi/-")});
  pod.pod.annotations = {{"kubernetes.io/limit-ranger",
                          "LimitRanger plugin set: cpu, memory request for container a"}};
  const GuaranteedQosPolicy policy = QosPolicy(With(MissingLimits::kDeny));
  const Made made = Mutate(policy, pod);
  EXPECT_THAT(made.changes, IsEmpty());
  EXPECT_THAT(policy.Judge(MakeRequest(), made.workload), SizeIs(1));
}

struct PodCase {
  std::string name;
  model::ResourceRequirements pod;
  std::vector<model::Container> containers;
  std::string size;
  Texts changes;
};

TEST(GuaranteedQosTest, EqualisesThePodsOwnResourcesAlone) {
  const std::vector<PodCase> cases = {
      {"equal", Sizes("1", "1Gi"), {Sized("a", "1/2", "-")}, "1 1Gi", {}},
      {"different",
       Sizes("1/2", "1Gi/4Gi"),
       {Sized("a", "-", "-")},
       "2 4Gi",
       {"cpu request of spec.resources raised from 1 to its limit, 2, as both must be equal",
        "memory request of spec.resources raised from 1Gi to its limit, 4Gi, as both must be "
        "equal"}},
      {"limits only",
       Sizes("-/2", "0/4Gi"),
       {Sized("a", "-", "-")},
       "2 4Gi",
       {"cpu request of spec.resources set to its limit, 2, as both must be equal",
        "memory request of spec.resources set to its limit, 4Gi, as both must be equal"}},
      {"requests only, above which a container may rise",
       Sizes("2/-", "4Gi/-"),
       {Sized("a", "1/4", "1Gi")},
       "4 4Gi",
       {"cpu limit of spec.resources set to its request, 4, as both must be equal",
        "memory limit of spec.resources set to its request, 4Gi, as both must be equal"}},
      {"neither",
       {},
       {Sized("a", "-", "-")},
       "1 4Gi",
       {"cpu and memory of spec.resources set to 1 core, 4Gi; set your own limits"}},
      {"neither, and containers that need more together",
       Sizes("8", "-"),
       {Sidecar(Sized("s", "1", "3Gi")), Sized("a", "1", "3Gi")},
       "8 6Gi",
       {"memory of spec.resources set to 6Gi; set your own limits"}},
      {"neither, and one that may rise higher",
       Sizes("8", "-"),
       {Sized("a", "1", "1Gi/9Gi")},
       "8 9Gi",
       {"memory of spec.resources set to 9Gi; set your own limits"}},
      {"neither, with devices",
       {},
       {Init(Sized("i", "-", "-", "1")), Sized("a", "-", "-", "2"), Sized("b", "-", "-", "1")},
       "12 120Gi",
       {"cpu and memory of spec.resources set to 12 cores, 120Gi; set your own limits"}},
  };
  for (const PodCase& c : cases) {
    model::Workload pod = MakePod(c.containers);
    pod.pod.resources = c.pod;
    const Made made = Mutate(QosPolicy(), pod);
    EXPECT_EQ(SizeOf(*made.workload.pod.resources), c.size) << c.name;
    EXPECT_EQ(made.changes, c.changes) << c.name;
    EXPECT_EQ(made.workload.pod.containers, pod.pod.containers) << c.name;
    EXPECT_TRUE(made.holds) << c.name;
    EXPECT_EQ(Mutate(QosPolicy(), made.workload).writes, 0u) << c.name;
  }
}

TEST(GuaranteedQosTest, LowersThePodsCpuNoFurtherThanItsContainersRise) {
  model::Workload pod = MakePod({Sized("a", "1/3", "1Gi")});
  pod.pod.resources = Sizes("2/8", "1Gi");
  EXPECT_EQ(SizeOf(*Mutate(QosPolicy(Lowering()), pod).workload.pod.resources), "3 1Gi");
}

struct ObjectionCase {
  std::string name;
  GuaranteedQosConfig config;
  model::Workload workload;
  std::vector<Objection> objections;
};

model::Workload Claiming(model::Workload pod) {
  pod.pod.has_claims = true;
  return pod;
}

constexpr std::string_view kAdvice = "write limits, such as cpu: \"4\", memory: 16Gi";

TEST(GuaranteedQosTest, ObjectsToWhatItCannotMakeGuaranteed) {
  const std::string advice(kAdvice);
  const std::string claims = "write limits: there is no default for claimed devices";
  const std::vector<ObjectionCase> cases = {
      {"a request above its limit",
       {},
       MakePod({Sized("a", "4/2", "1Gi")}),
       {{"spec.containers[0].resources.requests.cpu", "is above the limit",
         "write 4 as the limit, or 2 as the request"}}},
      {"the pod's request above its limit",
       {},
       [] {
         model::Workload pod = CpuPod();
         pod.pod.resources = Sizes("1", "8Gi/1Gi");
         return pod;
       }(),
       {{"spec.resources.requests.memory", "is above the limit",
         "write 8Gi as the limit, or 1Gi as the request"}}},
      {"a negative amount",
       {},
       MakePod({Sized("a", "1", "-1Gi/-1Gi")}),
       {{"spec.containers[0].resources.limits", "lacks memory", advice}}},
      {"denied by configuration",
       With(MissingLimits::kDeny),
       MakeJob(
           MakePod({Init(Sized("i", "1", "-")), Sized("a", "-", "-"), Sized("b", "-/1", "1Gi")})),
       {{"spec.template.spec.initContainers[0].resources.limits", "lacks memory", advice},
        {"spec.template.spec.containers[0].resources.limits", "lacks cpu and memory", advice}}},
      {"claims",
       {},
       Claiming(CpuPod()),
       {{"spec.containers[0].resources.limits", "lacks cpu and memory", claims}}},
      {"a bare pod without limits",
       With(MissingLimits::kAllowRetryless),
       Annotated(CpuPod(), "retryless", "true"),
       {{"spec.containers[0].resources.limits", "lacks cpu and memory",
         advice + ", or measure the need with a Job, which may run without limits"}}},
      {"what makes pods that are not retried by a Job",
       With(MissingLimits::kDeny),
       MakeOwner("Deployment", CpuPod()),
       {{"spec.template.spec.containers[0].resources.limits", "lacks cpu and memory", advice}}},
      {"a CronJob's",
       With(MissingLimits::kDeny),
       MakeOwner("CronJob", CpuPod()),
       {{"spec.jobTemplate.spec.template.spec.containers[0].resources.limits",
         "lacks cpu and memory", advice}}},
  };
  for (const ObjectionCase& c : cases) {
    const Made made = Mutate(QosPolicy(c.config), c.workload);
    EXPECT_FALSE(made.holds) << c.name;
    EXPECT_EQ(QosPolicy(c.config).Judge(MakeRequest(), made.workload), c.objections) << c.name;
  }
}

TEST(GuaranteedQosTest, ObjectsToAFinalStateThatSomebodyElseMade) {
  const std::vector<Objection> objections =
      QosPolicy().Judge(MakeRequest(), MakePod({Sized("a", "1/2", "0/1Gi")}));
  EXPECT_THAT(objections,
              ElementsAre(Objection{"spec.containers[0].resources.requests.cpu",
                                    "is not the same as the limit", "write 2, as the limit"},
                          Objection{"spec.containers[0].resources.requests.memory",
                                    "is not the same as the limit", "write 1Gi, as the limit"}));
}

TEST(GuaranteedQosTest, ClaimsAreNoObstacleWhereLimitsAreSet) {
  const Made made = Mutate(QosPolicy(), Claiming(MakePod({Sized("a", "1/2", "1Gi")})));
  EXPECT_TRUE(made.holds);
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("2 1Gi"));
}

TEST(GuaranteedQosTest, AsksForLimitsWhereTheCatalogueHasNoShare) {
  const auto catalog = model::AcceleratorCatalog::Make(
      {{.name = "A", .resource = std::string(kGpu), .nodes = {{"gpu", "."}}, .memory = {}}});
  const GuaranteedQosPolicy policy({.catalog = *catalog, .prefix = Prefix()}, {});
  const Made made = Mutate(policy, MakePod({Sized("a", "-", "-", "1")}));
  EXPECT_EQ(made.writes, 0u);
  EXPECT_THAT(policy.Judge(MakeRequest(), made.workload), SizeIs(1));
}

struct QosRetrylessCase {
  std::string name;
  MissingLimits missing_limits;
  model::Workload workload;
  bool marked;
  bool holds;
};

model::Workload ManagedBy(std::string manager, model::Workload job) {
  job.job->managed_by = std::move(manager);
  return job;
}

TEST(GuaranteedQosTest, MarksJobsThatMayGoWithoutLimits) {
  const auto spoofed = [](model::Workload workload) {
    return Annotated(std::move(workload), "retryless", "true");
  };
  const model::Workload limited = MakeJob(MakePod({Sized("a", "1", "1Gi")}));
  constexpr MissingLimits kAllow = MissingLimits::kAllowRetryless;
  const std::vector<QosRetrylessCase> cases = {
      {"a Job without limits", kAllow, MakeJob(CpuPod()), true, true},
      {"a Job with devices", kAllow, MakeJob(GpuPod()), true, true},
      {"a Job with claims", kAllow, MakeJob(Claiming(CpuPod())), true, true},
      {"a Job without a cpu limit", kAllow, MakeJob(MakePod({Sized("a", "-", "1Gi")})), true, true},
      {"a Job with limits", kAllow, limited, false, true},
      {"a Job with limits that says so", kAllow, spoofed(limited), false, true},
      {"the default controller by name", kAllow,
       ManagedBy("kubernetes.io/job-controller", MakeJob(CpuPod())), true, true},
      {"another controller's Job", kAllow,
       ManagedBy("kueue.x-k8s.io/multikueue", MakeJob(CpuPod())), false, false},
      {"a CronJob", kAllow, MakeOwner("CronJob", CpuPod()), true, true},
      {"a Deployment", kAllow, MakeOwner("Deployment", CpuPod()), false, false},
      {"not allowed", MissingLimits::kDeny, spoofed(MakeJob(CpuPod())), false, false},
      {"not needed", MissingLimits::kDefault, spoofed(MakeJob(CpuPod())), false, true},
  };
  for (const QosRetrylessCase& c : cases) {
    const GuaranteedQosPolicy policy = QosPolicy(With(c.missing_limits));
    const Made made = Mutate(policy, c.workload);
    const auto mark = model::Find(made.workload.pod.annotations, "berth.dev/retryless");
    EXPECT_EQ(mark.value_or("") == "true", c.marked) << c.name;
    EXPECT_EQ(made.holds, c.holds) << c.name;
    EXPECT_EQ(policy.Judge(MakeRequest(), made.workload).empty(), c.holds) << c.name;
    EXPECT_EQ(SizesOf(made.workload) == SizesOf(c.workload),
              c.missing_limits != MissingLimits::kDefault)
        << c.name;
    EXPECT_EQ(Mutate(policy, made.workload).writes, 0u) << c.name;
  }
}

TEST(GuaranteedQosTest, TellsWhoMarkedAJobHimself) {
  const model::Workload job = MakeJob(MakePod({Sized("a", "1", "1Gi")}));
  EXPECT_THAT(
      Mutate(QosPolicy(), Annotated(job, "retryless", "true")).changes,
      ElementsAre("berth.dev/retryless removed: only Berth sets it, on Jobs without limits"));
}

TEST(GuaranteedQosTest, BelievesTheMarkOnlyOnPodsOfTheJobController) {
  const GuaranteedQosPolicy policy = QosPolicy(With(MissingLimits::kAllowRetryless));
  model::Workload marked = Annotated(CpuPod(), "retryless", "true");
  marked.owners = {{.kind = "Job", .name = "train", .controller = true, .group = "batch"}};
  Request request = MakeRequest();
  for (const auto& [controller, believed] : std::vector<std::pair<std::string, bool>>{
           {"Job", true}, {"ReplicaSet", false}, {"", false}}) {
    request.controller = controller;
    EXPECT_EQ(policy.Judge(request, marked).empty(), believed) << controller;
    EXPECT_EQ(Mutate(policy, marked, request).holds, believed) << controller;
    EXPECT_EQ(Mutate(policy, marked, request).writes, 0u) << controller;
    EXPECT_THAT(policy.Judge(request, CpuPod()), SizeIs(1)) << controller;
  }
}

TEST(GuaranteedQosTest, DoesNotBelieveTheMarkOnPodsOfAnotherGroupsJob) {
  const GuaranteedQosPolicy policy = QosPolicy(With(MissingLimits::kAllowRetryless));
  model::Workload marked = Annotated(CpuPod(), "retryless", "true");
  marked.owners = {{.kind = "Job", .name = "flow", .controller = true}};
  marked.owners[0].group = "batch.volcano.sh";
  Request request = MakeRequest();
  request.controller = "Job";
  EXPECT_THAT(policy.Judge(request, marked), SizeIs(1));
  EXPECT_FALSE(Mutate(policy, marked, request).holds);
}

TEST(GuaranteedQosTest, WantsTheMarkOfAJobOnlyWhereItIsGiven) {
  const GuaranteedQosPolicy policy = QosPolicy(With(MissingLimits::kAllowRetryless));
  Request request = MakeRequest();
  EXPECT_THAT(policy.Judge(request, MakeJob(CpuPod())), SizeIs(1));
  request.mode = Mode::kWarn;
  EXPECT_THAT(policy.Judge(request, MakeJob(CpuPod())), IsEmpty());
}

TEST(GuaranteedQosTest, ARetrylessJobIsStillNotLeftWithDifferentAmounts) {
  const GuaranteedQosPolicy policy = QosPolicy(With(MissingLimits::kAllowRetryless));
  const Made made = Mutate(policy, MakeJob(MakePod({Sized("a", "1/2", "-")})));
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("2 -"));
  EXPECT_THAT(policy.Judge(MakeRequest(), MakeJob(MakePod({Sized("a", "4/2", "-")}))),
              Not(IsEmpty()));
}

TEST(GuaranteedQosTest, SaysLittleAboutThousandsOfContainers) {
  std::vector<model::Container> same;
  std::vector<model::Container> different;
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = "c" + std::to_string(i);
    same.push_back(Sized(name, "-", "-"));
    different.push_back(Sized(name, "1/" + std::to_string(i + 2), "1Gi"));
  }
  EXPECT_THAT(Mutate(QosPolicy(), MakePod(same)).changes,
              ElementsAre("cpu and memory of 'c0', 'c1' and 9998 more set to 1 core, 4Gi "
                          "(default); set your own limits"));
  const Texts changes = Mutate(QosPolicy(), MakePod(different)).changes;
  ASSERT_THAT(changes, SizeIs(9));
  EXPECT_EQ(changes.back(), "cpu and memory of 'c8', 'c9' and 9990 more set or equalised likewise");
  EXPECT_THAT(QosPolicy(With(MissingLimits::kDeny)).Judge(MakeRequest(), MakePod(same)),
              SizeIs(100));
}

TEST(GuaranteedQosTest, SurvivesAmountsThatOverflow) {
  const std::string most = "9223372036854775807";
  const Made made =
      Mutate(QosPolicy(), MakePod({Sized("a", "-", "-", most), Sized("b", "-", "-", most),
                                   Init(Sized("i", "-", "-", most))}));
  EXPECT_TRUE(made.holds);
  EXPECT_EQ(SizesOf(made.workload).front(), most + "m " + most);
  model::Workload pod = MakePod({Sized("a", "8E", "8Ei"), Sized("b", "8E", "8Ei")});
  pod.pod.resources.emplace();
  EXPECT_EQ(SizeOf(*Mutate(QosPolicy(), pod).workload.pod.resources), most + "m " + most);
}

TEST(GuaranteedQosConfigTest, WantsSizesThatAContainerMayHave) {
  EXPECT_THAT(Validate(GuaranteedQosConfig()), IsEmpty());
  GuaranteedQosConfig config;
  config.without_accelerators = {.cpu = Q("0"), .memory = Q("-1Gi")};
  config.small = {};
  config.lower_cpu_of = {"proxy", ""};
  Texts errors;
  for (const model::FieldError& error : Validate(config)) errors.push_back(error.path);
  EXPECT_THAT(errors, ElementsAre("lowerCpuOf[1]", "withoutAccelerators.cpu",
                                  "withoutAccelerators.memory", "small.cpu", "small.memory"));
  config = {};
  config.small = {.cpu = Q("100m"), .memory = Q("512")};
  ASSERT_THAT(Validate(config), SizeIs(1));
  EXPECT_THAT(Validate(config)[0].message, HasSubstr("did you mean 512Mi or 512Gi?"));
}

}  // namespace
}  // namespace berth::policies::admission
