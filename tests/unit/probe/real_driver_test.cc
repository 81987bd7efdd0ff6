#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "fake_node.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "probe/nvidia.h"
#include "probe/verdict.h"

// What nvidia-smi of driver 580.159.04 wrote, word for word, and how it ended, on a virtual machine
// with one NVIDIA H200: as it was, and with a file hidden that it needs.

namespace berth::probe {
namespace {

/// What was written to standard output and standard error when nvidia-smi got these arguments.
struct RealAnswer {
  std::string arguments;
  std::string output;
  int exit_code = 0;
};

constexpr char kNoSuchField[] = "Field \"no_such_field\" is not a valid field to query.\n\n";

RealAnswer Said(std::string_view query, std::string_view value) {
  return {fmt::format("--query-{} --format=csv,noheader,nounits", query),
          fmt::format("00000000:00:06.0, {}\n", value)};
}

/// What it answers to the probes. The errors were asked for together with ecc.mode.current, which
/// is Enabled.
std::vector<RealAnswer> RealAnswers() {
  return {{"--query-gpu=pci.bus_id --format=csv,noheader", "00000000:00:06.0\n"},
          Said("gpu=pci.bus_id,retired_pages.pending", "[N/A]"),
          Said("remapped-rows=gpu_bus_id,remapped_rows.pending", "No"),
          Said("remapped-rows=gpu_bus_id,remapped_rows.failure", "No"),
          Said("gpu=pci.bus_id,ecc.errors.uncorrected.volatile.total", "0"),
          Said("gpu=pci.bus_id,clocks_event_reasons.hw_slowdown", "Not Active")};
}

class RealDriverTest : public testing::Test {
 protected:
  /// The GPU as sysfs showed it: on the root bus, without a port above it that has a width.
  RealDriverTest() {
    const std::string device = "/sys/devices/pci0000:00/0000:00:06.0";
    node_.Write(device + "/vendor", "0x10de\n");
    node_.Write(device + "/class", "0x030200\n");
    node_.Write(device + "/config", "\xde\x10\x35\x23");
    node_.Write(device + "/current_link_width", "16\n");
    node_.Write(device + "/max_link_width", "16\n");
    node_.Write(device + "/current_link_speed", "32.0 GT/s PCIe\n");
    node_.Link("/sys/bus/pci/devices/0000:00:06.0", "../../../devices/pci0000:00/0000:00:06.0");
  }

  /// Has nvidia-smi give these answers. What the real one was not asked fails.
  void Answer(const std::vector<RealAnswer>& answers) const {
    std::string script = "case \"$*\" in\n";
    for (std::size_t i = 0; i < answers.size(); ++i) {
      script += fmt::format("'{}') {};;\n", answers[i].arguments, Ending(i, answers[i]));
    }
    node_.NvidiaSmi(script + "*) echo \"nobody has asked for $*\"; exit 99;;\nesac");
  }

  /// Has nvidia-smi answer so, whatever it is asked.
  void AlwaysAnswer(const std::string& output, int exit_code) const {
    node_.NvidiaSmi(Ending(0, {"", output, exit_code}));
  }

  FakeNode node_;

 private:
  /// The lines of a script that write an answer.
  std::string Ending(std::size_t number, const RealAnswer& answer) const {
    const std::string file = fmt::format("/answers/{}", number);
    node_.Write(file, answer.output);
    return fmt::format("cat '{}{}'; exit {}", node_.root(), file, answer.exit_code);
  }
};

TEST_F(RealDriverTest, IsWell) {
  Answer(RealAnswers());
  struct Case {
    const char* probe;
    const char* well;
  };
  for (const auto& [probe, well] :
       {Case{"gpu-lost", "1 GPUs answer"}, Case{"pending-page", "no page or row is pending"},
        Case{"remapped-rows", "no row failed to be remapped"},
        Case{"ecc", "no uncorrected ECC errors"}, Case{"clock", "no GPU is slowed down"},
        Case{"pcie-link", "the links of 1 accelerators are full"}}) {
    EXPECT_EQ(node_.Run(probe), Well(well)) << probe;
  }
}

// It knows the older name as well, and says of a field that it does not know what stands here.
TEST_F(RealDriverTest, IsWellByTheOlderNameOfAField) {
  RealAnswer unknown = Said("gpu=pci.bus_id,clocks_event_reasons.hw_slowdown", "");
  unknown.output = kNoSuchField;
  unknown.exit_code = 2;
  Answer({unknown, Said("gpu=pci.bus_id,clocks_throttle_reasons.hw_slowdown", "Not Active")});
  EXPECT_EQ(node_.Run("clock"), Well("no GPU is slowed down"));
}

TEST_F(RealDriverTest, IsJudgedByWhatItSaysWhenSomethingIsMissing) {
  struct Case {
    const char* missing;
    const char* probe;
    int exit_code;
    const char* output;
    Verdict verdict;
  };
  const char* const denied =
      "Failed to initialize NVML: GPU access blocked by the operating system\n";
  const char* const no_device = "No devices were found\n";
  const char* const no_library =
      "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the "
      "NVIDIA Display Driver is properly installed and present in your system.\n"
      "Please also try adding directory that contains libnvidia-ml.so to your system PATH.\n";
  const Verdict is_denied =
      Unknown("nvidia-smi: the operating system denies access to the GPUs (17)");
  const Verdict has_no_device = Unknown("nvidia-smi: no such device (6)");
  const Verdict has_no_library = Unknown("nvidia-smi: libnvidia-ml is missing (12)");
  for (const auto& [missing, probe, exit_code, output, verdict] :
       {Case{"/dev/nvidiactl", "gpu-lost", 17, denied, is_denied},
        Case{"/dev/nvidia0", "gpu-lost", 6, no_device, Bad("nvidia-smi lists 0 of 1 GPUs")},
        Case{"/dev/nvidia0", "pending-page", 6, no_device, has_no_device},
        Case{"/dev/nvidia0", "remapped-rows", 6, no_device, has_no_device},
        Case{"/dev/nvidia0", "ecc", 6, no_device, has_no_device},
        Case{"libnvidia-ml.so", "gpu-lost", 12, no_library, has_no_library}}) {
    AlwaysAnswer(output, exit_code);
    EXPECT_EQ(node_.Run(probe), verdict) << probe << " without " << missing;
  }
}

TEST_F(RealDriverTest, SaysSoIfItDoesNotKnowAField) {
  EXPECT_TRUE(absl::IsNotFound(ReadAnswer({2, kNoSuchField}, node_.settings, IsYes).status()));
  AlwaysAnswer(kNoSuchField, 2);
  for (const char* probe : {"pending-page", "remapped-rows", "ecc", "clock"}) {
    EXPECT_EQ(node_.Run(probe), Unknown("nvidia-smi does not know the field")) << probe;
  }
}

}  // namespace
}  // namespace berth::probe
