#include "probe/pcie_link.h"

#include <string>

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

class PcieLinkTest : public testing::Test {
 protected:
  PcieLinkTest() { node_.AddDevice(kAddress); }

  Verdict RunWith(const std::string& attribute, const std::string& value) {
    node_.Write(FakeNode::Device(kAddress) + "/" + attribute, value);
    return node_.Run("pcie-link");
  }

  static constexpr const char* kAddress = "0000:18:00.0";
  FakeNode node_;
};

TEST_F(PcieLinkTest, IsWellWithAllLanes) {
  EXPECT_EQ(node_.Run("pcie-link"), Well("the links of 1 accelerators are full"));
}

TEST_F(PcieLinkTest, IsBadWithFewerLanes) {
  EXPECT_EQ(RunWith("current_link_width", "8\n"), Bad("0000:18:00.0 at x8 of x16"));
}

TEST_F(PcieLinkTest, IsWellWithTheLanesOfThePort) {
  node_.Write("/sys/devices/pci0000:00/port-of-0000:18:00.0/max_link_width", "8\n");
  EXPECT_EQ(RunWith("current_link_width", "8\n").outcome, Outcome::kWell);
}

TEST_F(PcieLinkTest, TakesTheWidthThatItIsTold) {
  node_.settings.min_width = 4;
  EXPECT_EQ(RunWith("current_link_width", "8\n").outcome, Outcome::kWell);
  EXPECT_EQ(RunWith("current_link_width", "2\n"), Bad("0000:18:00.0 at x2 of x4"));
}

TEST_F(PcieLinkTest, LooksAtTheSpeedOnlyIfToldTo) {
  EXPECT_EQ(RunWith("current_link_speed", "2.5 GT/s PCIe\n").outcome, Outcome::kWell);
  node_.settings.min_speed = 16;
  EXPECT_EQ(node_.Run("pcie-link"), Bad("0000:18:00.0 at 2.5 of 16 GT/s"));
  EXPECT_EQ(RunWith("current_link_speed", "16.0 GT/s PCIe\n").outcome, Outcome::kWell);
  EXPECT_EQ(RunWith("current_link_speed", "Unknown\n").outcome, Outcome::kUnknown);
}

TEST_F(PcieLinkTest, IsUnknownOfADeviceThatDoesNotSay) {
  EXPECT_EQ(RunWith("current_link_width", "63\n"),
            Unknown("0000:18:00.0 does not say how wide its link is"));
}

TEST_F(PcieLinkTest, WouldRatherNameABadLinkThanAnUnknownOne) {
  node_.AddDevice("0000:3b:00.0");
  node_.Write(FakeNode::Device("0000:3b:00.0") + "/current_link_width", "4\n");
  EXPECT_EQ(RunWith("current_link_width", "63\n"), Bad("0000:3b:00.0 at x4 of x16"));
}

}  // namespace
}  // namespace berth::probe
