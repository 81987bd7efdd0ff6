#include "model/accelerator.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Node WithLabel(std::string name, std::string value) {
  Node node;
  node.name = "node";
  node.labels = {{std::move(name), std::move(value)}};
  return node;
}

AcceleratorCatalog Defaults() {
  return std::move(AcceleratorCatalog::Make(AcceleratorCatalog::Defaults())).value();
}

std::string ModelOf(const AcceleratorCatalog& catalog, const Node& node) {
  const AcceleratorCatalog::Index index = catalog.Match(node);
  return index == AcceleratorCatalog::kNone ? "none" : catalog[index].name;
}

AcceleratorSpec Valid(std::string name = "A100") {
  return {.name = std::move(name),
          .resource = "nvidia.com/gpu",
          .nodes = {{"nvidia.com/gpu.product", "A100"}},
          .memory = Quantity::Parse("40Gi").value()};
}

TEST(AcceleratorDefaultsTest, AreValid) {
  EXPECT_THAT(Validate(AcceleratorCatalog::Defaults()), IsEmpty());
}

TEST(AcceleratorDefaultsTest, RecogniseProductsAsGpuFeatureDiscoveryWritesThem) {
  const std::vector<std::pair<std::string, std::string>> products = {
      {"Tesla-V100-SXM2-16GB", "V100"},
      {"Tesla-V100-SXM2-32GB", "V100"},
      {"Tesla-V100-PCIE-16GB", "V100"},
      {"Tesla-V100-PCIE-32GB", "V100"},
      {"Tesla-V100S-PCIE-32GB", "V100"},
      {"Tesla-V100-SXM2-32GB-SHARED", "V100"},
      {"A100-SXM4-40GB", "A100"},
      {"NVIDIA-A100-SXM4-40GB", "A100"},
      {"NVIDIA-A100-SXM4-80GB", "A100"},
      {"NVIDIA-A100-PCIE-40GB", "A100"},
      {"NVIDIA-A100-80GB-PCIe", "A100"},
      {"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "A100"},
      {"NVIDIA-A30", "A30"},
      {"NVIDIA-A30-SHARED", "A30"},
      {"nvidia-a30", "A30"},
      {"NVIDIA-RTX-A3000-Laptop-GPU", "none"},
      {"NVIDIA-A1000", "none"},
      {"NVIDIA-GA100", "none"},
      {"NVIDIA-H100-80GB-HBM3", "H100"},
      {"NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "H100"},
      {"NVIDIA-H100-PCIe", "H100"},
      {"NVIDIA-H100-NVL", "H100"},
      {"NVIDIA-H200", "H200"},
      {"NVIDIA-H200-NVL", "H200"},
      {"NVIDIA-B200", "B200"},
      {"NVIDIA-L4", "L4"},
      {"NVIDIA-L40S", "L40S"},
      {"Tesla-T4", "T4"},
      {"Tesla-T4-SHARED", "T4"},
      {"NVIDIA-GH200-480GB", "GH200"},
      {"NVIDIA-GH200-144G-HBM3e", "GH200"},
      {"NVIDIA-L40", "none"},
      {"NVIDIA-H20", "none"},
      {"NVIDIA-GB200", "none"},
      {"NVIDIA-T400-4GB", "none"},
      {"Tesla-P100-PCIE-16GB", "none"},
      {"", "none"},
  };
  const AcceleratorCatalog catalog = Defaults();
  for (const auto& [product, model] : products) {
    EXPECT_EQ(ModelOf(catalog, WithLabel("nvidia.com/gpu.product", product)), model) << product;
  }
}

TEST(AcceleratorDefaultsTest, RecogniseThePlainAcceleratorLabel) {
  const AcceleratorCatalog catalog = Defaults();
  EXPECT_EQ(ModelOf(catalog, WithLabel("accelerator", "nvidia-tesla-v100")), "V100");
  EXPECT_EQ(ModelOf(catalog, WithLabel("accelerator", "nvidia-tesla-a100")), "A100");
  EXPECT_EQ(ModelOf(catalog, WithLabel("accelerator", "nvidia-tesla-a30")), "A30");
  EXPECT_EQ(ModelOf(catalog, WithLabel("accelerator", "nvidia-tesla-v100-old")), "none");
}

TEST(AcceleratorDefaultsTest, RecogniseTheLabelsOfOtherPlugins) {
  struct Case {
    std::string label;
    std::string value;
    std::string model;
  };
  const std::string gke = "cloud.google.com/gke-accelerator";
  const std::string tpu = "cloud.google.com/gke-tpu-accelerator";
  const std::string amd = "amd.com/gpu.product-name";
  const std::string id = "amd.com/gpu.device-id";
  const AcceleratorCatalog catalog = Defaults();
  for (const Case& c : {Case{gke, "nvidia-h100-80gb", "H100"},
                        {gke, "nvidia-h100-mega-80gb", "H100"},
                        {gke, "nvidia-h200-141gb", "H200"},
                        {gke, "nvidia-b200", "B200"},
                        {gke, "nvidia-gb200", "none"},
                        {gke, "nvidia-l4", "L4"},
                        {gke, "nvidia-tesla-t4", "T4"},
                        {tpu, "tpu-v4-podslice", "TPU-v4"},
                        {tpu, "tpu-v5-lite-podslice", "TPU-v5e"},
                        {tpu, "tpu-v5-lite-device", "TPU-v5e"},
                        {tpu, "tpu-v5p-slice", "TPU-v5p"},
                        {tpu, "tpu-v6e-slice", "TPU-v6e"},
                        {tpu, "tpu7x", "none"},
                        {amd, "AMD_Instinct_MI210", "MI210"},
                        {amd, "AMD_INSTINCT_MI250_(MCM)_OAM_AC_MBA", "MI250"},
                        {amd, "AMD-Instinct-MI250X", "MI250"},
                        {amd, "AMD_Instinct_MI300X_OAM", "MI300X"},
                        {amd, "AMD_Instinct_MI325_OAM", "none"},
                        {amd, "AMD_Radeon_780M_Graphics", "none"},
                        {id, "740f", "MI210"},
                        {id, "740c", "MI250"},
                        {id, "7408", "MI250"},
                        {id, "74a1", "MI300X"},
                        {id, "74a0", "none"}}) {
    EXPECT_EQ(ModelOf(catalog, WithLabel(c.label, c.value)), c.model) << c.label << " " << c.value;
  }
}

TEST(AcceleratorDefaultsTest, RecogniseOthersByTheirResource) {
  for (const auto& [resource, model] :
       std::vector<std::pair<std::string, std::string>>{{"habana.ai/gaudi", "Gaudi"},
                                                        {"huawei.com/Ascend910", "Ascend910"},
                                                        {"huawei.com/Ascend310P", "Ascend310P"}}) {
    Node node;
    node.allocatable.Set(resource, 8);
    EXPECT_EQ(ModelOf(Defaults(), node), model);
  }
}

// A node that is recognised twice is reported as a mistake.
TEST(AcceleratorDefaultsTest, AgreeOnEveryNode) {
  const AcceleratorCatalog catalog = Defaults();
  for (const char* product : {"Tesla-V100-SXM2-16GB", "NVIDIA-A100-SXM4-40GB", "NVIDIA-A30",
                              "NVIDIA-H100-80GB-HBM3", "NVIDIA-H200", "NVIDIA-B200", "NVIDIA-L4",
                              "NVIDIA-L40S", "Tesla-T4", "NVIDIA-GH200-480GB"}) {
    const Node node = WithLabel("nvidia.com/gpu.product", product);
    EXPECT_EQ(catalog.HiddenBy(catalog.Match(node), node), AcceleratorCatalog::kNone) << product;
  }
}

struct SliceCase {
  std::string_view model;
  std::string_view resource;
  std::int32_t parts;
};

TEST(AcceleratorDefaultsTest, KnowTheSlicesOfDevices) {
  const AcceleratorCatalog catalog = Defaults();
  for (const SliceCase& c : {SliceCase{"A100", "nvidia.com/gpu", 1},
                             {"A100", "nvidia.com/mig-1g.5gb", 8},
                             {"A100", "nvidia.com/mig-1g.5gb.me", 8},
                             {"A100", "nvidia.com/mig-3g.20gb", 2},
                             {"A100", "nvidia.com/mig-3g.40gb", 2},
                             {"A100", "nvidia.com/mig-7g.40gb", 1},
                             {"A100", "nvidia.com/mig-1g.6gb", 0},
                             {"A30", "nvidia.com/mig-1g.6gb", 4},
                             {"H100", "nvidia.com/mig-1g.10gb", 8},
                             {"H100", "nvidia.com/mig-3g.47gb", 2},
                             {"H200", "nvidia.com/mig-1g.18gb", 8},
                             {"B200", "nvidia.com/mig-2g.45gb", 4},
                             {"GH200", "nvidia.com/mig-1g.12gb", 8},
                             {"V100", "nvidia.com/mig-1g.5gb", 0},
                             {"MI300X", "amd.com/cpx_nps4", 8},
                             {"Ascend910", "huawei.com/Ascend910-2c", 16},
                             {"Ascend310P", "huawei.com/Ascend310P-4c.3cpu", 2}}) {
    EXPECT_EQ(PartsPerDevice(catalog[catalog.IndexOf(c.model)], c.resource), c.parts)
        << c.model << " " << c.resource;
    EXPECT_TRUE(catalog.HasResource(c.resource)) << c.resource;
  }
}

// Pods that name no model get the least share, which is that of the V100, as before there were
// entries for other models.
TEST(AcceleratorDefaultsTest, NoGpuHasALesserShareThanTheV100) {
  const AcceleratorCatalog catalog = Defaults();
  const DeviceShare& least = catalog[catalog.IndexOf("V100")].share;
  for (const AcceleratorSpec& spec : AcceleratorCatalog::Defaults()) {
    if (spec.resource != "nvidia.com/gpu") continue;
    EXPECT_GE(spec.share.cpu->amount(), least.cpu->amount()) << spec.name;
    EXPECT_GE(spec.share.memory->amount(), least.memory->amount()) << spec.name;
  }
}

TEST(AcceleratorDefaultsTest, RecogniseMnCoreByItsResource) {
  const AcceleratorCatalog catalog = Defaults();
  Node node;
  EXPECT_EQ(ModelOf(catalog, node), "none");
  node.capacity.Set("preferred.jp/mncore", 4);
  EXPECT_EQ(ModelOf(catalog, node), "MN-Core");

  Node second;
  second.allocatable.Set("preferred.jp/mncore2", 0);  // listed, though all devices are gone
  EXPECT_EQ(ModelOf(catalog, second), "MN-Core2");
}

TEST(AcceleratorDefaultsTest, HaveTheMemoryOfTheCommonVariant) {
  const AcceleratorCatalog catalog = Defaults();
  const auto memory = [&](std::string_view name) {
    return catalog[catalog.IndexOf(name)].memory.value().text();
  };
  EXPECT_EQ(memory("V100"), "32Gi");
  EXPECT_EQ(memory("A100"), "40Gi");
  EXPECT_EQ(memory("A30"), "24Gi");
  EXPECT_EQ(memory("H100"), "80Gi");
  EXPECT_EQ(memory("MI300X"), "192Gi");
}

struct ReferenceNode {
  std::string_view model;
  std::int64_t devices;
  std::int64_t cores;
  std::string_view memory;
};

TEST(AcceleratorDefaultsTest, SharesOfAllDevicesFitTheNode) {
  constexpr std::int64_t kKeptCores = 2;  // for the kubelet and for DaemonSets
  constexpr std::string_view kKeptMemory = "4Gi";
  const AcceleratorCatalog catalog = Defaults();
  for (const ReferenceNode& node : {ReferenceNode{"V100", 8, 36, "384G"},
                                    {"A100", 4, 128, "1024G"},
                                    {"A30", 6, 80, "512G"},
                                    {"MN-Core", 4, 48, "384G"},
                                    {"H100", 8, 96, "1900Gi"},
                                    {"H200", 8, 96, "1850Gi"},
                                    {"B200", 8, 192, "2048Gi"},
                                    {"L4", 8, 96, "384G"},
                                    {"L40S", 4, 48, "384Gi"},
                                    {"T4", 4, 48, "192Gi"},
                                    {"GH200", 1, 72, "480G"},
                                    {"MI210", 8, 128, "1024G"},
                                    {"MI250", 8, 128, "1024G"},
                                    {"MI300X", 8, 96, "1850Gi"},
                                    {"TPU-v4", 4, 240, "407G"},
                                    {"TPU-v5e", 4, 112, "192G"},
                                    {"TPU-v5p", 4, 208, "448G"},
                                    {"TPU-v6e", 8, 180, "1440G"},
                                    {"Gaudi", 8, 96, "768Gi"},
                                    {"Ascend910", 8, 192, "768Gi"},
                                    {"Ascend310P", 8, 64, "384Gi"}}) {
    const DeviceShare& share = catalog[catalog.IndexOf(node.model)].share;
    EXPECT_LE(node.devices * share.cpu->Value(), node.cores - kKeptCores) << node.model;
    EXPECT_LT(node.devices * share.memory->Value(),
              Quantity::Parse(node.memory)->Value() - Quantity::Parse(kKeptMemory)->Value())
        << node.model;
  }
}

TEST(AcceleratorDefaultsTest, SharesAreWholeCores) {
  for (const AcceleratorSpec& spec : AcceleratorCatalog::Defaults()) {
    EXPECT_EQ(spec.share.cpu->MilliValue() % 1000, 0) << spec.name;
  }
}

TEST(AcceleratorCatalogTest, TheFirstEntryThatRecognisesANodeWins) {
  AcceleratorSpec any = Valid("Any");
  any.nodes = {{"nvidia.com/gpu.product", "."}};
  const Node node = WithLabel("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB");
  EXPECT_EQ(ModelOf(*AcceleratorCatalog::Make({Valid(), any}), node), "A100");
  EXPECT_EQ(ModelOf(*AcceleratorCatalog::Make({any, Valid()}), node), "Any");
}

TEST(AcceleratorCatalogTest, AnEntryWithMatchersDoesNotGoByItsResource) {
  Node node;
  node.capacity.Set("nvidia.com/gpu", 8);
  EXPECT_EQ(Defaults().Match(node), AcceleratorCatalog::kNone);
}

TEST(AcceleratorCatalogTest, FindsNamesByExactCase) {
  const AcceleratorCatalog catalog = Defaults();
  EXPECT_EQ(catalog[catalog.IndexOf("A30")].name, "A30");
  EXPECT_EQ(catalog.IndexOf("a30"), AcceleratorCatalog::kNone);
  EXPECT_EQ(catalog.IndexOf(""), AcceleratorCatalog::kNone);
}

TEST(AcceleratorCatalogTest, ListsEveryResourceOnce) {
  AcceleratorSpec core = Valid("Core");
  core.resource = "preferred.jp/mncore";
  AcceleratorSpec sliced = Valid("B");
  sliced.slices = {{"nvidia.com/mig-1g.5gb", 8}};
  const auto catalog = *AcceleratorCatalog::Make({core, Valid("A"), sliced});
  EXPECT_THAT(catalog.resources(),
              ElementsAre("nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "preferred.jp/mncore"));
  EXPECT_TRUE(catalog.HasResource("nvidia.com/gpu"));
  EXPECT_TRUE(catalog.HasResource("nvidia.com/mig-1g.5gb"));
  EXPECT_FALSE(catalog.HasResource("nvidia.com/gp"));
  EXPECT_FALSE(catalog.HasResource("cpu"));
}

TEST(AcceleratorSpecTest, HasDevicesAlsoInParts) {
  AcceleratorSpec sliced = Valid("B");
  sliced.slices = {{"nvidia.com/mig-1g.5gb", 8}};
  const auto has = [&sliced](std::string_view resource, std::int64_t amount) {
    Resources amounts;
    amounts.Set("cpu", 1000);
    amounts.Set(resource, amount);
    return HasDevicesOf(sliced, amounts);
  };
  EXPECT_TRUE(has("nvidia.com/gpu", 1));
  EXPECT_TRUE(has("nvidia.com/mig-1g.5gb", 1));
  EXPECT_FALSE(has("nvidia.com/gpu", 0));
  EXPECT_FALSE(has("nvidia.com/mig-2g.10gb", 1));
}

TEST(AcceleratorCatalogTest, MayBeEmpty) {
  const auto catalog = AcceleratorCatalog::Make({});
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog->Match(WithLabel("accelerator", "x")), AcceleratorCatalog::kNone);
  EXPECT_THAT(catalog->resources(), IsEmpty());
}

struct BadSpec {
  std::string path;
  std::string says;
  AcceleratorSpec spec;
};

AcceleratorSpec With(void (*change)(AcceleratorSpec&)) {
  AcceleratorSpec spec = Valid();
  change(spec);
  return spec;
}

TEST(AcceleratorValidateTest, NamesTheFieldAndWhatToWrite) {
  const std::vector<BadSpec> cases = {
      {"[0].name", "label", With([](auto& s) { s.name = "A 100"; })},
      {"[0].name", "label", With([](auto& s) { s.name = ""; })},
      {"[0].resource", "<domain>/<name>", With([](auto& s) { s.resource = "gpu"; })},
      {"[0].resource", "<domain>/<name>", With([](auto& s) { s.resource = "kubernetes.io/gpu"; })},
      {"[0].slices[0].resource", "<domain>/<name>", With([](auto& s) {
         s.slices = {{"mig", 1}};
       })},
      {"[0].slices[0].resource", "of whole devices", With([](auto& s) {
         s.slices = {{"nvidia.com/gpu", 1}};
       })},
      {"[0].slices[0].perDevice", "such as 8", With([](auto& s) {
         s.slices = {{"a.b/c", 0}};
       })},
      {"[0].nodes[0].label", "label", With([](auto& s) { s.nodes[0].label = "a b"; })},
      {"[0].nodes[0].matches", "RE2", With([](auto& s) { s.nodes[0].matches = "(?=x)"; })},
      {"[0].nodes[0].matches", "\".*\"", With([](auto& s) { s.nodes[0].matches = ""; })},
      {"[0].nodes[1].matches", "RE2", With([](auto& s) {
         s.nodes.push_back({"b", "("});
       })},
      {"[0].memory", "40Gi", With([](auto& s) { s.memory = Quantity::Parse("-1Gi").value(); })},
      {"[0].memory", "40Gi", With([](auto& s) { s.memory = Quantity(); })},
      {"[0].memory", "did you mean 40Mi or 40Gi?",
       With([](auto& s) { s.memory = Quantity::Parse("40").value(); })},
      {"[0].share.cpu", "\"4\"", With([](auto& s) { s.share.cpu = Quantity(); })},
      {"[0].share.cpu", "write 3 or 4",
       With([](auto& s) { s.share.cpu = Quantity::Parse("3500m").value(); })},
      {"[0].share.memory", "40Gi", With([](auto& s) { s.share.memory = Quantity(); })},
      {"[0].share.memory", "did you mean 512Mi?",
       With([](auto& s) { s.share.memory = Quantity::Parse("512m").value(); })},
  };
  for (const BadSpec& c : cases) {
    const std::vector<FieldError> errors = Validate({c.spec});
    ASSERT_EQ(errors.size(), 1U) << c.path;
    EXPECT_EQ(errors[0].path, c.path);
    EXPECT_THAT(errors[0].message, HasSubstr(c.says));

    const auto catalog = AcceleratorCatalog::Make({c.spec});
    ASSERT_FALSE(catalog.ok());
    EXPECT_THAT(std::string(catalog.status().message()), StartsWith(c.path + ": "));
  }
}

TEST(AcceleratorValidateTest, ReportsEverythingAtOnce) {
  AcceleratorSpec bad = Valid("?");
  bad.resource = "?";
  EXPECT_EQ(Validate({Valid(), bad}).size(), 2U);
}

TEST(AcceleratorValidateTest, NamesAreUnique) {
  const std::vector<FieldError> errors = Validate({Valid("A"), Valid("B"), Valid("A")});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].path, "[2].name");
  EXPECT_EQ(errors[0].message, "\"A\" is already the name of entry [0]");
}

TEST(AcceleratorCatalogTest, NamesItsEntriesInOrder) {
  EXPECT_THAT(Defaults().names(),
              ElementsAre("V100", "A100", "A30", "MN-Core", "MN-Core2", "H100", "H200", "B200",
                          "L4", "L40S", "T4", "GH200", "MI210", "MI250", "MI300X", "TPU-v4",
                          "TPU-v5e", "TPU-v5p", "TPU-v6e", "Gaudi", "Ascend910", "Ascend310P"));
}

TEST(AcceleratorCatalogTest, KnowsTheLabelsOfItsNodes) {
  const AcceleratorCatalog catalog = Defaults();
  EXPECT_TRUE(catalog.ReadsLabel("nvidia.com/gpu.product"));
  EXPECT_TRUE(catalog.ReadsLabel("accelerator"));
  EXPECT_FALSE(catalog.ReadsLabel("kubernetes.io/hostname"));
  EXPECT_TRUE(catalog.RecognisesLabel("nvidia.com/gpu.product", "NVIDIA-A30"));
  EXPECT_TRUE(catalog.RecognisesLabel("accelerator", "nvidia-tesla-a30"));
  EXPECT_FALSE(catalog.RecognisesLabel("accelerator", "NVIDIA-A30"));
  EXPECT_TRUE(catalog.ReadsLabel("cloud.google.com/gke-tpu-accelerator"));
  EXPECT_FALSE(catalog.RecognisesLabel("nvidia.com/gpu.product", "Tesla-P100-PCIE-16GB"));
  EXPECT_FALSE(catalog.RecognisesLabel("kubernetes.io/hostname", "NVIDIA-A30"));
}

}  // namespace
}  // namespace berth::model
