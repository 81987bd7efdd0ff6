#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"

// What commands say of values that can never be right, before they ask anybody.

namespace berth::cli {
namespace {

using testing::StartsWith;

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
    EXPECT_THAT(Complaint({"untaint", "--prefix", prefix}), StartsWith(error));
    EXPECT_THAT(Complaint({"release", "--all", "--prefix", prefix}), StartsWith(error));
  }
}

// A variable that is not set must not be the same as an option that is not given.
TEST(WrongUsage, OfAnEmptyValue) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
      {{"admission", "--config="}, "--config"},
      {{"extender", "--config="}, "--config"},
      {{"controller", "--rbac", "--config", ""}, "--config"},
      {{"config", "validate", ""}, "--config"},
      {{"mutate", "-f", ""}, "--filename"},
      {{"man", ""}, "folder"},
      {{"completion", ""}, "shell"},
      {{"release", ""}, "gang"},
      {{"explain", "-f", "f", "--node="}, "--node"},
      {{"explain", "--gang="}, "--gang"},
      {{"capacity", "--objects="}, "--objects"},
      {{"who", "--server="}, "--server"},
      {{"report", "--objects", "f", "--objects="}, "--objects"},
      {{"idle", "--creator="}, "--creator"}};
  for (const auto& [words, option] : commands) {
    EXPECT_THAT(Complaint(words), StartsWith(option + ": is empty; give it a value\n")) << words[0];
  }
}

constexpr const char* kNotANamespace =
    " is not the name of a namespace; write one such as team-vision, of at most 63 lower-case "
    "letters, digits and '-'\n";

TEST(WrongUsage, OfWhatIsNoNameOfANamespace) {
  const std::vector<std::vector<std::string>> commands = {{"explain", "train", "-n"},
                                                          {"gangs", "-n"},
                                                          {"who", "-n"},
                                                          {"idle", "-n"},
                                                          {"board", "-n"},
                                                          {"board", "--rbac", "-n"},
                                                          {"report", "-n"},
                                                          {"mutate", "-f", "f", "-n"},
                                                          {"doctor", "-n"},
                                                          {"doctor", "--rbac", "-n"},
                                                          {"stanza", "-n"},
                                                          {"certs", "show", "-n"},
                                                          {"certs", "renew", "-n"}};
  for (std::vector<std::string> words : commands) {
    words.emplace_back("ml.team/x");
    EXPECT_THAT(Complaint(words),
                StartsWith(std::string("--namespace: \"ml.team/x\"") + kNotANamespace))
        << words[0];
  }
  EXPECT_THAT(Complaint({"doctor", "--trial-namespace", "ML"}),
              StartsWith(std::string("--trial-namespace: \"ML\"") + kNotANamespace));
}

// Where a namespace is needed, an empty one is none.
TEST(WrongUsage, OfAnEmptyNamespace) {
  const std::vector<std::vector<std::string>> commands = {
      {"doctor", "-n="}, {"stanza", "-n="}, {"mutate", "-f", "f", "-n="}};
  for (const std::vector<std::string>& words : commands) {
    EXPECT_THAT(Complaint(words), StartsWith(std::string("--namespace: \"\"") + kNotANamespace))
        << words[0];
  }
}

TEST(WrongUsage, OfNamespacesToBeLeftAlone) {
  for (const char* command : {"policies", "report"}) {
    for (const auto& [value, name] : {std::pair{"ml,n p", "n p"}, std::pair{"", ""},
                                      std::pair{",", ","}, std::pair{"a]\nb", "a]\\nb"}}) {
      EXPECT_THAT(
          Complaint({command, "--exclude-namespace", "vision", "--exclude-namespace", value}),
          StartsWith(fmt::format("--exclude-namespace: \"{}\"{}", name, kNotANamespace)));
    }
  }
}

TEST(WrongUsage, OfWhatIsNoNameOfAPod) {
  for (const char* pod : {"pod/train-0", "train,spec.nodeName=a", "Train"}) {
    EXPECT_THAT(Complaint({"explain", pod, "--watch"}),
                StartsWith(fmt::format("pod: \"{}\" is not the name of a pod; write one such as "
                                       "train-7x2lq, without its kind\n",
                                       pod)));
  }
}

TEST(WrongUsage, OfWhatIsNoNameOfARelease) {
  for (const std::string& name : {std::string("a/b"), std::string(), std::string(54, 'a')}) {
    EXPECT_THAT(
        Complaint({"stanza", "--release", name}),
        StartsWith(
            "--release: \"" + name +
            "\" is not the name of a Helm release; write one that `helm list` shows, such as "
            "berth\n"));
  }
}

}  // namespace
}  // namespace berth::cli
