#include "probe/nic.h"

#include <string>

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

class NicTest : public testing::Test {
 protected:
  /// An interface that is switched on or off, and has a carrier or not.
  void Add(const std::string& name, bool is_on, bool has_carrier) {
    const std::string folder = "/sys/class/net/" + name;
    node_.Write(folder + "/flags", is_on ? "0x1003\n" : "0x1002\n");
    node_.Write(folder + "/carrier", has_carrier ? "1\n" : "0\n");
    node_.Write(folder + "/device/vendor", "0x15b3\n");
  }

  FakeNode node_;
};

TEST_F(NicTest, IsBadWithoutACarrier) {
  Add("eth0", true, true);
  EXPECT_EQ(node_.Run("nic"), Well("1 links are up"));
  Add("eth1", true, false);
  EXPECT_EQ(node_.Run("nic"), Bad("eth1 is down"));
}

TEST_F(NicTest, LeavesOutWhatIsSwitchedOff) {
  Add("eth1", false, false);
  EXPECT_EQ(node_.Run("nic").outcome, Outcome::kWell);
}

TEST_F(NicTest, LeavesOutVirtualInterfacesAndFunctions) {
  node_.Write("/sys/class/net/cni0/flags", "0x1003\n");
  node_.Write("/sys/class/net/cni0/carrier", "0\n");
  Add("eth0v0", true, false);
  node_.Link("/sys/class/net/eth0v0/device/physfn", "../0000:17:00.0");
  EXPECT_EQ(node_.Run("nic"), Well("0 links are up"));
}

TEST_F(NicTest, LooksOnlyAtWhatItIsTold) {
  Add("eth0", true, false);
  Add("rdma0", true, true);
  node_.settings.only = {"rdma*"};
  EXPECT_EQ(node_.Run("nic"), Well("1 links are up"));
  node_.settings.only = {"rdma*", "rdma1"};
  EXPECT_EQ(node_.Run("nic"), Bad("no interface rdma1"));
}

}  // namespace
}  // namespace berth::probe
