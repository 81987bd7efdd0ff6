#include <gtest/gtest.h>

#include <random>
#include <string>

#include "cli/pod_manifest.h"
#include "tests/unit/damage.h"

namespace berth::cli {
namespace {

constexpr int kRounds = 400;

// Whatever comes of a file with arbitrary damage, it is a pod or an error that names the file.
TEST(DamagedManifest, IsReadOrRefused) {
  const std::string text =
      "kind: Job\nmetadata: {name: j}\nspec:\n  template:\n    metadata:\n      annotations: "
      "{berth.dev/accelerators: 'A100, V100'}\n    spec:\n      containers:\n      - name: c\n"
      "        resources:\n          limits: {nvidia.com/gpu: 1, cpu: 1.5, memory: 0x10}\n";
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto manifest = ParsePodManifest(tests::Damage(text, random), "f");
    if (manifest.ok()) continue;
    ++refused;
    EXPECT_TRUE(std::string(manifest.status().message()).starts_with("f:")) << manifest.status();
  }
  EXPECT_GT(refused, kRounds / 4);
}

}  // namespace
}  // namespace berth::cli
