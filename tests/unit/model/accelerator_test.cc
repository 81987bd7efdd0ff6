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
      {"NVIDIA-H100-80GB-HBM3", "none"},
      {"NVIDIA-L40S", "none"},
      {"Tesla-T4", "none"},
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
                                    {"MN-Core", 4, 48, "384G"}}) {
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
  ASSERT_EQ(catalog.size(), 5U);
  EXPECT_EQ(catalog[catalog.IndexOf("A30")].name, "A30");
  EXPECT_EQ(catalog.IndexOf("a30"), AcceleratorCatalog::kNone);
  EXPECT_EQ(catalog.IndexOf(""), AcceleratorCatalog::kNone);
}

TEST(AcceleratorCatalogTest, ListsEveryResourceOnce) {
  const AcceleratorCatalog catalog = Defaults();
  EXPECT_THAT(catalog.resources(),
              ElementsAre("nvidia.com/gpu", "preferred.jp/mncore", "preferred.jp/mncore2"));
  EXPECT_TRUE(catalog.HasResource("nvidia.com/gpu"));
  EXPECT_FALSE(catalog.HasResource("nvidia.com/gp"));
  EXPECT_FALSE(catalog.HasResource("cpu"));
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
      {"[0].nodes[0].label", "label", With([](auto& s) { s.nodes[0].label = "a b"; })},
      {"[0].nodes[0].matches", "RE2", With([](auto& s) { s.nodes[0].matches = "(?=x)"; })},
      {"[0].nodes[0].matches", "\".*\"", With([](auto& s) { s.nodes[0].matches = ""; })},
      {"[0].nodes[1].matches", "RE2", With([](auto& s) {
         s.nodes.push_back({"b", "("});
       })},
      {"[0].memory", "40Gi", With([](auto& s) { s.memory = Quantity::Parse("-1Gi").value(); })},
      {"[0].memory", "40Gi", With([](auto& s) { s.memory = Quantity(); })},
      {"[0].share.cpu", "\"4\"", With([](auto& s) { s.share.cpu = Quantity(); })},
      {"[0].share.memory", "40Gi", With([](auto& s) { s.share.memory = Quantity(); })},
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
  EXPECT_THAT(Defaults().names(), ElementsAre("V100", "A100", "A30", "MN-Core", "MN-Core2"));
}

TEST(AcceleratorCatalogTest, KnowsTheLabelsOfItsNodes) {
  const AcceleratorCatalog catalog = Defaults();
  EXPECT_TRUE(catalog.ReadsLabel("nvidia.com/gpu.product"));
  EXPECT_TRUE(catalog.ReadsLabel("accelerator"));
  EXPECT_FALSE(catalog.ReadsLabel("kubernetes.io/hostname"));
  EXPECT_TRUE(catalog.RecognisesLabel("nvidia.com/gpu.product", "NVIDIA-A30"));
  EXPECT_TRUE(catalog.RecognisesLabel("accelerator", "nvidia-tesla-a30"));
  EXPECT_FALSE(catalog.RecognisesLabel("accelerator", "NVIDIA-A30"));
  EXPECT_FALSE(catalog.RecognisesLabel("nvidia.com/gpu.product", "Tesla-T4"));
  EXPECT_FALSE(catalog.RecognisesLabel("kubernetes.io/hostname", "NVIDIA-A30"));
}

}  // namespace
}  // namespace berth::model
