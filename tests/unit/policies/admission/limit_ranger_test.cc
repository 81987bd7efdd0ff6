#include "policies/admission/limit_ranger.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/unit/policies/admission/sizes.h"

namespace berth::policies::admission {
namespace {

LimitRangerDefaults Read(std::string text) {
  return LimitRangerDefaults({{"kubernetes.io/limit-ranger", std::move(text)}});
}

model::Container InitNamed(std::string name) {
  model::Container container = MakeContainer(std::move(name));
  container.init = true;
  return container;
}

TEST(LimitRangerDefaultsTest, AreTheLimitsThatTheAnnotationNames) {
  const LimitRangerDefaults defaults = Read(
      "LimitRanger plugin set: cpu, ephemeral-storage, memory request for container a; "
      "cpu, memory limit for container a; memory limit for init container b");
  EXPECT_TRUE(defaults.HasLimit(MakeContainer("a"), Compute::kCpu));
  EXPECT_TRUE(defaults.HasLimit(MakeContainer("a"), Compute::kMemory));
  EXPECT_TRUE(defaults.HasLimit(InitNamed("b"), Compute::kMemory));
  EXPECT_FALSE(defaults.HasLimit(InitNamed("b"), Compute::kCpu));
  EXPECT_FALSE(defaults.HasLimit(InitNamed("a"), Compute::kCpu));
  EXPECT_FALSE(defaults.HasLimit(MakeContainer("b"), Compute::kMemory));
}

TEST(LimitRangerDefaultsTest, KnowRequestsThatNobodyWrote) {
  const LimitRangerDefaults defaults = Read(
      "LimitRanger plugin set: cpu, memory request for container a; memory limit for container a");
  EXPECT_TRUE(defaults.HasRequest(MakeContainer("a"), Compute::kCpu));
  EXPECT_FALSE(defaults.HasRequest(MakeContainer("b"), Compute::kCpu));
  EXPECT_FALSE(defaults.HasRequest(InitNamed("a"), Compute::kCpu));
  EXPECT_TRUE(defaults.HasNothingButRequest(Sized("a", "10m/-", "16Mi/1Gi"), Compute::kCpu));
  EXPECT_FALSE(defaults.HasNothingButRequest(Sized("a", "10m/-", "16Mi/1Gi"), Compute::kMemory));
  EXPECT_FALSE(defaults.HasNothingButRequest(Sized("a", "-", "-"), Compute::kCpu));
}

TEST(LimitRangerDefaultsTest, RequestsAreNone) {
  const LimitRangerDefaults defaults =
      Read("LimitRanger plugin set: cpu, memory request for container a");
  EXPECT_FALSE(defaults.HasLimit(MakeContainer("a"), Compute::kMemory));
}

TEST(LimitRangerDefaultsTest, OtherTextsNameNone) {
  for (const char* text : {"", "memory limit for container a",
                           "LimitRanger plugin set: ", "LimitRanger plugin set: ;;",
                           "LimitRanger plugin set: memory limit for ",
                           "LimitRanger plugin set: limit for container a",
                           "LimitRanger plugin set: memory limit for container ab"}) {
    EXPECT_FALSE(Read(text).HasLimit(MakeContainer("a"), Compute::kMemory)) << text;
  }
  EXPECT_FALSE(LimitRangerDefaults({}).HasLimit(MakeContainer("a"), Compute::kMemory));
}

}  // namespace
}  // namespace berth::policies::admission
