#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "cli/pod_manifest.h"
#include "config/reader.h"
#include "config/writer.h"

// Files with arbitrary damage: whatever comes of them, it is a result that names the file, and
// never a crash.

namespace berth::config {
namespace {

using std::literals::operator""sv;

constexpr int kRounds = 400;

// Flips, removes, doubles or inserts some characters.
std::string Damage(std::string text, std::mt19937& random) {
  constexpr std::string_view kAwkward = ":-[]{}&*!|>'\"#%@`,?\n\t \\\x00\xff"sv;
  const auto below = [&](std::size_t end) { return random() % end; };
  for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = kAwkward[below(kAwkward.size())];
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, text.substr(at, 1 + below(40)));
        break;
      default:
        text.insert(at, 1, kAwkward[below(kAwkward.size())]);
    }
  }
  return text;
}

TEST(DamagedFiles, OfConfigurationAreReadOrRefused) {
  BerthConfiguration config;
  config.extender.tls = {"/c", "/k", ""};
  const std::string text = WriteConfig(config);
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const ConfigReading reading = ParseConfig(Damage(text, random), "f");
    refused += reading.ok() ? 0 : 1;
    for (const yaml::SourceError& error : reading.errors) {
      EXPECT_EQ(error.file, "f");
      EXPECT_FALSE(error.message.empty());
    }
  }
  // Most of the text is comments, where damage does no harm.
  EXPECT_GT(refused, kRounds / 10);
}

TEST(DamagedFiles, OfPodsAreReadOrRefused) {
  const std::string text =
      "kind: Job\nmetadata: {name: j}\nspec:\n  template:\n    metadata:\n      annotations: "
      "{berth.dev/accelerators: 'A100, V100'}\n    spec:\n      containers:\n      - name: c\n"
      "        resources:\n          limits: {nvidia.com/gpu: 1, cpu: 1.5, memory: 0x10}\n";
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto manifest = cli::ParsePodManifest(Damage(text, random), "f");
    if (manifest.ok()) continue;
    ++refused;
    EXPECT_TRUE(std::string(manifest.status().message()).starts_with("f:")) << manifest.status();
  }
  EXPECT_GT(refused, kRounds / 4);
}

}  // namespace
}  // namespace berth::config
