#include "report/amount_text.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "fmt/format.h"

namespace berth::report {

std::string CountText(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string CoresText(std::int64_t cpu) {
  const bool is_whole = cpu % 1000 == 0 || std::llabs(cpu) >= 10'000;
  if (is_whole) return CountText(std::llround(static_cast<double>(cpu) / 1000));
  return fmt::format("{:.1f}", static_cast<double>(cpu) / 1000);
}

std::string MemoryText(std::int64_t memory) {
  constexpr std::array<const char*, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  auto amount = static_cast<double>(memory);
  std::size_t unit = 0;
  while (std::abs(amount) >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  const bool is_whole = std::abs(amount) >= 10 || amount == std::floor(amount);
  return fmt::format("{:.{}f}{}", amount, is_whole ? 0 : 1, kUnits[unit]);
}

std::string ComputeText(const Compute& amount) {
  return CoresText(amount.cpu) + (amount.cpu == 1000 ? " core, " : " cores, ") +
         MemoryText(amount.memory);
}

}  // namespace berth::report
