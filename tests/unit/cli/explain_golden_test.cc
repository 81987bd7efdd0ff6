#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"
#include "tests/unit/cli/explain_fixture.h"

namespace berth::cli {
namespace {

struct Golden {
  /// Of the file with the expected output.
  const char* name;
  const char* pod;
  std::vector<std::string> options;
  int exit_code;
};

class ExplainGolden : public testing::TestWithParam<Golden> {};

std::string TextOf(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

int RunExplain(const Golden& golden) {
  const std::string folder = kGoldenFolder;
  std::vector<std::string> words = {"berth",     "explain",
                                    "-f",        folder + golden.pod,
                                    "--objects", folder + "objects.json",
                                    "--now",     "2026-06-01T12:00:00Z"};
  words.insert(words.end(), golden.options.begin(), golden.options.end());
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return Run(static_cast<int>(argv.size()), argv.data());
}

TEST_P(ExplainGolden, PrintsWhatIsInTheFile) {
  const std::string file = std::string(kGoldenFolder) + GetParam().name;
  testing::internal::CaptureStdout();
  const int exit_code = RunExplain(GetParam());
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_EQ(exit_code, GetParam().exit_code);
  if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << output;
  EXPECT_EQ(output, TextOf(file)) << "after a wanted change: BERTH_UPDATE_GOLDEN=1 make check";
}

INSTANTIATE_TEST_SUITE_P(
    Pods, ExplainGolden,
    testing::Values(
        Golden{"one_gpu.txt", "one_gpu.yaml", {}, kExitOk},
        Golden{"one_gpu.out.json", "one_gpu.yaml", {"-o", "json"}, kExitOk},
        Golden{"planned.txt", "planned.yaml", {}, kExitOk},
        Golden{"left_to_scan.txt", "left_to_scan.yaml", {}, kExitOk},
        Golden{"whole_node.txt", "whole_node.yaml", {}, kExitOk},
        Golden{"preferences.txt", "preferences.yaml", {}, kExitOk},
        Golden{"unknown_model.txt", "unknown_model.yaml", {}, kExitNo},
        Golden{"bad_memory.txt", "bad_memory.yaml", {}, kExitNo},
        Golden{"mncore.txt", "mncore.json", {}, kExitOk},
        Golden{"cpu_only.txt", "cpu_only.yaml", {}, kExitOk},
        Golden{"cpu_only.out.json", "cpu_only.yaml", {"-o", "json"}, kExitOk},
        Golden{"unschedulable.txt", "unschedulable.yaml", {}, kExitOk},
        Golden{"unschedulable.out.json",
               "unschedulable.yaml",
               {"--node", "a100-3", "-o", "json"},
               kExitNo},
        Golden{"cpu_unschedulable.txt", "cpu_unschedulable.yaml", {}, kExitOk},
        Golden{"cpu_unschedulable.out.json", "cpu_unschedulable.yaml", {"-o", "json"}, kExitOk},
        Golden{"failed.txt", "failed.yaml", {}, kExitOk},
        Golden{"gated.txt", "gated.yaml", {}, kExitOk},
        Golden{"node_fits.txt", "preferences.yaml", {"--node", "v100-3"}, kExitOk},
        Golden{"node_refused.txt", "one_gpu.yaml", {"--node", "a100-3"}, kExitNo},
        Golden{
            "node_refused.out.json", "one_gpu.yaml", {"--node", "a100-3", "-o", "json"}, kExitNo}),
    [](const auto& golden) {
      std::string name = golden.param.name;
      for (char& c : name) c = c == '.' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace berth::cli
