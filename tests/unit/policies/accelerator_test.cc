#include "policies/scheduling/accelerator.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/policies/fixtures.h"

namespace berth::policies::scheduling {
namespace {

constexpr std::string_view kModels = "berth.dev/accelerators";
constexpr std::string_view kMemory = "berth.dev/accelerator-memory";

model::StringMap Annotations(std::string_view models, std::string_view memory = "") {
  model::StringMap annotations;
  if (!models.empty()) annotations.emplace_back(kModels, models);
  if (!memory.empty()) annotations.emplace_back(kMemory, memory);
  return annotations;
}

constexpr std::string_view kMig = "nvidia.com/mig-1g.5gb";

model::NodeState GpuNodeWithMemory(const std::string& product, const std::string& mebibytes) {
  return NodeWith("n", kGpu, 8,
                  {{"nvidia.com/gpu.product", product}, {"nvidia.com/gpu.memory", mebibytes}});
}

model::NodeState NodeOf(const std::string& kind) {
  static const std::map<std::string, model::NodeState> nodes = {
      {"V100", GpuNode("v", "Tesla-V100-SXM2-32GB")},
      {"A100", GpuNode("a", "NVIDIA-A100-SXM4-40GB")},
      {"A30", GpuNode("b", "NVIDIA-A30")},
      {"MN-Core", NodeWith("m", kMnCore, 4)},
      {"P100", GpuNode("h", "Tesla-P100-PCIE-16GB")},
      {"A30 with slices", NodeWith("s", kMig, 7, {{"nvidia.com/gpu.product", "NVIDIA-A30"}})},
      {"CPU", NodeWith("c", "cpu", 64000)},
      {"V100 16384 MiB", GpuNodeWithMemory("Tesla-V100-SXM2-16GB", "16384")},
      {"V100 32510 MiB", GpuNodeWithMemory("Tesla-V100-SXM2-32GB", "32510")},
      {"A100 39538 MiB", GpuNodeWithMemory("NVIDIA-A100-SXM4-40GB", "39538")},
      {"A100 bad label", GpuNodeWithMemory("NVIDIA-A100-SXM4-40GB", "lots")},
      {"A100 0 MiB", GpuNodeWithMemory("NVIDIA-A100-SXM4-40GB", "0")},
      {"P100 81559 MiB", GpuNodeWithMemory("Tesla-P100-PCIE-16GB", "81559")}};
  return nodes.at(kind);
}

struct AcceleratorCase {
  std::string name;
  model::Pod pod;
  std::string node;
  bool fits;
  std::uint16_t score = kMaxScore;  // where it fits
  std::string reason;               // where it does not
};

struct Prepared {
  ReasonTable reasons;
  std::string prefix = "berth.dev";
  AcceleratorPolicy policy{{*Catalog(), prefix, reasons}, NoConfig{}};
  Preparation preparation;

