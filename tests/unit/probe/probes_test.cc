#include "probe/probes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "fake_node.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/files.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(ProbesTest, HaveNamesAndConditionsOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> conditions;
  for (const Probe& probe : AllProbes()) {
    names.insert(probe.name);
    conditions.insert(probe.condition);
    EXPECT_EQ(FindProbe(probe.name), &probe);
    EXPECT_LE(probe.well_message.size(), kLineLength);
  }
  EXPECT_EQ(names.size(), AllProbes().size());
  EXPECT_EQ(conditions.size(), AllProbes().size());
  EXPECT_EQ(FindProbe("gpu"), nullptr);
}

TEST(ProbesTest, ShareALockIfTheyRunTheSameProgramOrReadNothingButSysfs) {
  const std::set<std::string_view> of_sysfs = {"pcie-link", "nic", "ib"};
  std::set<std::string_view> locks;
  for (const Probe& probe : AllProbes()) {
    locks.insert(probe.lock);
    std::string_view lock = of_sysfs.contains(probe.name) ? "sysfs" : probe.name;
    if (Takes(probe, "nvidia-smi")) lock = "nvidia-smi";
    EXPECT_EQ(probe.lock, lock);
  }
  EXPECT_EQ(locks.size(), 4U) << "docs/probe.md says how many processes may hang";
}

/// The error of a flag, or an empty text.
std::string ErrorOf(std::string_view probe, std::string_view flag, std::string_view value) {
  Settings settings;
  return std::string(SetFlag(*FindProbe(probe), flag, value, settings).message());
}

