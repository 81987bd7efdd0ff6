#include "config/health_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/reader.h"
#include "policies/scheduling/health_profiles.h"

namespace berth::config {
namespace {

using policies::scheduling::HealthConfig;
using policies::scheduling::HealthProfile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kHead[] =
    "apiVersion: config.berth.dev/v1alpha1\nkind: BerthConfiguration\nhealth:\n";

HealthConfig Read(const std::string& health) {
  using Health = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  const ConfigReading reading = ParseConfig(kHead + health, "f");
  EXPECT_EQ(yaml::ToString(reading.errors), "");
  return std::get<Health>(reading.config.scheduling.policies.all).config;
}

std::string ErrorsOfHealth(const std::string& health) {
  return yaml::ToString(ParseConfig(kHead + health, "f").errors);
}

// The list below the name of a profile.
std::string Section(const std::string& yaml, std::string_view name) {
  const std::string head = "\n" + std::string(name) + ":\n";
  const std::size_t begin = yaml.find(head) + head.size();
  return yaml.substr(begin, yaml.find("\n\n", begin) - begin) + "\n";
}

// People copy a profile into their file to change it.
TEST(HealthProfilesYaml, HasConditionsAsTheFileTakesThem) {
  const std::string yaml = HealthProfilesYaml();
  for (const auto& spec : policies::scheduling::HealthProfiles()) {
    const std::string name(policies::scheduling::NameOf(spec.profile));
    EXPECT_EQ(Read("  conditions:\n" + Section(yaml, name)).conditions, spec.conditions) << name;
  }
}

TEST(HealthProfilesYaml, TellsWhoPublishesThemAndWhereThatWasRead) {
  EXPECT_THAT(HealthProfilesYaml(),
              HasSubstr("\n# Of the GPU device plugin of Google GKE.\n"
                        "# The condition is removed, not set to False, when the node has been "
                        "rebooted.\n"
                        "# Source: GoogleCloudPlatform/container-engine-accelerators 992db81, "
                        "pkg/gpu/nvidia/health_check.\n"
                        "gke:\n"
                        "  - {type: XidCriticalError, effect: Exclude, recovery: 10m}\n"));
}

TEST(HealthProfilesYaml, TellsWhatIsMaintenance) {
  EXPECT_THAT(
      HealthProfilesYaml(),
      HasSubstr("  - {type: Drained, effect: Exclude, staleAfter: 0s, maintenance: true}\n"));
}

TEST(HealthProfiles, AreReadByName) {
  EXPECT_THAT(Read("  profiles: [npd, lifecycle]\n").profiles,
              ElementsAre(HealthProfile::kNpd, HealthProfile::kLifecycle));
  EXPECT_THAT(Read("  profiles: []\n").profiles, IsEmpty());
}

TEST(HealthProfiles, AreThatOfPfnWithoutAWord) {
  EXPECT_THAT(Read("  staleAfter: 5m\n").profiles, ElementsAre(HealthProfile::kPfn));
  EXPECT_THAT(Read("  conditions:\n").profiles, ElementsAre(HealthProfile::kPfn));
}

// A file from before there were profiles means what it meant.
TEST(HealthProfiles, AreNoneWhereOnlyConditionsAreListed) {
  const std::string conditions = "  conditions: [{type: Mine, effect: Exclude}]\n";
  EXPECT_THAT(Read(conditions).profiles, IsEmpty());
  EXPECT_THAT(Read("  conditions: []\n").profiles, IsEmpty());
  const HealthConfig both = Read("  profiles: [gke]\n" + conditions);
  EXPECT_THAT(both.profiles, ElementsAre(HealthProfile::kGke));
  EXPECT_THAT(both.conditions, SizeIs(1));
}

TEST(HealthProfiles, MistakesAreNamed) {
  EXPECT_THAT(ErrorsOfHealth("  profiles: [nvidia]\n"),
              HasSubstr("f:4: health.profiles[0]: must be one of npd, pfn, probe, nvsentinel, eks, "
                        "aks, gke, nebius, amd, lifecycle, got \"nvidia\""));
  EXPECT_THAT(ErrorsOfHealth("  profiles: [pfn, eks, pfn]\n"),
              HasSubstr("f:4: health.profiles[2]: is listed before; remove one"));
}

TEST(BadStatus, IsTrueOrFalse) {
  const auto bad = [](const std::string& status) {
    return Read("  conditions: [{type: A, effect: Exclude, badStatus: " + status + "}]\n")
        .conditions.at(0)
        .bad_status;
  };
  EXPECT_EQ(bad("\"False\""), policies::scheduling::BadStatus::kFalse);
  EXPECT_EQ(bad("False"), policies::scheduling::BadStatus::kFalse);
  EXPECT_EQ(bad("\"True\""), policies::scheduling::BadStatus::kTrue);
  EXPECT_THAT(ErrorsOfHealth("  conditions: [{type: A, effect: Exclude, badStatus: Unknown}]\n"),
              HasSubstr("health.conditions[0].badStatus: must be one of True, False, got "
                        "\"Unknown\""));
}

TEST(Maintenance, IsToldOnlyWhereTheEntrySaysSo) {
  const auto maintenance = [](const std::string& rest) {
    return Read("  conditions: [{type: A, effect: Exclude" + rest + "}]\n")
        .conditions.at(0)
        .IsMaintenance();
  };
  EXPECT_FALSE(maintenance(""));
  EXPECT_FALSE(maintenance(", maintenance: false"));
  EXPECT_TRUE(maintenance(", maintenance: true"));
  EXPECT_TRUE(maintenance(", maxRuntime: 1h"));
  EXPECT_THAT(ErrorsOfHealth("  conditions: [{type: A, effect: Exclude, maintenance: yes}]\n"),
              HasSubstr("health.conditions[0].maintenance: must be true or false, got \"yes\""));
}

TEST(StaleAfter, OfAnEntryMayBeLeftOutAndMayBeNever) {
  const auto stale_after = [](const std::string& rest) {
    return Read("  conditions: [{type: A, effect: Exclude" + rest + "}]\n")
        .conditions.at(0)
        .stale_after;
  };
  EXPECT_EQ(stale_after(""), std::nullopt);
  EXPECT_EQ(stale_after(", staleAfter: 0s"), model::Duration(0));
  EXPECT_EQ(stale_after(", staleAfter: 20m"), model::Duration(1200));
  EXPECT_THAT(ErrorsOfHealth("  conditions: [{type: A, effect: Exclude, staleAfter: -1s}]\n"),
              HasSubstr("health.conditions[0].staleAfter: must not be negative; 0s means never"));
}

}  // namespace
}  // namespace berth::config
