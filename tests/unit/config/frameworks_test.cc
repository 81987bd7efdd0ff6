#include "config/frameworks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "config/reader.h"
#include "policies/admission/framework_profiles.h"

namespace berth::config {
namespace {

using policies::admission::Framework;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kFile[] =
    "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\nadmission:\n  frameworks: ";

// The chart takes the webhook's rules from it.
TEST(FrameworksYaml, IsInTheChart) {
  std::ifstream file("charts/berth/files/frameworks.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == FrameworksYaml())
      << "charts/berth/files/frameworks.yaml is out of date; write it with\n"
         "  berth config frameworks > charts/berth/files/frameworks.yaml";
}

// People copy a part into their file to change it.
TEST(FrameworksYaml, HasTemplatesAndControllersAsTheFileTakesThem) {
  const std::string text = FrameworksYaml();
  const std::size_t begin = text.find("\njobset:\n") + 9;
  std::string jobset = text.substr(begin, text.find("  rules:", begin) - begin);
  const ConfigReading reading = ParseConfig(
      "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\nadmission:\n" + jobset,
      "f");
  EXPECT_EQ(yaml::ToString(reading.errors), "");
  policies::admission::AdmissionConfig listed;
  listed.frameworks = {Framework::kJobSet};
  EXPECT_EQ(reading.config.admission.judgement.templates,
            policies::admission::AllTemplates(listed));
}

TEST(Frameworks, AreReadByName) {
  const ConfigReading reading = ParseConfig(std::string(kFile) + "[mpi-operator, lws]\n", "f");
  EXPECT_THAT(reading.config.admission.judgement.frameworks,
              ElementsAre(Framework::kMpiOperator, Framework::kLeaderWorkerSet));
}

TEST(Frameworks, TypingErrorsAreNamed) {
  EXPECT_THAT(yaml::ToString(ParseConfig(std::string(kFile) + "[jobsets]\n", "f").errors),
              HasSubstr("admission.frameworks[0]: must be one of jobset, kueue, mpi-operator, "
                        "training-operator, trainer, kuberay, lws, argo, got \"jobsets\"; did you "
                        "mean jobset?"));
}

}  // namespace
}  // namespace berth::config
