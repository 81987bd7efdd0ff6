#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"

namespace berth::cli {
namespace {

constexpr const char* kGoldenPolicies = "tests/golden/policies/default.yaml";

std::string Policies(std::vector<const char*> words) {
  words.insert(words.begin(), {"berth", "policies"});
  testing::internal::CaptureStdout();
  const int exit_code = cli::Run(static_cast<int>(words.size()), words.data());
  EXPECT_EQ(exit_code, kExitOk);
  return testing::internal::GetCapturedStdout();
}

TEST(PoliciesGolden, PrintsWhatIsInTheFileByDefault) {
  const std::string output = Policies({"--exclude-namespace", "berth-system"});
  if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(kGoldenPolicies) << output;
  std::ostringstream golden;
  golden << std::ifstream(kGoldenPolicies).rdbuf();
  EXPECT_EQ(output, golden.str()) << "after a wanted change: BERTH_UPDATE_GOLDEN=1 make check";
}

// Without quotes, YAML would take the last two for something else than a text.
TEST(PoliciesGolden, LeaveAloneAllNamespacesThatAreNamed) {
  const std::string together = Policies({"--exclude-namespace", "ml,2024, null"});
  EXPECT_NE(together.find("values: [\"kube-system\",\"ml\",\"2024\",\"null\"]}"), std::string::npos)
      << together;
  EXPECT_EQ(together, Policies({"--exclude-namespace", "ml", "--exclude-namespace", "2024,null"}));
}

}  // namespace
}  // namespace berth::cli