TEST(FlagsTest, AreRead) {
  Settings settings;
  for (const auto& [flag, value] : std::map<std::string, std::string>{
           {"root", "/host"}, {"timeout", "1500ms"}, {"expect", "8"}, {"vendor", "0x1eaf"}}) {
    EXPECT_TRUE(SetFlag(*FindProbe("gpu-lost"), flag, value, settings).ok()) << flag;
  }
  EXPECT_EQ(settings.root, "/host");
  EXPECT_EQ(settings.timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(settings.expect, 8U);
  EXPECT_EQ(settings.vendor, 0x1eafU);
  EXPECT_EQ(ErrorOf("d-state", "for", "30s"), "");
  EXPECT_EQ(ErrorOf("d-state", "cgroup", ""), "");
  EXPECT_EQ(ErrorOf("ecc", "max", "10"), "");
  EXPECT_EQ(ErrorOf("nic", "only", "eth*,rdma0"), "");
  EXPECT_EQ(ErrorOf("pcie-link", "min-width", "8"), "");
  EXPECT_EQ(ErrorOf("pcie-link", "min-speed", "16"), "");
}

TEST(FlagsTest, SayWhatToWriteInstead) {
  EXPECT_EQ(ErrorOf("gpu-lost", "expect", "eight"),
            "--expect is 'eight'; write a whole number of at least 0");
  EXPECT_EQ(ErrorOf("gpu-lost", "timeout", "20"),
            "--timeout is '20'; write a duration of 100ms to 24h, such as 20s or 5m");
  EXPECT_EQ(ErrorOf("gpu-lost", "vendor", "10de"),
            "--vendor is '10de'; write the number of a PCI vendor, such as 0x10de for NVIDIA");
  EXPECT_EQ(ErrorOf("nfs", "root", "host"),
            "--root is 'host'; write the path of a folder, which begins with /");
  EXPECT_EQ(ErrorOf("nic", "only", ","),
            "--only is ','; write names or patterns, such as eth0,mlx5_*");
  EXPECT_EQ(ErrorOf("pcie-link", "min-speed", "fast"),
            "--min-speed is 'fast'; write GT/s as a number, such as 16");
  EXPECT_EQ(ErrorOf("nfs", "expect", "3"),
            "nfs has no flag --expect; it takes --root --run-dir --timeout");
}

TEST(ProbesTest, AnswerInOneLineOfNodeProblemDetector) {
  const FakeNode node;
  node.AddDevice("0000:3b:00.0");
  node.NvidiaSmi("echo 'Unable to determine the device handle for GPU0: " + std::string(200, 'x') +
                 "'");
  const Verdict verdict = node.Run("gpu-lost");
  EXPECT_EQ(verdict.outcome, Outcome::kBad);
  EXPECT_EQ(verdict.message.size(), kLineLength);
}

TEST(ProbesTest, OfNvidiaSmiStartItOnceOnly) {
  // It leaves one behind that is not killed, because it is in a session of its own.
  FakeNode node;
  node.AddGpusThatSay("", "");
  const std::string pid_file = node.root() + "/pid";
  node.NvidiaSmi("setsid sh -c 'echo $$ >>" + pid_file + "; exec sleep 300' & sleep 300");
  node.settings.timeout = std::chrono::seconds(1);
  EXPECT_EQ(node.Run("gpu-lost"), Bad("nvidia-smi has not ended in 1s"));
  const auto pid = ReadNumber(pid_file);
  ASSERT_TRUE(pid);
  EXPECT_EQ(node.Run("ecc"), Unknown("nvidia-smi of an earlier run still hangs"));
  EXPECT_EQ(node.Run("gpu-lost"), Bad("nvidia-smi of an earlier run still hangs"));
  EXPECT_EQ(ReadText(pid_file), std::to_string(*pid)) << "another was started";
  // Probes that do not need it go on.
  node.settings.timeout = std::chrono::seconds(20);
  EXPECT_EQ(node.Run("pcie-link"), Well("the links of 2 accelerators are full"));
  // When it has ended after all, the next run looks again.
  kill(static_cast<pid_t>(*pid), SIGKILL);
  node.NvidiaSmi("echo '00000000:3B:00.0, 0'");
  Verdict verdict = node.Run("ecc");
  while (verdict.outcome == Outcome::kUnknown) verdict = node.Run("ecc");
  EXPECT_EQ(verdict, Well("no uncorrected ECC errors"));
}

TEST(ProbesTest, OfSysfsStartNoOtherWhileOneHangs) {
  FakeNode node;
  node.AddDevice("0000:3b:00.0");
  node.Write("/proc/1/mounts", "");
  // Stands for a process that cannot be killed.
  node.Write("/run/sysfs.lock", "reading /sys/class/net");
  const int lock = open((node.root() + "/run/sysfs.lock").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  for (const char* probe : {"pcie-link", "nic", "ib"}) {
    EXPECT_EQ(node.Run(probe), Unknown("reading /sys/class/net of an earlier run still hangs"))
        << probe;
  }
  EXPECT_EQ(node.Run("nfs").outcome, Outcome::kWell);
  close(lock);
  EXPECT_EQ(node.Run("pcie-link"), Well("the links of 1 accelerators are full"));
}

TEST(ProbesTest, KnowNothingWithoutTheSysfsOfTheNode) {
  FakeNode node;
  const std::string elsewhere = node.root() + "/x";
  for (const Probe& probe : AllProbes()) {
    node.settings.root = elsewhere;
    EXPECT_EQ(node.Run(probe.name).outcome, Outcome::kUnknown) << probe.name;
    node.Write("/file", "");
    node.settings.root = node.root() + "/file";
    EXPECT_EQ(node.Run(probe.name).outcome, Outcome::kUnknown) << probe.name;
  }
  node.settings.root = "/x";
  for (const char* probe :
       {"gpu-lost", "pending-page", "remapped-rows", "ecc", "clock", "pcie-link", "nic", "ib"}) {
    EXPECT_EQ(node.Run(probe), Unknown("/x/sys: No such file or directory; set --root")) << probe;
  }
}

TEST(ProbesTest, AreWellOfWhatTheKernelHasNoFolderFor) {
  const FakeNode node;
  for (const char* probe :
       {"gpu-lost", "pending-page", "remapped-rows", "ecc", "clock", "pcie-link", "nic", "ib"}) {
    EXPECT_EQ(node.Run(probe).outcome, Outcome::kWell) << probe;
  }
}

TEST(ProbesTest, KnowNothingOfAFolderThatCannotBeRead) {
  const FakeNode node;
  node.Write("/sys/bus/pci/devices", "");
  node.Write("/sys/class/net", "");
  node.Write("/sys/class/infiniband", "");
  for (const char* probe :
       {"gpu-lost", "pending-page", "remapped-rows", "ecc", "clock", "pcie-link", "nic", "ib"}) {
    EXPECT_THAT(node.Run(probe).message, EndsWith(": Not a directory")) << probe;
    EXPECT_EQ(node.Run(probe).outcome, Outcome::kUnknown) << probe;
  }
}

TEST(ProbesTest, SayThatTheRunDirectoryCannotBeUsed) {
  FakeNode node;
  node.settings.run_dir = "/proc/nowhere";
  EXPECT_THAT(node.Run("nic").message, HasSubstr("/proc/nowhere/sysfs.lock: "));
  EXPECT_EQ(node.Run("nic").outcome, Outcome::kUnknown);
}

}  // namespace
}  // namespace berth::probe
