#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/mutation.h"
#include "policies/admission/framework_profiles.h"
#include "process/engine.h"

// What authors hear who create each framework's smallest example of several pods, with its profile
// and without. The end-to-end tests create the same examples in front of the real controllers.

namespace berth::cli {
namespace {

using policies::admission::Framework;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string Example(Framework framework) {
  const std::string name(policies::admission::NameOf(framework));
  std::ifstream file("tests/golden/frameworks/" + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Preview> PreviewsWith(const std::vector<Framework>& frameworks,
                                  const std::string& manifest) {
  config::BerthConfiguration config;
  config.admission.judgement.frameworks = frameworks;
  const Creation by_alice{.namespace_name = "team",
                          .rules = {.mode = policies::admission::Mode::kEnforce},
                          .user = {.name = "alice", .groups = {}}};
  return PreviewsOf(ParseManifest(manifest, "f"), *process::MakeReviewer(config), by_alice);
}

std::vector<Preview> PreviewsWith(const std::vector<Framework>& frameworks, Framework example) {
  return PreviewsWith(frameworks, Example(example));
}

std::vector<std::string> WarningsWith(const std::vector<Framework>& frameworks, Framework example) {
  return PreviewsWith(frameworks, example).front().warnings;
}

struct FrameworkCase {
  Framework framework;
  // The containers whose size is foretold.
  std::vector<std::string> containers;
};

TEST(Frameworks, EveryTemplateIsForetold) {
  for (const FrameworkCase& c :
       std::vector<FrameworkCase>{{Framework::kJobSet, {"train"}},
                                  {Framework::kMpiOperator, {"launcher", "worker"}},
                                  {Framework::kTrainingOperator, {"pytorch"}},
                                  {Framework::kTrainer, {"node"}},
                                  {Framework::kKubeRay, {"head", "worker"}},
                                  {Framework::kLeaderWorkerSet, {"leader", "worker"}}}) {
    const auto name = policies::admission::NameOf(c.framework);
    const std::vector<std::string> warnings = WarningsWith({c.framework}, c.framework);
    EXPECT_THAT(warnings, Each(StartsWith("berth, pods"))) << name;
    for (const std::string& container : c.containers) {
      EXPECT_THAT(warnings, Contains(HasSubstr("cpu and memory of '" + container + "' set to")))
          << name;
    }
  }
}

// JobSet restarts them, so job-retries leaves them alone when it creates them.
TEST(Frameworks, NothingIsForetoldOfRetriesThatJobsKeep) {
  for (const Framework framework : {Framework::kJobSet, Framework::kTrainer}) {
    const std::vector<std::string> warnings = WarningsWith({framework}, framework);
    EXPECT_THAT(warnings, Not(IsEmpty()));
    EXPECT_THAT(warnings, Each(Not(HasSubstr("backoffLimit"))));
    EXPECT_THAT(warnings, Each(Not(HasSubstr("podFailurePolicy"))));
  }
}

TEST(Frameworks, WithoutAProfileTheAuthorHearsWhichOneToList) {
  for (const Framework framework :
       {Framework::kJobSet, Framework::kMpiOperator, Framework::kTrainingOperator,
        Framework::kTrainer, Framework::kKubeRay, Framework::kLeaderWorkerSet}) {
    const Preview preview = PreviewsWith({}, framework).front();
    const std::string name(policies::admission::NameOf(framework));
    EXPECT_THAT(preview.warnings, IsEmpty()) << name;
    EXPECT_THAT(preview.not_reviewed, HasSubstr("list " + name + " in admission.frameworks"));
  }
}

// A Workflow has parts of pods, which only its controller puts together.
TEST(Frameworks, NothingIsForetoldOfWorkflows) {
  const Preview preview = PreviewsWith({Framework::kArgo}, Framework::kArgo).front();
  EXPECT_THAT(preview.warnings, IsEmpty());
  EXPECT_THAT(preview.not_reviewed, HasSubstr("Berth reviews them when they are created"));
}

constexpr char kCounts[] = "berth: Kueue counts the requests in the templates";

// Its quota and topology follow what the object says, not what its pods get.
TEST(Frameworks, WhatKueueCountsIsForetold) {
  EXPECT_THAT(WarningsWith({Framework::kJobSet, Framework::kKueue}, Framework::kKueue),
              Contains(StartsWith(kCounts)));
  EXPECT_THAT(WarningsWith({Framework::kJobSet}, Framework::kKueue),
              Not(Contains(StartsWith(kCounts))));
  // This one says what its pods will get: requests equal limits by default, to Kueue, too.
  std::string precise = Example(Framework::kKueue);
  const std::string device = "nvidia.com/gpu: 1";
  ASSERT_THAT(precise, HasSubstr(device));
  precise.replace(precise.find(device), device.size(), device + ", cpu: 2, memory: 8Gi");
  EXPECT_THAT(PreviewsWith({Framework::kJobSet, Framework::kKueue}, precise).front().warnings,
              Not(Contains(StartsWith(kCounts))));
  // This one is in no queue.
  EXPECT_THAT(WarningsWith({Framework::kJobSet, Framework::kKueue}, Framework::kJobSet),
              Not(Contains(StartsWith(kCounts))));
}

}  // namespace
}  // namespace berth::cli
