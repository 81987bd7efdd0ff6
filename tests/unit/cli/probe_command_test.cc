#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What a command has written and how it has ended.
struct Ended {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

Ended RunBerth(const std::vector<std::string>& arguments) {
  std::vector<const char*> words = {"berth", "probe"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int exit_code = Run(static_cast<int>(words.size()), words.data());
  return {exit_code, testing::internal::GetCapturedStdout(),
          testing::internal::GetCapturedStderr()};
}

class ProbeCommandTest : public testing::Test {
 protected:
  ProbeCommandTest() {
    std::filesystem::create_directories(folder_ + "/sys/class/net/eth0/device");
    std::ofstream(folder_ + "/sys/class/net/eth0/flags") << "0x1003\n";
    SetCarrier("1");
  }
  ~ProbeCommandTest() override { std::filesystem::remove_all(folder_); }

  void SetCarrier(const std::string& carrier) {
    std::ofstream(folder_ + "/sys/class/net/eth0/carrier") << carrier << '\n';
  }

  Ended Nic(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"nic", "--root", folder_, "--run-dir", folder_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBerth(arguments);
  }

  const std::string folder_ = testing::TempDir() + "berth_probe_" + std::to_string(getpid());
};

TEST_F(ProbeCommandTest, AnswersWithLineAndExitCode) {
  const Ended well = Nic();
  EXPECT_EQ(well.exit_code, 0);
  EXPECT_EQ(well.output, "1 links are up\n");
  SetCarrier("0");
  const Ended bad = Nic();
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(bad.output, "eth0 is down\n");
}

TEST_F(ProbeCommandTest, TakesAnEmptyValue) {
  const Ended ended =
      RunBerth({"gpu-lost", "--root", folder_, "--run-dir", folder_, "--nvidia-smi", ""});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

TEST_F(ProbeCommandTest, TakesNoOtherOptionForAnEmptyValue) {
  const Ended ended = RunBerth(
      {"gpu-lost", "--root", folder_, "--run-dir", folder_, "--nvidia-smi=", "--expect=8"});
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_EQ(ended.output, "0 of 8 accelerators are on the PCI bus\n");
  EXPECT_EQ(RunBerth({"config", "--output=", "nfs"}).exit_code, kExitOk);
  // What is a value itself stays whole, and so does a flag, which has none.
  EXPECT_THAT(RunBerth({"config", "nfs", "--flag", "--output="}).errors,
              HasSubstr("--flag is '--output='"));
  EXPECT_THAT(RunBerth({"config", "--", "--output="}).errors,
              HasSubstr("no probe is called '--output='"));
  EXPECT_EQ(RunBerth({"nfs", "--help="}).exit_code, kExitOk);
}

TEST_F(ProbeCommandTest, NeverTakesATypoForAFault) {
  SetCarrier("0");
  const Ended wrong = Nic({"--timeout", "20"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("berth probe nic: --timeout is '20'; write a duration"));
  EXPECT_EQ(Nic({"--tiemout", "20s"}).exit_code, 2);
  EXPECT_EQ(RunBerth({"nick"}).exit_code, 2);
  EXPECT_EQ(RunBerth({}).exit_code, 2);
}

TEST_F(ProbeCommandTest, WritesTheConfigurationOfOne) {
  const Ended ended = RunBerth({"config", "gpu-lost", "--flag", "gpu-lost:expect=8", "--flag",
                                "*:root=/host", "--flag", "*:cgroup=", "--program", "/opt/berth"});
  EXPECT_EQ(ended.exit_code, kExitOk);
  EXPECT_THAT(ended.output,
              HasSubstr("\"--expect\",\n        \"8\",\n        \"--root\",\n        \"/host\"\n"));
  EXPECT_THAT(ended.output, HasSubstr("\"path\": \"/opt/berth\""));
}

TEST_F(ProbeCommandTest, PrefersTheFlagOfAProbeToThatOfAll) {
  const std::vector<std::string> flags = {"*:timeout=30s", "gpu-lost:timeout=10s"};
  for (const auto& [first, second] : {std::pair(flags[0], flags[1]), {flags[1], flags[0]}}) {
    const Ended ended = RunBerth({"config", "gpu-lost", "--flag", first, "--flag", second});
    EXPECT_EQ(ended.exit_code, kExitOk) << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("\"--timeout\",\n        \"10s\"\n"));
    EXPECT_THAT(ended.output, Not(HasSubstr("30s")));
    EXPECT_THAT(ended.output, HasSubstr("\"timeout\": \"35s\""));
    EXPECT_THAT(RunBerth({"config", "nfs", "--flag", first, "--flag", second}).output,
                HasSubstr("\"30s\""));
  }
}

TEST_F(ProbeCommandTest, RefusesAFlagOfAProbeThatIsGivenTwice) {
  for (const char* of : {"gpu-lost", "*"}) {
    const std::string flag = std::string(of) + ":timeout=";
    const Ended ended =
        RunBerth({"config", "gpu-lost", "--flag", flag + "10s", "--flag", flag + "20s"});
    EXPECT_EQ(ended.exit_code, kExitUsage);
    EXPECT_EQ(ended.errors, "berth probe config: --flag says " + std::string(of) +
                                ":timeout twice; leave one of both out\n");
  }
}

TEST_F(ProbeCommandTest, WritesTheConfigurationOfAll) {
  EXPECT_EQ(RunBerth({"config", "--output", folder_}).exit_code, kExitOk);
  for (const char* name : {"gpu-lost", "pending-page", "remapped-rows", "ecc", "pcie-link",
                           "d-state", "nic", "ib", "nfs", "clock"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/" + name + ".json")) << name;
  }
  EXPECT_EQ(RunBerth({"config", "--output", folder_ + "/nowhere"}).exit_code, kExitNo);
}

TEST_F(ProbeCommandTest, SaysWhatToWriteForAConfiguration) {
  EXPECT_THAT(RunBerth({"config"}).errors, HasSubstr("name one probe, or a folder with --output"));
  EXPECT_THAT(RunBerth({"config", "gpu"}).errors, HasSubstr("write one of gpu-lost pending-page"));
  EXPECT_THAT(RunBerth({"config", "nfs", "--flag", "expect=8"}).errors,
              HasSubstr("write PROBE:NAME=VALUE"));
  EXPECT_THAT(RunBerth({"config", "nfs", "--flag", "nsf:expect=8"}).errors,
              HasSubstr("no probe is called 'nsf'"));
  EXPECT_THAT(RunBerth({"config", "nfs", "--flag", "*:tiemout=5s"}).errors,
              HasSubstr("no probe has a flag --tiemout"));
  const Ended wrong = RunBerth({"config", "nfs", "--interval", "60"});
  EXPECT_EQ(wrong.exit_code, kExitUsage);
}

}  // namespace
}  // namespace berth::cli
