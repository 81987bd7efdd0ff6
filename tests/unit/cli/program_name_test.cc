#include "cli/program_name.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

TEST(ProgramName, OfAPluginIsHowKubectlLooksForIt) {
  EXPECT_TRUE(ProgramOf("kubectl-berth").is_plugin);
  EXPECT_TRUE(ProgramOf("/usr/local/bin/kubectl-berth").is_plugin);
  EXPECT_FALSE(ProgramOf("/opt/kubectl-berth/berth").is_plugin);
  EXPECT_FALSE(ProgramOf("berth").is_plugin);
  EXPECT_FALSE(ProgramOf("").is_plugin);
}

TEST(ProgramName, OfCompletionIsWhatKubectlAsks) {
  EXPECT_TRUE(ProgramOf("/bin/kubectl_complete-berth").completes);
  EXPECT_TRUE(ProgramOf("/bin/kubectl_complete-berth").is_plugin);
  EXPECT_FALSE(ProgramOf("/bin/kubectl-berth").completes);
}

}  // namespace
}  // namespace berth::cli
