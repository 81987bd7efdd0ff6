#include "probe/nvidia.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/pci.h"
#include "probe/text.h"

namespace berth::probe {

namespace {

bool IsMissing(std::string_view value) {
  return value.find("N/A") != std::string_view::npos ||
         value.find("Not Supported") != std::string_view::npos;
}

Told ToldBy(std::string_view value, const Settings& settings,
            std::optional<bool> (*is_bad)(std::string_view, const Settings&)) {
  if (IsMissing(value)) return Told::kMissing;
  const std::optional<bool> bad = is_bad(value, settings);
  if (!bad) return Told::kUnreadable;
  return *bad ? Told::kBad : Told::kWell;
}

void Keep(const std::string& address, const GpuAnswer& answer, FieldReading& reading) {
  GpuAnswer& kept = reading[address];
  if (answer.told > kept.told) kept = answer;
}

/// Adds a line such as "00000000:3B:00.0, Yes". Every other line is a warning, which may have a
/// comma, too.
void Add(std::string_view line, const Settings& settings,
         std::optional<bool> (*is_bad)(std::string_view, const Settings&), FieldReading& reading) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return;
  const std::string_view bus_id = Trim(line.substr(0, comma));
  if (!IsBusId(bus_id)) return;
  const std::string address = KernelAddress(bus_id);
  const std::string_view value = Trim(line.substr(comma + 1));
  Keep(address, {ToldBy(value, settings, is_bad), std::string(value)}, reading);
}

/// The addresses of GPUs of which this is told.
std::vector<std::string> GpusThatAre(Told told, const FieldReading& reading) {
  std::vector<std::string> addresses;
  for (const auto& [address, answer] : reading) {
    if (answer.told == told) addresses.push_back(address);
  }
  return addresses;
}

absl::Status ErrorOf(const ProgramResult& result) {
  // In whatever way it ends then, this is what it says.
  if (result.output.find("not a valid field") != std::string::npos) {
    return absl::NotFoundError("nvidia-smi does not know the field");
  }
  if (result.exit_code != 0) return absl::UnavailableError(ExplainExit(result));
  return absl::OkStatus();
}

absl::Status NoGpuTold() { return absl::UnavailableError("nvidia-smi tells of no GPU"); }

}  // namespace

ProgramResult RunNvidiaSmi(const Settings& settings, Progress& progress,
                           std::vector<std::string> arguments) {
  progress.Doing("nvidia-smi");
  arguments.insert(arguments.begin(), settings.nvidia_smi);
  return RunProgram(arguments, settings.nvidia_root);
}

std::string ExplainExit(const ProgramResult& result) {
  static const std::map<int, std::string_view> meanings = {
      {4, "no permission"},
      {6, "no such device"},
      {8, "a power cable is not attached"},
      {9, "the driver is not loaded"},
      {10, "an interrupt problem of a GPU"},
      {12, "libnvidia-ml is missing"},
      {14, "the infoROM of a GPU is corrupted"},
      {15, "a GPU has fallen off the bus"},
      // NVML_ERROR_OPERATING_SYSTEM. nvidia-smi of driver 580.159.04 ends so when /dev/nvidiactl
      // cannot be opened.
      {17, "the operating system denies access to the GPUs"},
  };
  const std::string_view said = std::string_view(result.output).substr(0, result.output.find('\n'));
  const auto meaning = meanings.find(result.exit_code);
  if (meaning != meanings.end()) {
    return fmt::format("nvidia-smi: {} ({})", meaning->second, result.exit_code);
  }
  return fmt::format("nvidia-smi ({}): {}", result.exit_code, Trim(said));
}

bool IsBusId(std::string_view text) {
  std::string shape(text);
  std::replace_if(
      shape.begin(), shape.end(), [](unsigned char c) { return absl::ascii_isxdigit(c); }, '0');
  return shape == "0000:00:00.0" || shape == "00000000:00:00.0";
}

std::string KernelAddress(std::string_view bus_id) {
  // nvidia-smi writes a domain of eight digits, the kernel one of four.
  if (bus_id.size() == 16 && bus_id.starts_with("0000")) bus_id.remove_prefix(4);
  std::string address(bus_id);
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

absl::StatusOr<FieldReading> ReadField(const Settings& settings, Progress& progress,
                                       const Field& field,
                                       std::optional<bool> (*is_bad)(std::string_view,
                                                                     const Settings&)) {
  const ProgramResult result =
      RunNvidiaSmi(settings, progress,
                   {fmt::format("{}={},{}", field.query, field.bus_id, field.name),
                    "--format=csv,noheader,nounits"});
  auto reading = ReadAnswer(result, settings, is_bad);
  // It has a line for each GPU there. Nothing that could be found says whether GPUs that cannot
  // remap rows have one when it is asked for those, so silence about them is no fault.
  if (reading.ok() && reading->empty() && field.query == "--query-gpu") return NoGpuTold();
  return reading;
}

absl::StatusOr<FieldReading> ReadAnswer(const ProgramResult& result, const Settings& settings,
                                        std::optional<bool> (*is_bad)(std::string_view,
                                                                      const Settings&)) {
  FieldReading reading;
  for (const std::string& line : Split(result.output, "\n")) Add(line, settings, is_bad, reading);
  absl::Status error = ErrorOf(result);
  if (!error.ok() && !HasBad(reading)) return error;
  // Nobody asks unless the bus has GPUs.
  if (reading.empty() && !Trim(result.output).empty()) return NoGpuTold();
  return reading;
}

std::optional<bool> IsYes(std::string_view value, const Settings& /*settings*/) {
  if (value == "Yes" || value == "Active" || value == "1") return true;
  if (value == "No" || value == "Not Active" || value == "0") return false;
  return std::nullopt;
}

bool HasBad(const FieldReading& reading) { return !GpusThatAre(Told::kBad, reading).empty(); }

FieldReading Merge(FieldReading one, const FieldReading& other) {
  for (const auto& [address, answer] : other) Keep(address, answer, one);
  return one;
}

Verdict Judge(const FieldReading& reading, std::string_view what, std::string_view well) {
  const std::vector<std::string> bad = GpusThatAre(Told::kBad, reading);
  if (bad.size() == 1) return Bad(fmt::format("GPU {} {}", bad.front(), what));
  if (!bad.empty()) {
    return Bad(fmt::format("GPU {} {}, {} more", bad.front(), what, bad.size() - 1));
  }
  const std::vector<std::string> unreadable = GpusThatAre(Told::kUnreadable, reading);
  if (!unreadable.empty()) {
    return Unknown(
        fmt::format("GPU {} {}", unreadable.front(), reading.at(unreadable.front()).value));
  }
  if (GpusThatAre(Told::kWell, reading).empty()) return Well("no GPU of the node has this field");
  return Well(std::string(well));
}

std::optional<Verdict> JudgeWithoutGpus(const Settings& settings, Progress& progress) {
  progress.Doing("reading the PCI bus");
  const auto gpus = Accelerators(settings);
  if (!gpus.ok()) return Unknown(std::string(gpus.status().message()));
  if (gpus->empty()) return Well("no GPU on the PCI bus");
  return std::nullopt;
}

}  // namespace berth::probe
