#include "probe/settings.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "probe/text.h"

namespace berth::probe {

namespace {

absl::Status Wrong(std::string_view flag, std::string_view value, std::string_view instead) {
  return absl::InvalidArgumentError(fmt::format("--{} is '{}'; write {}", flag, value, instead));
}

absl::Status SetFolder(std::string_view flag, std::string_view value, std::string& to) {
  if (!value.empty() && !value.starts_with('/')) {
    return Wrong(flag, value, "the path of a folder, which begins with /");
  }
  to = value;
  return absl::OkStatus();
}

absl::Status SetRoot(std::string_view value, Settings& settings) {
  return SetFolder("root", value == "/" ? "" : value, settings.root);
}

absl::Status SetRunDir(std::string_view value, Settings& settings) {
  if (value.empty()) return Wrong("run-dir", value, "the path of a folder, which begins with /");
  return SetFolder("run-dir", value, settings.run_dir);
}

absl::Status SetDuration(std::string_view flag, std::string_view value,
                         std::chrono::milliseconds least, std::chrono::milliseconds& to) {
  const std::optional<std::chrono::milliseconds> duration = ToDuration(value);
  if (!duration || *duration < least || *duration > std::chrono::hours(24)) {
    return Wrong(flag, value,
                 fmt::format("a duration of {} to 24h, such as 20s or 5m", ToText(least)));
  }
  to = *duration;
  return absl::OkStatus();
}

absl::Status SetTimeout(std::string_view value, Settings& settings) {
  return SetDuration("timeout", value, std::chrono::milliseconds(100), settings.timeout);
}

absl::Status SetFor(std::string_view value, Settings& settings) {
  return SetDuration("for", value, std::chrono::milliseconds(0), settings.duration);
}

absl::Status SetNvidiaSmi(std::string_view value, Settings& settings) {
  settings.nvidia_smi = value;
  return absl::OkStatus();
}

absl::Status SetNvidiaRoot(std::string_view value, Settings& settings) {
  return SetFolder("nvidia-root", value == "/" ? "" : value, settings.nvidia_root);
}

absl::Status SetCount(std::string_view flag, std::string_view value, std::uint64_t least,
                      std::uint64_t& to) {
  const std::optional<std::uint64_t> number = ToNumber(value);
  if (!number || *number < least) {
    return Wrong(flag, value, fmt::format("a whole number of at least {}", least));
  }
  to = *number;
  return absl::OkStatus();
}

absl::Status SetExpect(std::string_view value, Settings& settings) {
  return SetCount("expect", value, 0, settings.expect.emplace(0));
}

absl::Status SetMax(std::string_view value, Settings& settings) {
  return SetCount("max", value, 0, settings.most);
}

absl::Status SetMinWidth(std::string_view value, Settings& settings) {
  return SetCount("min-width", value, 1, settings.min_width.emplace(0));
}

absl::Status SetMinSpeed(std::string_view value, Settings& settings) {
  const std::optional<double> speed = ToDecimal(value);
  if (!speed || *speed < 0) return Wrong("min-speed", value, "GT/s as a number, such as 16");
  settings.min_speed = *speed;
  return absl::OkStatus();
}

absl::Status SetVendor(std::string_view value, Settings& settings) {
  const std::optional<std::uint64_t> vendor = ToNumber(value);
  if (!value.starts_with("0x") || !vendor || *vendor > 0xffff) {
    return Wrong("vendor", value, "the number of a PCI vendor, such as 0x10de for NVIDIA");
  }
  settings.vendor = *vendor;
  return absl::OkStatus();
}

absl::Status SetCgroup(std::string_view value, Settings& settings) {
  settings.cgroup = value;
  return absl::OkStatus();
}

absl::Status SetOnly(std::string_view value, Settings& settings) {
  settings.only = Split(value, ",");
  if (settings.only.empty()) return Wrong("only", value, "names or patterns, such as eth0,mlx5_*");
  return absl::OkStatus();
}

constexpr std::array<Flag, 13> kFlags = {{
    {"root", "Folder with the node's sys and proc", "/", SetRoot},
    {"run-dir", "Folder in memory for locks and what probes remember", "/run/berth-probe",
     SetRunDir},
    {"timeout", "How long the probe may take until it counts as hanging", "20s", SetTimeout},
    {"nvidia-smi", "nvidia-smi, or its path; empty: it is not asked", "nvidia-smi", SetNvidiaSmi},
    {"nvidia-root", "Folder that nvidia-smi is to see as /: where the driver is installed", "/",
     SetNvidiaRoot},
    {"expect", "How many the node must have at least", "", SetExpect},
    {"vendor", "PCI vendor of the accelerators", "0x10de", SetVendor},
    {"max", "How many errors are not bad yet", "0", SetMax},
    {"min-width", "Lanes below which a link is bad; default: what both of its ends can", "",
     SetMinWidth},
    {"min-speed", "GT/s below which a link is bad; 0: any speed is well", "0", SetMinSpeed},
    {"for", "How long a task must hang until it is bad", "5m", SetFor},
    {"cgroup", "What the cgroup of a process must contain; empty: every process counts", "kubepods",
     SetCgroup},
    {"only", "Names or shell patterns, separated by commas; default: all", "", SetOnly},
}};

}  // namespace

std::span<const Flag> AllFlags() { return kFlags; }

const Flag* FindFlag(std::string_view name) {
  const std::span<const Flag> flags = AllFlags();
  const auto at =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
  return at == flags.end() ? nullptr : &*at;
}

}  // namespace berth::probe
