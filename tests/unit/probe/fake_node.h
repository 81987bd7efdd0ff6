#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "probe/probes.h"
#include "probe/settings.h"
#include "probe/verdict.h"

namespace berth::probe {

/// A folder that stands for the / of a node, with a sys, a proc and an nvidia-smi of the test's
/// own. It is removed at the end.
class FakeNode {
 public:
  FakeNode() {
    std::string pattern = testing::TempDir() + "/berth_probe_XXXXXX";
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directory(root_ + "/sys");
    settings.root = root_;
    settings.run_dir = root_ + "/run";
    settings.nvidia_smi = root_ + "/nvidia-smi";
    settings.timeout = std::chrono::seconds(10);
  }
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;
  ~FakeNode() { std::filesystem::remove_all(root_); }

  const std::string& root() const { return root_; }

  void Write(const std::string& path, std::string_view content) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }

  void Link(const std::string& path, const std::string& target) const {
    const std::filesystem::path link = root_ + path;
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::create_symlink(target, link);
  }

  /// An accelerator below a port that can do 16 lanes, as sysfs shows both. Its link has 16 lanes
  /// of 16, too.
  void AddDevice(const std::string& address, const std::string& vendor = "0x10de",
                 const std::string& kind = "0x030200") const {
    const std::string port = "/sys/devices/pci0000:00/port-of-" + address;
    Write(port + "/max_link_width", "16\n");
    Write(Device(address) + "/vendor", vendor + "\n");
    Write(Device(address) + "/class", kind + "\n");
    Write(Device(address) + "/config", std::string("\xde\x10\xb5\x20", 4));
    Write(Device(address) + "/max_link_width", "16\n");
    Write(Device(address) + "/current_link_width", "16\n");
    Write(Device(address) + "/current_link_speed", "16.0 GT/s PCIe\n");
    Link("/sys/bus/pci/devices/" + address,
         "../../../devices/pci0000:00/port-of-" + address + "/" + address);
  }

  /// The folder of a device's attributes.
  static std::string Device(const std::string& address) {
    return "/sys/devices/pci0000:00/port-of-" + address + "/" + address;
  }

  /// A shell script in place of nvidia-smi; its arguments are in "$*".
  void NvidiaSmi(const std::string& script) const {
    Write("/nvidia-smi", "#!/bin/sh\n" + script + "\n");
    chmod((root_ + "/nvidia-smi").c_str(), 0755);
  }

  /// Two GPUs, of which nvidia-smi says this of the field, whatever it is asked for.
  void AddGpusThatSay(const std::string& first, const std::string& second) const {
    AddDevice("0000:3b:00.0");
    AddDevice("0000:86:00.0");
    NvidiaSmi("echo '00000000:3B:00.0, " + first + "'; echo '00000000:86:00.0, " + second + "'");
  }

  void SetUptime(double seconds) const { Write("/proc/uptime", std::to_string(seconds) + " 0\n"); }

  /// Runs the probe of this name as `berth probe` does.
  Verdict Run(std::string_view name) const { return RunProbe(*FindProbe(name), settings); }

  Settings settings;

 private:
  std::string root_;
};

}  // namespace berth::probe
