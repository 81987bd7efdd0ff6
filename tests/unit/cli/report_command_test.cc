#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"

namespace berth::cli {
namespace {

constexpr const char* kReportFolder = "tests/golden/report/";

std::string ReadText(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Ran {
  int exit_code;
  std::string output;
  std::string errors;
};

Ran RunReport(std::vector<std::string> words) {
  words.insert(words.begin(), {"berth", "report", "--now", "2026-06-01T12:00:00Z"});
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.exit_code = Run(static_cast<int>(argv.size()), argv.data());
  ran.output = testing::internal::GetCapturedStdout();
  ran.errors = testing::internal::GetCapturedStderr();
  return ran;
}

TEST(ReportCommand, SucceedsWhateverTheReportSays) {
  for (const char* output : {"table", "wide", "json", "yaml", "objects", "html"}) {
    const Ran ran =
        RunReport({"--objects", std::string(kReportFolder) + "objects.json", "-o", output});
    EXPECT_EQ(ran.exit_code, kExitOk) << ran.errors;
    EXPECT_NE(ran.output.find("guaranteed-qos"), std::string::npos) << ran.output;
  }
}

TEST(ReportCommand, RefusesWhatIsNoDumpInASentence) {
  const Ran missing = RunReport({"--objects", "/nonexistent.json"});
  EXPECT_EQ(missing.exit_code, kExitUsage);
  EXPECT_NE(missing.errors.find("/nonexistent.json: cannot be read: No such file"),
            std::string::npos)
      << missing.errors;
  const Ran other = RunReport({"--objects", "README.md"});
  EXPECT_EQ(other.exit_code, kExitUsage);
  EXPECT_NE(other.errors.find("write it with `kubectl get nodes,namespaces,pods"),
            std::string::npos)
      << other.errors;
}

// Words of a server: they must not look like lines of the program.
TEST(ReportCommand, RefusesTheAnswerThatCameInPlaceOfADump) {
  const std::string file = testing::TempDir() + "report_status.json";
  const std::string advice =
      "; write it with `kubectl get nodes,namespaces,pods,jobs,cronjobs -A -o json`\n";
  std::ofstream(file) << R"({"kind": "Status", "apiVersion": "v1", "status": "Failure",
                             "message": "pods is forbidden\nberth: all is \u001b[32mwell"})";
  const Ran status =
      RunReport({"--objects", std::string(kReportFolder) + "objects.json", "--objects", file});
  EXPECT_EQ(status.exit_code, kExitUsage);
  EXPECT_EQ(status.errors, "berth report: " + file +
                               ": is a Status, an API server's answer in place of objects: pods is "
                               "forbidden berth: all is  [32mwell" +
                               advice);
  std::ofstream(file) << R"({"kind": "List", "apiVersion": "v1", "metadata": {}})";
  const Ran list = RunReport({"--objects", file});
  EXPECT_EQ(list.exit_code, kExitUsage);
  EXPECT_EQ(list.errors, "berth report: " + file + ": is a \"List\" without items" + advice);
}

TEST(ReportCommand, ReadsSeveralFilesAndReportsOnADamagedOne) {
  const std::string whole = ReadText(std::string(kReportFolder) + "objects.json");
  const std::string damaged = testing::TempDir() + "report_damaged.json";
  std::ofstream(damaged) << whole.substr(0, whole.size() / 2);
  const Ran ran =
      RunReport({"--objects", std::string(kReportFolder) + "objects.json", "--objects", damaged});
  EXPECT_EQ(ran.exit_code, kExitOk) << ran.errors;
  EXPECT_NE(ran.output.find("the text breaks off within an object"), std::string::npos)
      << ran.output;
  const Ran empty = RunReport({"--objects", "/dev/null"});
  EXPECT_EQ(empty.exit_code, kExitUsage);
}

TEST(ReportCommand, MayBeAboutOneNamespace) {
  const std::string objects = std::string(kReportFolder) + "objects.json";
  const Ran table = RunReport({"--objects", objects, "-n", "vision"});
  EXPECT_EQ(table.exit_code, kExitOk) << table.errors;
  EXPECT_NE(table.output.find("do with 5 pods, 4 Jobs and 0 objects with templates of pods, on 5 "
                              "nodes"),
            std::string::npos)
      << table.output;
  EXPECT_NE(table.output.find("Note: only the namespace vision is reported: "), std::string::npos);
  EXPECT_EQ(table.output.find("nlp"), std::string::npos) << table.output;
  const Ran lines = RunReport({"--objects", objects, "--namespace", "legacy", "-o", "objects"});
  EXPECT_TRUE(lines.output.starts_with("{\"namespace\":\"legacy\",")) << lines.output;
  EXPECT_EQ(lines.output.find('\n'), lines.output.size() - 1) << lines.output;
}

// It would be put into the path of a request, or find nothing in a file.
TEST(ReportCommand, RefusesWhatIsNoNameOfANamespace) {
  const std::string objects = std::string(kReportFolder) + "objects.json";
  const Ran ran = RunReport({"--objects", objects, "-n", "ml team"});
  EXPECT_EQ(ran.exit_code, kExitUsage);
  EXPECT_THAT(ran.errors,
              testing::StartsWith(
                  "--namespace: \"ml team\" is not the name of a namespace; write one such as "
                  "team-vision, of at most 63 lower-case letters, digits and '-'\n"));
}

TEST(ReportCommand, LeavesNamespacesAloneThatAreNamedTogetherOrOneByOne) {
  const std::string objects = std::string(kReportFolder) + "objects.json";
  const Ran all = RunReport({"--objects", objects});
  const Ran together = RunReport({"--objects", objects, "--exclude-namespace", "vision, nlp"});
  EXPECT_EQ(together.exit_code, kExitOk) << together.errors;
  EXPECT_NE(together.output, all.output);
  const Ran one_by_one = RunReport(
      {"--objects", objects, "--exclude-namespace", "vision", "--exclude-namespace", "nlp"});
  EXPECT_EQ(together.output, one_by_one.output);
}

TEST(ReportCommand, TakesTheConfigurationThatWouldBeInstalled) {
  const std::string config = testing::TempDir() + "report_config.yaml";
  std::ofstream(config) << "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\n"
                           "admission:\n  policies:\n    isolation: {mode: Off}\n";
  const std::string objects = std::string(kReportFolder) + "objects.json";
  const Ran ran = RunReport({"--objects", objects, "--config", config, "-o", "json"});
  EXPECT_EQ(ran.exit_code, kExitOk) << ran.errors;
  EXPECT_EQ(ran.output.find("\"isolation\""), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
