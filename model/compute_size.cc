#include "model/compute_size.h"

#include <cstdint>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "model/amount.h"
#include "model/utf8.h"

namespace berth::model {
namespace {

constexpr Amount WholeUnits(std::int64_t units) {
  return Amount::FromNanos(units * Amount::kNanosPerUnit);
}

constexpr Amount kLeastCpu = Amount::FromNanos(Amount::kNanosPerUnit / 1000);
constexpr Amount kMostCpu = WholeUnits(1'000'000);
constexpr Amount kLeastMemory = WholeUnits(std::int64_t{1} << 20);
constexpr Amount kMostMemory = WholeUnits(std::int64_t{1} << 56);

bool IsMemorySize(const Quantity& memory) {
  return memory.amount() >= kLeastMemory && memory.amount() <= kMostMemory;
}

bool IsWhole(const Quantity& quantity) { return quantity.amount() == WholeUnits(quantity.Value()); }

absl::Status MissingSize(std::string_view instead) {
  return absl::InvalidArgumentError(fmt::format("is missing; write {}", instead));
}

absl::Status SizeOutOfRange(std::string_view range, const Quantity& given,
                            std::string_view advice) {
  constexpr std::size_t kShownBytes = 40;
  return absl::InvalidArgumentError(fmt::format("must be {}, got \"{}\"; {}", range,
                                                Shortened(given.text(), kShownBytes), advice));
}

// Advice for a number whose suffix was forgotten, or written as "m". Empty if it is no such number.
std::string MeantMemory(std::string_view text) {
  const bool is_milli = text.ends_with('m');
  if (is_milli) text.remove_suffix(1);
  std::vector<std::string_view> suffixes = {"Mi"};
  if (!is_milli) suffixes.emplace_back("Gi");
  std::vector<std::string> meant;
  for (const std::string_view suffix : suffixes) {
    const auto memory = Quantity::Parse(fmt::format("{}{}", text, suffix));
    if (memory.ok() && IsMemorySize(*memory)) meant.push_back(memory->text());
  }
  if (meant.empty()) return "";
  return fmt::format(
      "{}; did you mean {}?",
      is_milli ? "m stands for thousandths of a byte" : "without a suffix it is bytes",
      fmt::join(meant, " or "));
}

}  // namespace

absl::Status CheckCpuSize(const std::optional<Quantity>& cpu, std::string_view instead) {
  if (!cpu) return MissingSize(instead);
  if (cpu->amount() >= kLeastCpu && cpu->amount() <= kMostCpu) return absl::OkStatus();
  return SizeOutOfRange("from 1m to 1000000 cores", *cpu, fmt::format("write {}", instead));
}

absl::Status CheckWholeCpuSize(const std::optional<Quantity>& cpu, std::string_view instead) {
  constexpr std::string_view kRange = "a whole number of cores from 1 to 1000000";
  if (!cpu) return MissingSize(instead);
  const bool is_size = cpu->Sign() > 0 && cpu->amount() <= kMostCpu;
  if (!is_size) return SizeOutOfRange(kRange, *cpu, fmt::format("write {}", instead));
  if (IsWhole(*cpu)) return absl::OkStatus();
  const std::int64_t above = cpu->Value();
  return SizeOutOfRange(kRange, *cpu,
                        above == 1 ? "write 1" : fmt::format("write {} or {}", above - 1, above));
}

absl::Status CheckMemorySize(const std::optional<Quantity>& memory, std::string_view instead) {
  if (!memory) return MissingSize(instead);
  if (IsMemorySize(*memory)) return absl::OkStatus();
  const std::string meant = MeantMemory(memory->text());
  return SizeOutOfRange("from 1Mi to 64Pi", *memory,
                        meant.empty() ? fmt::format("write {}", instead) : meant);
}

}  // namespace berth::model
