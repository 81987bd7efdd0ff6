#include "probe/ib.h"

#include <string>

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

class IbTest : public testing::Test {
 protected:
  void Add(const std::string& device, const std::string& state, const std::string& phys_state) {
    const std::string port = "/sys/class/infiniband/" + device + "/ports/1";
    node_.Write(port + "/state", state + "\n");
    node_.Write(port + "/phys_state", phys_state + "\n");
  }

  FakeNode node_;
};

TEST_F(IbTest, IsBadWhenAPortIsNotActive) {
  Add("mlx5_0", "4: ACTIVE", "5: LinkUp");
  EXPECT_EQ(node_.Run("ib"), Well("1 ports are active"));
  Add("mlx5_1", "1: DOWN", "2: Polling");
  EXPECT_EQ(node_.Run("ib"), Bad("port 1 of mlx5_1 is 1: DOWN"));
}

TEST_F(IbTest, LeavesOutDisabledPortsAndOtherDevices) {
  Add("mlx5_0", "1: DOWN", "3: Disabled");
  Add("mlx5_1", "1: DOWN", "2: Polling");
  node_.settings.only = {"mlx5_0"};
  EXPECT_EQ(node_.Run("ib"), Well("0 ports are active"));
}

TEST_F(IbTest, IsUnknownOfADeviceWhosePortsCannotBeRead) {
  node_.Write("/sys/class/infiniband/mlx5_0/ports", "");
  EXPECT_EQ(node_.Run("ib").outcome, Outcome::kUnknown);
  Add("mlx5_1", "1: DOWN", "2: Polling");
  EXPECT_EQ(node_.Run("ib"), Bad("port 1 of mlx5_1 is 1: DOWN"));
}

TEST_F(IbTest, IsBadWhenPortsAreMissing) {
  EXPECT_EQ(node_.Run("ib"), Well("0 ports are active"));
  Add("mlx5_0", "4: ACTIVE", "5: LinkUp");
  node_.settings.expect = 2;
  EXPECT_EQ(node_.Run("ib"), Bad("1 of 2 ports are active"));
}

}  // namespace
}  // namespace berth::probe
