#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/child.h"
#include "probe/settings.h"
#include "probe/verdict.h"

// What nvidia-smi tells of GPUs, without NVIDIA's libraries. Options, fields and exit codes:
// https://docs.nvidia.com/deploy/nvidia-smi/.

namespace berth::probe {

/// Runs nvidia-smi as the settings say, with these arguments.
ProgramResult RunNvidiaSmi(const Settings& settings, Progress& progress,
                           std::vector<std::string> arguments);

/// What an exit code other than 0 means, such as "nvidia-smi: the driver is not loaded (9)".
std::string ExplainExit(const ProgramResult& result);

/// Whether the text is nothing but the address of a PCI device: domain, bus, device and function in
/// hexadecimal digits, with a domain of eight digits, as nvidia-smi writes it, or of four, as the
/// kernel does.
bool IsBusId(std::string_view text);

/// The address of a GPU as the kernel writes it: 0000:3b:00.0 for 00000000:3B:00.0.
std::string KernelAddress(std::string_view bus_id);

/// What a field says of a GPU. Of two answers about the same GPU the greater one counts.
enum class Told {
  /// The GPU does not have the field: [N/A], [Not Supported].
  kMissing,
  /// The value cannot be judged: [GPU is lost].
  kUnreadable,
  kWell,
  kBad
};

struct GpuAnswer {
  Told told = Told::kMissing;
  /// What nvidia-smi has written, such as "[GPU is lost]".
  std::string value;
};

/// What one field says of all GPUs, by their addresses: "0000:3b:00.0".
using FieldReading = std::map<std::string, GpuAnswer>;

/// What a field is called.
struct Field {
  /// --query-gpu or --query-remapped-rows.
  std::string query;
  /// The field with the GPU's address in that query.
  std::string bus_id;
  std::string name;
};

/// Asks for a field of all GPUs. `is_bad` judges a value; nothing: it cannot be read. Returns
/// NotFound when the driver does not know the field, and Unavailable when nvidia-smi fails without
/// having named a GPU of which it is bad, or names none at all, which is right for remapped rows
/// only if it says nothing. It may fail because of one GPU (14: its infoROM is corrupted), and say
/// of another all the same that it is bad.
absl::StatusOr<FieldReading> ReadField(const Settings& settings, Progress& progress,
                                       const Field& field,
                                       std::optional<bool> (*is_bad)(std::string_view value,
                                                                     const Settings& settings));

/// Reads what nvidia-smi has answered to such a question, as ReadField() does.
absl::StatusOr<FieldReading> ReadAnswer(const ProgramResult& result, const Settings& settings,
                                        std::optional<bool> (*is_bad)(std::string_view value,
                                                                      const Settings& settings));

/// Judges "Yes", "Active" and "1" as bad, and "No", "Not Active" and "0" as well.
std::optional<bool> IsYes(std::string_view value, const Settings& settings);

/// Whether the field is bad of a GPU.
bool HasBad(const FieldReading& reading);

/// What two fields together say: of a GPU of which one of them tells, the other need not.
FieldReading Merge(FieldReading one, const FieldReading& other);

/// The verdict on a reading: bad if one GPU is, with `what` behind its address; else unknown if one
/// of them cannot be read; else well, which GPUs without the field are, too.
Verdict Judge(const FieldReading& reading, std::string_view what, std::string_view well);

/// The verdict of a probe that has nothing to ask of NVIDIA's GPUs: well if the node has none,
/// unknown if its bus cannot be read. Nothing: there are GPUs.
std::optional<Verdict> JudgeWithoutGpus(const Settings& settings, Progress& progress);

}  // namespace berth::probe
