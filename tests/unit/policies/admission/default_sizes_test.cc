#include "policies/admission/default_sizes.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "policies/admission/qos.h"
#include "tests/unit/policies/admission/sizes.h"

namespace berth::policies::admission {
namespace {

constexpr std::uint32_t kRounds = 1000;

// A pod none of whose containers sets anything, with devices in some of them.
model::PodTemplate RandomPod(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](std::size_t end) { return random() % end; };
  const auto container = [&] {
    return Sized("c", "-", "-", below(3) == 0 ? std::to_string(1 + below(8)) : "-");
  };
  std::vector<model::Container> containers;
  for (std::size_t i = below(6); i > 0; --i) {
    containers.push_back(below(2) == 0 ? Init(container()) : Sidecar(container()));
  }
  containers.push_back(Sized("train", "-", "-", std::to_string(1 + below(8))));
  for (std::size_t i = below(4); i > 0; --i) containers.push_back(container());
  return MakeTemplate(std::move(containers));
}

TEST(DefaultSizesTest, ThePodAsAWholeAsksForNoMoreThanItsDevicesBring) {
  const DeviceShares shares(Catalog(), "");
  const GuaranteedQosConfig config;
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const model::PodTemplate pod = RandomPod(seed);
    const DefaultSizes sizes(pod, shares, config);
    for (const Compute resource : kCompute) {
      const model::Amount most = *DefaultPodSize(pod, shares, config, resource);
      std::size_t i = 0;
      const model::Amount whole =
          EffectiveNeed(pod, [&](const model::Container&) { return *sizes.Of(i++, resource); });
      ASSERT_LE(whole, most) << "seed " << seed << " " << NameOf(resource);
    }
  }
}

// Some containers set their sizes.
model::PodTemplate RandomlySized(std::uint32_t seed) {
  std::mt19937 random(seed);
  model::PodTemplate pod = RandomPod(seed);
  for (model::Container& container : pod.containers) {
    if (random() % 3 != 0) continue;
    SetSize("cpu", std::to_string(1 + random() % 9), container.resources);
    SetSize("memory", std::to_string(1 + random() % 99) + "Gi", container.resources);
  }
  return pod;
}

TEST(DefaultSizesTest, InitContainersCostNothing) {
  const DeviceShares shares(Catalog(), "");
  const GuaranteedQosConfig config;
  const auto is_default = [](const model::Container& container) {
    return container.init && !container.sidecar && IsMissing(container.resources, Compute::kMemory);
  };
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const model::PodTemplate pod = RandomlySized(seed);
    const DefaultSizes sizes(pod, shares, config);
    // What the pod requests, with the default sizes of init containers and without.
    const auto total = [&](bool with_defaults) {
      std::size_t i = 0;
      return EffectiveNeed(pod, [&](const model::Container& container) {
        const std::size_t index = i++;
        if (!with_defaults && is_default(container)) return model::Amount();
        const model::Quantity* own = RequestOf(container, Compute::kMemory);
        return own != nullptr ? own->amount() : *sizes.Of(index, Compute::kMemory);
      });
    };
    ASSERT_EQ(total(true), total(false)) << "seed " << seed;
    // None of them could have more.
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
      if (!is_default(pod.containers[i])) continue;
      model::Amount beside = *sizes.Of(i, Compute::kMemory);
      for (std::size_t j = 0; j < i; ++j) {
        if (!pod.containers[j].sidecar) continue;
        const model::Quantity* own = RequestOf(pod.containers[j], Compute::kMemory);
        beside += own != nullptr ? own->amount() : *sizes.Of(j, Compute::kMemory);
      }
      ASSERT_EQ(beside, total(false)) << "seed " << seed << " " << i;
    }
  }
}

TEST(DefaultSizesTest, ContainersWithDevicesGetWholeCores) {
  const DeviceShares shares(Catalog(), "");
  const GuaranteedQosConfig config;
  for (std::uint32_t seed = 0; seed < kRounds; ++seed) {
    const model::PodTemplate pod = RandomPod(seed);
    const DefaultSizes sizes(pod, shares, config);
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
      if (!shares.AsksForDevices(pod.containers[i])) continue;
      ASSERT_EQ(sizes.Of(i, Compute::kCpu)->MilliValue() % 1000, 0) << "seed " << seed;
      ASSERT_GT(sizes.Of(i, Compute::kMemory)->Sign(), 0) << "seed " << seed;
    }
  }
}

TEST(DefaultSizesTest, SayWhereTheyComeFrom) {
  const DeviceShares shares(Catalog(), "");
  const GuaranteedQosConfig config;
  const model::PodTemplate pod =
      MakeTemplate({Init(Sized("i", "-", "-")), Sized("a", "-", "-", "1"),
                    Sized("b", "-", "-", "2"), Sized("log", "-", "-")});
  const DefaultSizes sizes(pod, shares, config);
  EXPECT_EQ(sizes.ReasonOf(0), "the pod's total");
  EXPECT_EQ(sizes.ReasonOf(1), "1 x nvidia.com/gpu");
  EXPECT_EQ(sizes.ReasonOf(2), "of 2 x nvidia.com/gpu");
  EXPECT_EQ(sizes.ReasonOf(3), "default");
}

TEST(DefaultSizesTest, OfAPodWithoutDevicesAreNotAddedUp) {
  const model::PodTemplate pod = MakeTemplate({Sized("a", "-", "-"), Sized("b", "-", "-")});
  const auto size =
      DefaultPodSize(pod, DeviceShares(Catalog(), ""), GuaranteedQosConfig(), Compute::kMemory);
  EXPECT_EQ(QuantityOf(Compute::kMemory, *size).text(), "4Gi");
}

// Whatever else is in the pod: what nobody knows is not made up.
TEST(DefaultSizesTest, OfAPodWithDevicesThatHaveNoShareIsUnknown) {
  const auto catalog =
      model::AcceleratorCatalog::Make({{.name = "X", .resource = "a.b/c"}}).value();
  const DeviceShares shares(catalog, "");
  const model::PodTemplate pod = MakeTemplate(
      {MakeContainer("train", Resources({{"a.b/c", "1"}})), Sized("sidekick", "-", "-")});
  for (const Compute resource : kCompute) {
    EXPECT_EQ(DefaultPodSize(pod, shares, GuaranteedQosConfig(), resource), std::nullopt);
  }
}

}  // namespace
}  // namespace berth::policies::admission