  explicit Prepared(const model::Pod& pod) : preparation(policy.Prepare(pod, FixedView(), kNow)) {}
};

class AcceleratorTable : public testing::TestWithParam<AcceleratorCase> {};

TEST_P(AcceleratorTable, JudgesNode) {
  const AcceleratorCase& c = GetParam();
  const Prepared prepared(c.pod);
  const auto* evaluator = std::get_if<std::unique_ptr<NodeEvaluator>>(&prepared.preparation);
  ASSERT_NE(evaluator, nullptr);
  const Verdict verdict = (*evaluator)->Evaluate(NodeOf(c.node));
  EXPECT_EQ(verdict.fits, c.fits);
  EXPECT_EQ(verdict.score, c.fits ? c.score : 0);
  EXPECT_EQ(prepared.reasons[verdict.reason].text, c.reason);
}

model::Pod Gpu(std::string_view models, std::string_view memory = "") {
  return PodAskingFor(kGpu, 1, Annotations(models, memory));
}

std::string IsOther(const std::string& name) {
  return "node(s) had accelerator " + name + ", not one the pod asks for";
}

const std::string kNotInCatalogue = "node(s) had no accelerator that Berth's catalogue knows";
const std::string kTooLittle = "node(s) had less accelerator memory than the pod's minimum";
const std::string kUnknownSize = "node(s) had accelerator memory of unknown size";

INSTANTIATE_TEST_SUITE_P(
    Models, AcceleratorTable,
    testing::Values(
        AcceleratorCase{"AnyGpuWhereNoneIsNamed", Gpu(""), "V100", true},
        AcceleratorCase{"GpuPodNotOnMnCore", Gpu(""), "MN-Core", false, 0, IsOther("MN-Core")},
        AcceleratorCase{"MnCorePodOnMnCore", PodAskingFor(kMnCore, 4), "MN-Core", true},
        AcceleratorCase{"MnCorePodNotOnGpu", PodAskingFor(kMnCore, 4), "A30", false, 0,
                        IsOther("A30")},
        // NodeResourcesFit knows whether such a node has the resource; with DRA it may.
        AcceleratorCase{"NodeOutsideTheCatalogue", Gpu(""), "P100", true},
        AcceleratorCase{"NodeWithoutAccelerator", Gpu(""), "CPU", true},
        AcceleratorCase{"NamedModel", Gpu("A100"), "A100", true},
        AcceleratorCase{"OtherModel", Gpu("A100"), "V100", false, 0, IsOther("V100")},
        AcceleratorCase{"NamedModelAgainstUncataloguedNode", Gpu("A100"), "P100", false, 0,
                        kNotInCatalogue},
        AcceleratorCase{"NamedModelAgainstCpuNode", Gpu("A100"), "CPU", false, 0, kNotInCatalogue},
        AcceleratorCase{"FirstOfThree", Gpu("A100,V100,A30"), "A100", true, 1000},
        AcceleratorCase{"SecondOfThree", Gpu("A100,V100,A30"), "V100", true, 666},
        AcceleratorCase{"ThirdOfThree", Gpu("A100,V100,A30"), "A30", true, 333},
        AcceleratorCase{"SpacesAndEmptyItemsSayNothing", Gpu(" A100 ,, V100, "), "V100", true, 500},
        AcceleratorCase{"RepeatedModelKeepsItsFirstPlace", Gpu("A100,V100,A100"), "A100", true,
                        1000},
        AcceleratorCase{"BlankAnnotationNamesNothing", Gpu(" , "), "A30", true},
        AcceleratorCase{"SliceOfAnyModel", PodAskingFor(kMig, 1), "A100", true},
        AcceleratorCase{"SliceThatTheModelHasNot", PodAskingFor(kMig, 1), "V100", false, 0,
                        IsOther("V100")},
        AcceleratorCase{"SliceThatTheNodeListsAllTheSame", PodAskingFor(kMig, 1), "A30 with slices",
                        true},
        AcceleratorCase{"SliceOfANamedModelOnAnother",
                        PodAskingFor(kMig, 1, Annotations("A100", "")), "A30 with slices", false, 0,
                        IsOther("A30")},
        AcceleratorCase{"SliceOfTheNamedModel", PodAskingFor(kMig, 1, Annotations("A100,V100", "")),
                        "A100", true, 1000},
        // The catalogue's MN-Core cannot serve nvidia.com/gpu, A100 can.
        AcceleratorCase{"ModelOfAnotherResource", Gpu("MN-Core,A100"), "MN-Core", false, 0,
                        IsOther("MN-Core")},
        AcceleratorCase{"RankIsAmongTheNamed", Gpu("MN-Core,A100"), "A100", true, 500}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Memory, AcceleratorTable,
    testing::Values(
        AcceleratorCase{"LabelEnough", Gpu("", "32Gi"), "V100 32510 MiB", true},
        AcceleratorCase{"LabelTooLittle", Gpu("", "32Gi"), "V100 16384 MiB", false, 0, kTooLittle},
        AcceleratorCase{"DriversReportLess", Gpu("", "40Gi"), "A100 39538 MiB", true},
        AcceleratorCase{"ButNotThatMuchLess", Gpu("", "42Gi"), "A100 39538 MiB", false, 0,
                        kTooLittle},
        AcceleratorCase{"CatalogueWithoutLabel", Gpu("", "40Gi"), "A100", true},
        AcceleratorCase{"CatalogueIsNominal", Gpu("", "41Gi"), "A100", false, 0, kTooLittle},
        AcceleratorCase{"CatalogueWhereLabelIsNoNumber", Gpu("", "40Gi"), "A100 bad label", true},
        AcceleratorCase{"CatalogueWhereLabelIsZero", Gpu("", "40Gi"), "A100 0 MiB", true},
        AcceleratorCase{"LabelOfUncataloguedNode", Gpu("", "80Gi"), "P100 81559 MiB", true},
        AcceleratorCase{"NothingKnown", Gpu("", "1Gi"), "P100", false, 0, kUnknownSize},
        AcceleratorCase{"CatalogueWithoutMemory", PodAskingFor(kMnCore, 1, Annotations("", "1Gi")),
                        "MN-Core", false, 0, kUnknownSize},
        AcceleratorCase{"ModelComesFirst", Gpu("A30", "40Gi"), "A100", false, 0, IsOther("A100")},
        AcceleratorCase{"ModelAndMemory", Gpu("V100", "24Gi"), "V100 16384 MiB", false, 0,
                        kTooLittle}),
    [](const auto& param) { return param.param.name; });

struct RefusedCase {
  std::string name;
  model::Pod pod;
  std::string reason;
};

class RefusedEverywhereTable : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedEverywhereTable, SaysWhy) {
  const Prepared prepared(GetParam().pod);
  const auto* refused = std::get_if<RefusedEverywhere>(&prepared.preparation);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(prepared.reasons[refused->reason].text, GetParam().reason);
  EXPECT_FALSE(prepared.reasons[refused->reason].curable_by_preemption);
}

const std::string kNoSuchModel =
    "pod annotation berth.dev/accelerators names a model that Berth's catalogue lacks";
const std::string kBadMemory =
    "pod annotation berth.dev/accelerator-memory is not a size such as 40Gi";

INSTANTIATE_TEST_SUITE_P(
    All, RefusedEverywhereTable,
    testing::Values(RefusedCase{"UnknownModel", Gpu("H900"), kNoSuchModel},
                    RefusedCase{"OneUnknownModelOfTwo", Gpu("A100,H900"), kNoSuchModel},
                    RefusedCase{"CaseMatters", Gpu("a100"), kNoSuchModel},
                    RefusedCase{"OnlyModelsOfOtherResources", Gpu("MN-Core"),
                                "pod asks for none of the resources of the models in "
                                "berth.dev/accelerators"},
                    RefusedCase{"MemoryWithExponentAndSuffix", Gpu("", "1e3Ki"), kBadMemory},
                    RefusedCase{"MemoryIsText", Gpu("", "forty"), kBadMemory},
                    RefusedCase{"MemoryIsNegative", Gpu("", "-1Gi"), kBadMemory},
                    RefusedCase{"MemoryIsZero", Gpu("", "0"), kBadMemory},
                    RefusedCase{"MemoryLacksItsSuffix", Gpu("", "40"), kBadMemory},
                    RefusedCase{"MemoryIsBlank", Gpu("", " "), kBadMemory}),
    [](const auto& param) { return param.param.name; });

TEST(AcceleratorPolicy, ReadsAnnotationsOfTheConfiguredPrefix) {
  ReasonTable reasons;
  const std::string prefix = "ml.example.org";
  const AcceleratorPolicy policy({*Catalog(), prefix, reasons}, NoConfig{});
  const auto pod = PodAskingFor(
      kGpu, 1, {{"ml.example.org/accelerators", "A30"}, {"berth.dev/accelerators", "A100"}});
  const auto preparation = policy.Prepare(pod, FixedView(), kNow);
  const auto& evaluator = std::get<std::unique_ptr<NodeEvaluator>>(preparation);
  EXPECT_TRUE(evaluator->Evaluate(NodeOf("A30")).fits);
  EXPECT_FALSE(evaluator->Evaluate(NodeOf("A100")).fits);
}

}  // namespace
}  // namespace berth::policies::scheduling
