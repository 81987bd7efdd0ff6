#include <gtest/gtest.h>

#include <random>
#include <string>

#include "config/reader.h"
#include "config/writer.h"
#include "tests/unit/damage.h"

// Files with arbitrary damage: whatever comes of them, it is a result that names the file, and
// never a crash.

namespace berth::config {
namespace {

constexpr int kRounds = 400;

TEST(DamagedFiles, OfConfigurationAreReadOrRefused) {
  BerthConfiguration config;
  config.extender.tls = {"/c", "/k", ""};
  const std::string text = WriteConfig(config);
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const ConfigReading reading = ParseConfig(tests::Damage(text, random), "f");
    refused += reading.ok() ? 0 : 1;
    for (const yaml::SourceError& error : reading.errors) {
      EXPECT_EQ(error.file, "f");
      EXPECT_FALSE(error.message.empty());
    }
  }
  // Most of the text is comments, where damage does no harm.
  EXPECT_GT(refused, kRounds / 10);
}

}  // namespace
}  // namespace berth::config
