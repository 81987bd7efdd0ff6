#include "probe/nfs.h"

#include <filesystem>

#include "fake_node.h"
#include "gtest/gtest.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

TEST(NfsTest, IsWellWhenEveryMountAnswers) {
  const FakeNode node;
  node.Write("/proc/1/mounts",
             "server:/data /mnt/my\\040data nfs4 rw,hard 0 0\n"
             "server:/home /home nfs rw 0 0\n"
             "/dev/sda1 /gone ext4 rw 0 0\n");
  node.Write("/proc/1/root/mnt/my data/file", "");
  node.Write("/proc/1/root/home/file", "");
  EXPECT_EQ(node.Run("nfs"), Well("2 NFS mounts answer"));
}

TEST(NfsTest, IsBadOfAnError) {
  const FakeNode node;
  node.Write("/proc/1/mounts", "server:/data /mnt/data nfs4 rw 0 0\n");
  node.Link("/proc/1/root/mnt/data", "data");  // an error that is not of this process' rights
  EXPECT_EQ(node.Run("nfs"), Bad("/mnt/data: Too many levels of symbolic links"));
}

TEST(NfsTest, IsUnknownOfWhatItMayNotSee) {
  const FakeNode node;
  EXPECT_EQ(node.Run("nfs").outcome, Outcome::kUnknown);
  node.Write("/proc/1/mounts", "server:/data /mnt/data nfs4 rw 0 0\n");
  EXPECT_EQ(node.Run("nfs"), Unknown("/mnt/data: No such file or directory"));
}

TEST(NfsTest, WouldRatherNameADeadMountThanOneThatItMayNotSee) {
  const FakeNode node;
  node.Write("/proc/1/mounts",
             "server:/data /mnt/data nfs4 rw 0 0\n"
             "server:/home /home nfs rw 0 0\n");
  node.Write("/proc/1/root/home/file", "");
  EXPECT_EQ(node.Run("nfs"), Unknown("/mnt/data: No such file or directory"));
  std::filesystem::remove_all(node.root() + "/proc/1/root/home");
  node.Link("/proc/1/root/home", "home");
  EXPECT_EQ(node.Run("nfs"), Bad("/home: Too many levels of symbolic links"));
}

}  // namespace
}  // namespace berth::probe
