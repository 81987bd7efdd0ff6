// Runs a target over its corpus without a fuzzer: what was found once is not found again, and every
// beginning of an input ends as well as the whole.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/heap_meter.h"
#include "tests/unit/mutator.h"

namespace berth::fuzz {
namespace {

/// What a target may take for each byte of its input, and besides: elements of two or three bytes,
/// such as "{}", become objects of 200, and a configuration that says nothing has all its defaults.
/// What whole requests may take is asserted where they are answered.
constexpr std::size_t kBytesForAByte = 64;
constexpr std::size_t kBytesBesides = std::size_t{1} << 20;

/// Of each input, and as many truncated.
constexpr int kDamaged = 200;

void Feed(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// Of the target whose binary this is: fuzz_watch.
std::vector<std::filesystem::path> Corpus() {
  std::string_view target = program_invocation_short_name;
  target.remove_prefix(target.find('_') + 1);
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = "tests/fuzz/corpus";
  for (const auto& entry : std::filesystem::directory_iterator(folder / target)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Corpus, HoldsWholeTruncatedAndDamaged) {
  ASSERT_FALSE(Corpus().empty());
  berth::tests::Mutator damage;
  for (const std::filesystem::path& file : Corpus()) {
    SCOPED_TRACE(file);  // an oracle that does not hold ends the process
    const std::string input = Read(file);
    ASSERT_FALSE(input.empty());
    Feed(input);
    const std::size_t step = input.size() / kDamaged + 1;
    for (std::size_t size = 0; size < input.size(); size += step) Feed(input.substr(0, size));
    for (int i = 0; i < kDamaged; ++i) Feed(damage(input));
  }
}

TEST(Corpus, TakesMemoryInProportion) {
  for (const std::filesystem::path& file : Corpus()) {
    const std::string input = Read(file);
    Feed(input);  // what it keeps for the next
    berth::tests::ResetPeak();
    const std::size_t before = berth::tests::LiveBytes();
    Feed(input);
    EXPECT_LE(berth::tests::PeakBytes() - before, kBytesForAByte * input.size() + kBytesBesides)
        << file;
  }
}

}  // namespace
}  // namespace berth::fuzz
