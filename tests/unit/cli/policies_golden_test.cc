#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "cli/exit_code.h"
#include "cli/run.h"

namespace berth::cli {
namespace {

constexpr const char* kGoldenPolicies = "tests/golden/policies/default.yaml";

TEST(PoliciesGolden, PrintsWhatIsInTheFileByDefault) {
  const char* const words[] = {"berth", "policies", "--exclude-namespace", "berth-system"};
  testing::internal::CaptureStdout();
  const int exit_code = cli::Run(4, words);
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_EQ(exit_code, kExitOk);
  if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(kGoldenPolicies) << output;
  std::ostringstream golden;
  golden << std::ifstream(kGoldenPolicies).rdbuf();
  EXPECT_EQ(output, golden.str()) << "after a wanted change: BERTH_UPDATE_GOLDEN=1 make check";
}

}  // namespace
}  // namespace berth::cli
