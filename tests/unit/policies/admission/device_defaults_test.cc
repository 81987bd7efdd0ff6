#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/guaranteed_qos.h"
#include "tests/unit/policies/admission/sizes.h"

// The default sizes of containers whose devices the catalogue does not know.

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

GuaranteedQosPolicy DefaultPolicy() { return {Context(), {}}; }

TEST(DeviceDefaultsTest, LeavesDevicesToTheirAuthorThatTheCatalogueLacks) {
  const model::Workload pod =
      MakePod({MakeContainer("train", Resources({{"example.com/fpga", "1"}}))});
  const Made made = Mutate(DefaultPolicy(), pod);
  EXPECT_EQ(made.workload, pod);
  EXPECT_FALSE(made.holds);
  EXPECT_THAT(DefaultPolicy().Judge(MakeRequest(), made.workload),
              ElementsAre(Objection{"spec.containers[0].resources.limits", "lacks cpu and memory",
                                    "write limits: there is no default for example.com/fpga, which "
                                    "the catalogue lacks"}));
  model::Workload limited = pod;
  limited.pod.containers[0].resources = Sizes("4", "16Gi");
  limited.pod.containers[0].resources.limits.emplace("example.com/fpga", Q("1"));
  EXPECT_TRUE(Mutate(DefaultPolicy(), limited).holds);
}

TEST(DeviceDefaultsTest, GivesDevicesOfTheCatalogueTheirShareBesideOthers) {
  const Made made =
      Mutate(DefaultPolicy(),
             MakePod({MakeContainer("train", Resources({{kGpu, "1"}, {"example.com/x", "1"}}))}));
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("4 40Gi"));
  EXPECT_THAT(made.notes, ElementsAre("the default sizes leave out example.com/x, which the "
                                      "catalogue lacks"));
}

TEST(DeviceDefaultsTest, SetsNoDefaultsForPartsOfDevicesThatAnAnnotationAsksFor) {
  const std::vector<std::string> annotations = {"gpu-fraction"};
  PolicyContext context = Context();
  context.fraction_annotations = annotations;
  const GuaranteedQosPolicy policy(context, {});
  model::Workload pod = CpuPod();
  pod.pod.annotations = {{"gpu-fraction", "0.5"}};
  EXPECT_EQ(Mutate(policy, pod).writes, 0u);
  EXPECT_THAT(policy.Judge(MakeRequest(), pod), SizeIs(1));
  EXPECT_GT(Mutate(policy, CpuPod()).writes, 0u);
}

GuaranteedQosConfig WithClaims() {
  GuaranteedQosConfig config;
  config.claims = {{"big-*", {.cpu = Q("16"), .memory = Q("120Gi")}},
                   {"gpu.example.com", {.cpu = Q("4"), .memory = Q("30Gi")}}};
  return config;
}

// A container that uses claims of the pod, by the names of their templates.
model::Container Using(std::string name, std::vector<std::string> claims) {
  model::Container container = MakeContainer(std::move(name));
  container.claims = std::move(claims);
  return container;
}

model::Workload ClaimingPod(std::vector<model::Container> containers) {
  model::Workload pod = MakePod(std::move(containers));
  pod.pod.has_claims = true;
  return pod;
}

TEST(DeviceDefaultsTest, AreTheSharesOfClaimsByName) {
  const GuaranteedQosPolicy policy(Context(), WithClaims());
  const Made made = Mutate(policy, ClaimingPod({Using("train", {"big-gpu", "big-gpu"})}));
  EXPECT_THAT(SizesOf(made.workload), ElementsAre("32 240Gi"));
  EXPECT_THAT(made.changes, ElementsAre("cpu and memory of 'train' set to 32 cores, 240Gi (2 x "
                                        "big-gpu); set your own limits"));
  EXPECT_TRUE(made.holds);
  EXPECT_EQ(Mutate(policy, made.workload).writes, 0u);
  EXPECT_THAT(
      SizesOf(
          Mutate(policy, ClaimingPod({Using("train", {"big-gpu"}), Using("log", {})})).workload),
      ElementsAre("15 116Gi", "1 4Gi"));
}

TEST(DeviceDefaultsTest, AreTheSharesOfADeviceClass) {
  const GuaranteedQosPolicy policy(Context(), WithClaims());
  const auto asking = [](const std::string& resource) {
    return MakePod({MakeContainer("train", Resources({{resource, "2"}}))});
  };
  const std::string prefix = "deviceclass.resource.kubernetes.io/";
  EXPECT_THAT(SizesOf(Mutate(policy, asking(prefix + "gpu.example.com")).workload),
              ElementsAre("8 60Gi"));
  EXPECT_EQ(Mutate(policy, asking(prefix + "tpu.example.com")).writes, 0u);
}

// A DeviceClass and a ResourceClaimTemplate may have the same name, and count together.
TEST(DeviceDefaultsTest, SurviveMoreDevicesThanFit) {
  const std::string most = "9223372036854775807";
  model::Container container = Using("train", {"gpu.example.com"});
  container.resources = Resources({{"deviceclass.resource.kubernetes.io/gpu.example.com", most}});
  const GuaranteedQosPolicy policy(Context(), WithClaims());
  EXPECT_THAT(SizesOf(Mutate(policy, ClaimingPod({container})).workload),
              ElementsAre(most + "m " + most));
}

TEST(DeviceDefaultsTest, AreNotMadeUpForOtherClaims) {
  const GuaranteedQosPolicy policy(Context(), WithClaims());
  for (const model::Workload& pod :
       {ClaimingPod({Using("train", {"small-gpu"})}),
        ClaimingPod({Using("train", {"big-gpu", "small-gpu"})}),
        ClaimingPod({Using("train", {"big-gpu"}), Using("other", {"small-gpu"})})}) {
    EXPECT_EQ(Mutate(policy, pod).writes, 0u);
    EXPECT_THAT(policy.Judge(MakeRequest(), pod), Not(IsEmpty()));
  }
  EXPECT_EQ(Mutate(DefaultPolicy(), ClaimingPod({Using("train", {"big-gpu"})})).writes, 0u);
}

TEST(DeviceDefaultsTest, WantSharesOfClaimsThatCanBeReserved) {
  GuaranteedQosConfig config = WithClaims();
  EXPECT_THAT(Validate(config), IsEmpty());
  config.claims.push_back({"", {.cpu = Q("0"), .memory = {}}});
  config.claims.push_back({"half-gpu", {.cpu = Q("3500m"), .memory = Q("512")}});
  std::vector<std::string> errors;
  for (const model::FieldError& error : Validate(config)) errors.push_back(error.path);
  EXPECT_THAT(errors,
              ElementsAre("claims[2].match", "claims[2].share.cpu", "claims[2].share.memory",
                          "claims[3].share.cpu", "claims[3].share.memory"));
}

}  // namespace
}  // namespace berth::policies::admission
