#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::probe {

/// NVIDIA's number as a vendor of PCI devices (https://pci-ids.ucw.cz/read/PC/10de).
inline constexpr std::uint64_t kNvidia = 0x10de;

/// What the flags of all probes say. docs/probe.md has them in a table.
struct Settings {
  /// Folder with the node's sys and proc; empty: those of this process.
  std::string root;
  /// Folder with a file for each probe or program that may hang, and with what probes remember.
  std::string run_dir = "/run/berth-probe";
  /// How long a probe may take.
  std::chrono::milliseconds timeout = std::chrono::seconds(20);
  /// nvidia-smi, or a path; empty: it is not asked.
  std::string nvidia_smi = "nvidia-smi";
  /// Folder that nvidia-smi sees as /; empty: that of this process.
  std::string nvidia_root;
  /// Devices or ports that the node has.
  std::optional<std::uint64_t> expect;
  /// PCI vendor of the accelerators.
  std::uint64_t vendor = kNvidia;
  /// Errors that are not bad yet.
  std::uint64_t most = 0;
  /// Lanes and GT/s below which a link is bad. Default of lanes: what both ends can.
  std::optional<std::uint64_t> min_width;
  double min_speed = 0;
  /// How long a task must hang.
  std::chrono::milliseconds duration = std::chrono::minutes(5);
  /// What the cgroup of a process must contain; empty: every process counts.
  std::string cgroup = "kubepods";
  /// Shell patterns of interfaces or devices; empty: all.
  std::vector<std::string> only;
};

/// A flag of `berth probe NAME`.
struct Flag {
  /// Without the dashes.
  std::string_view name;
  /// One line without a full stop, for the command's help.
  std::string_view help;
  /// What the help shows as the default; may be empty.
  std::string_view default_text;
  /// Writes the value of the flag. On an error, what to write instead.
  absl::Status (*set)(std::string_view value, Settings& settings);
};

/// All flags, each of which some probes take.
std::span<const Flag> AllFlags();

/// The flag of this name, without the dashes. Null: there is none.
const Flag* FindFlag(std::string_view name);

}  // namespace berth::probe
