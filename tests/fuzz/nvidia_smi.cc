// What nvidia-smi writes, however it ends: a verdict in one line, in which a GPU that is bad is not
// missing.
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "probe/child.h"
#include "probe/gpu_lost.h"
#include "probe/nvidia.h"
#include "probe/settings.h"
#include "probe/text.h"
#include "probe/verdict.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;
using probe::Outcome;
using probe::ProgramResult;
using probe::Verdict;

using IsBad = std::optional<bool> (*)(std::string_view, const probe::Settings&);

// It has worked, it knows no such field, there is no driver, one GPU has no good infoROM, there is
// no such program.
constexpr std::array<int, 5> kExitCodes = {0, 2, 9, 14, 127};

std::optional<bool> IsAboveNone(std::string_view value, const probe::Settings& /*settings*/) {
  const std::optional<std::uint64_t> number = probe::ToNumber(value);
  return number ? std::optional(*number > 0) : std::nullopt;
}

void CheckVerdict(const Verdict& verdict) {
  const std::string line = probe::Line(verdict.message);
  fuzz::Require(!line.empty() && line.size() <= probe::kLineLength, "a verdict is a line");
  for (const char c : line) fuzz::Require(c >= ' ' && c <= '~', "which can be printed");
}

void CheckError(const absl::Status& error, const ProgramResult& result) {
  const bool is_silent = error.message() == "nvidia-smi tells of no GPU";
  fuzz::Require(absl::IsNotFound(error) ||
                    (absl::IsUnavailable(error) && (result.exit_code != 0 || is_silent)),
                "an error is that of nvidia-smi");
  CheckVerdict(probe::Unknown(std::string(error.message())));
}

Verdict VerdictOn(const probe::FieldReading& reading) {
  return probe::Judge(reading, "is bad", "all are well");
}

void CheckField(const ProgramResult& result, IsBad is_bad) {
  const probe::Settings settings;
  const auto reading = probe::ReadAnswer(result, settings, is_bad);
  if (!reading.ok()) return CheckError(reading.status(), result);
  for (const auto& [address, answer] : *reading) {
    fuzz::Require(probe::IsBusId(address), "an answer is about a GPU");
  }
  const bool has_bad = probe::HasBad(*reading);
  fuzz::Require(has_bad || result.exit_code == 0, "who has failed is believed only what is bad");
  const Verdict verdict = VerdictOn(*reading);
  CheckVerdict(verdict);
  fuzz::Require((verdict.outcome == Outcome::kBad) == has_bad, "a GPU that is bad is told of");
  fuzz::Require(VerdictOn(probe::Merge(*reading, *reading)) == verdict, "two alike say the same");
  const ProgramResult twice{result.exit_code, result.output + "\n" + result.output};
  const auto again = probe::ReadAnswer(twice, settings, is_bad);
  fuzz::Require(again.ok() && VerdictOn(*again) == verdict, "what is said twice counts once");
}

void CheckList(const ProgramResult& result) {
  const Verdict none_expected = probe::JudgeGpuList(result, 0);
  const Verdict all_expected =
      probe::JudgeGpuList(result, std::numeric_limits<std::uint64_t>::max());
  CheckVerdict(none_expected);
  CheckVerdict(all_expected);
  fuzz::Require(all_expected.outcome != Outcome::kWell, "what is not listed is missed");
  fuzz::Require(none_expected.outcome == Outcome::kWell || none_expected == all_expected,
                "a loss is told of however many there are");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const int exit_code : kExitCodes) {
    const ProgramResult result{exit_code, std::string(fuzz::TextOf(data, size))};
    CheckField(result, probe::IsYes);
    CheckField(result, IsAboveNone);
    CheckList(result);
  }
  return 0;
}
