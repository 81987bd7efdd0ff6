#include "policies/admission/device_shares.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/fixtures.h"

namespace berth::policies::admission {
namespace {

// "8 80Gi"; "?" for what is not known.
std::string Shares(const DeviceShares& shares, const model::Container& container) {
  std::string text;
  for (const Compute resource : kCompute) {
    const auto share = shares.Of(container, resource);
    text += (text.empty() ? "" : " ") + (share ? QuantityOf(resource, *share).text() : "?");
  }
  return text;
}

model::Container Asking(std::string_view count, std::string_view resource = kGpu) {
  return MakeContainer("train", Resources({{resource, count}}));
}

struct ShareCase {
  std::string_view models;
  model::Container container;
  std::string share;
  std::string devices;
};

TEST(DeviceSharesTest, AreThoseOfTheLeastModelThatThePodMayGet) {
  const std::vector<ShareCase> cases = {
      {"", Asking("2"), "8 80Gi", "2 x nvidia.com/gpu"},
      {"A100", Asking("2"), "62 460Gi", "2 x A100"},
      {"A100, A30", Asking("1"), "13 76Gi", "1 x A30"},
      {"a100", Asking("1"), "4 40Gi", "1 x nvidia.com/gpu"},
      {"A100", Asking("3", kMnCore), "33 255Gi", "3 x MN-Core"},
      {"", Asking("0"), "0 0", ""},
      {"", Asking("1", "example.com/fpga"), "0 0", ""},
      {"", Asking("-1"), "0 0", ""},
      {"", MakeContainer("train", Resources({{kGpu, "1"}, {kMnCore, "1"}})), "15 125Gi",
       "1 x nvidia.com/gpu, 1 x MN-Core"},
      {"", Asking("9223372036854775807"), "9223372036854775807m 9223372036854775807",
       "9223372036854775807 x nvidia.com/gpu"},
      {"", Asking("2", "nvidia.com/mig-1g.5gb"), "6 58880Mi", "2 x nvidia.com/mig-1g.5gb"},
      // Of an A100 or of an H100, whose share is less.
      {"", Asking("1", "nvidia.com/mig-1g.10gb"), "1 25Gi", "1 x nvidia.com/mig-1g.10gb"},
      {"A100", Asking("1", "nvidia.com/mig-1g.10gb"), "3 29440Mi", "1 x nvidia.com/mig-1g.10gb"},
      {"", Asking("1", "nvidia.com/mig-7g.40gb"), "31 230Gi", "1 x nvidia.com/mig-7g.40gb"},
  };
  for (const ShareCase& c : cases) {
    const DeviceShares shares(Catalog(), c.models);
    EXPECT_EQ(Shares(shares, c.container), c.share) << c.models << " " << c.devices;
    EXPECT_EQ(shares.DevicesOf(c.container), c.devices);
    EXPECT_EQ(shares.AsksForDevices(c.container), !c.devices.empty()) << c.devices;
  }
}

TEST(DeviceSharesTest, CountARequestWhereThereIsNoLimit) {
  model::Container container = MakeContainer("train");
  container.resources.requests.emplace(kGpu, Q("2"));
  EXPECT_EQ(DeviceShares(Catalog(), "").DevicesOf(container), "2 x nvidia.com/gpu");
}

// Nobody knows what it brings with it. Beside it, a device of the catalogue brings its share.
TEST(DeviceSharesTest, AreNotKnownOfADeviceThatTheCatalogueLacks) {
  const PolicyContext context = Context();
  const UnknownDevices unknown(context);
  const DeviceShares shares(Catalog(), "", &unknown);
  EXPECT_TRUE(shares.AsksForDevices(Asking("1", "example.com/fpga")));
  EXPECT_EQ(Shares(shares, Asking("1", "example.com/fpga")), "? ?");
  EXPECT_EQ(Shares(shares, MakeContainer("a", Resources({{kGpu, "1"}, {"example.com/fpga", "1"}}))),
            "4 40Gi");
  EXPECT_EQ(Shares(shares, Asking("1", "cpu")), "0 0");
}

model::AcceleratorSpec Spec(std::string name, model::DeviceShare share) {
  return {.name = std::move(name),
          .resource = std::string(kGpu),
          .nodes = {{"gpu", "."}},
          .memory = {},
          .share = std::move(share)};
}

TEST(DeviceSharesTest, TakeLeastOfBothSeparately) {
  const auto catalog =
      model::AcceleratorCatalog::Make({Spec("A", {.cpu = Q("2"), .memory = Q("90Gi")}),
                                       Spec("B", {.cpu = Q("8"), .memory = Q("10Gi")})});
  const DeviceShares shares(*catalog, "");
  EXPECT_EQ(Shares(shares, Asking("1")), "2 10Gi");
  EXPECT_EQ(shares.DevicesOf(Asking("1")), "1 x nvidia.com/gpu");
}

TEST(DeviceSharesTest, AreNotKnownWhereTheCatalogueSaysNone) {
  const auto catalog =
      model::AcceleratorCatalog::Make({Spec("A", {}), Spec("B", {.cpu = Q("8"), .memory = {}})});
  EXPECT_EQ(Shares(DeviceShares(*catalog, ""), Asking("1")), "8 ?");
  EXPECT_EQ(Shares(DeviceShares(*catalog, "A"), Asking("1")), "? ?");
  EXPECT_EQ(DeviceShares(*catalog, "A").DevicesOf(Asking("1")), "1 x nvidia.com/gpu");
}

}  // namespace
}  // namespace berth::policies::admission
