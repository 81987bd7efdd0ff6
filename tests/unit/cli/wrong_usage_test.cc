#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"

// What commands say of values that can never be right, before they ask anybody.

namespace berth::cli {
namespace {

/// What the command writes to standard error; it must end as wrong usage.
std::string Complaint(std::vector<std::string> words) {
  words.insert(words.begin(), "berth");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = Run(static_cast<int>(argv.size()), argv.data());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << words[1];
  EXPECT_EQ(exit_code, kExitUsage) << words[1];
  return testing::internal::GetCapturedStderr();
}

TEST(WrongUsage, OfAPrefixThatIsNoDomain) {
  for (const char* prefix : {"berth.dev/", "", "x y"}) {
    const std::string error = "--prefix: \"" + std::string(prefix) +
                              "\" is not a domain; write one such as berth.dev, in lower case and "
                              "without '/'\n";
    EXPECT_EQ(Complaint({"untaint", "--prefix", prefix}), "berth untaint: " + error);
    EXPECT_EQ(Complaint({"release", "--all", "--prefix", prefix}), "berth release: " + error);
  }
}

}  // namespace
}  // namespace berth::cli
