#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "doctor/checks/all.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

class CheckDeviceClassesTest : public ::testing::Test {
 protected:
  CheckDeviceClassesTest() {
    rules_.config.extender.shortlist.size = 8;
    facts_.pods = std::vector<PodFacts>{GpuPod("train-0")};
  }

  Findings Judge(std::vector<DeviceClassFacts> classes) {
    facts_.device_classes = std::move(classes);
    return checks::DeviceClasses().run(facts_, rules_.rules());
  }

  DefaultRules rules_;
  Facts facts_ = NoFacts();
};

const DeviceClassFacts kGpuClass{.name = "gpu.nvidia.com", .resource = "nvidia.com/gpu"};

TEST_F(CheckDeviceClassesTest, OthersDevicesAreNoneOfItsBusiness) {
  for (const std::vector<DeviceClassFacts>& classes :
       {std::vector<DeviceClassFacts>{},
        {{.name = "nic", .resource = ""}},
        {{.name = "nic", .resource = "example.com/nic"}}}) {
    const Finding finding = Only(Judge(classes));
    EXPECT_EQ(finding.severity, Severity::kOk) << finding.what;
    EXPECT_EQ(finding.what, "no DeviceClass serves a resource of the catalogue");
  }
}

TEST_F(CheckDeviceClassesTest, ServedResourcesGetAllNodes) {
  const Finding finding = Only(Judge({kGpuClass, {.name = "nic", .resource = ""}}));
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_THAT(finding.what, HasSubstr("gpu.nvidia.com (nvidia.com/gpu)"));
  EXPECT_THAT(finding.advice, HasSubstr("extender.shortlist.deviceClassResources"));
  rules_.config.extender.shortlist.device_class_resources = {"nvidia.com/gpu"};
  EXPECT_EQ(Only(Judge({kGpuClass})).severity, Severity::kOk);
}

TEST_F(CheckDeviceClassesTest, WithoutAShortlistThereIsNothingToList) {
  rules_.config.extender.shortlist.size = 0;
  EXPECT_EQ(Only(Judge({kGpuClass})).severity, Severity::kOk);
}

TEST_F(CheckDeviceClassesTest, WhatNoClassServesAnyMoreNeedNotBeListed) {
  rules_.config.extender.shortlist.device_class_resources = {"nvidia.com/gpu", "example.com/nic"};
  const Finding finding = Only(Judge({kGpuClass}));
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_THAT(finding.what, HasSubstr("example.com/nic"));
  EXPECT_THAT(finding.what, ::testing::Not(HasSubstr("nvidia.com/gpu")));
}

TEST_F(CheckDeviceClassesTest, PodsThatNameTheClassItselfPassBerth) {
  rules_.config.extender.shortlist.size = 0;
  PodFacts pod{.namespace_name = "ml", .name = "tune-0"};
  pod.requests.Set("deviceclass.resource.kubernetes.io/gpu.nvidia.com", 1);
  facts_.pods->push_back(pod);
  const Finding finding = Only(Judge({kGpuClass}));
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_THAT(finding.what, HasSubstr("ml/tune-0 (gpu.nvidia.com)"));
  EXPECT_THAT(finding.what, ::testing::Not(HasSubstr("train-0")));
  EXPECT_THAT(finding.advice, HasSubstr("nvidia.com/gpu"));
  EXPECT_EQ(Only(Judge({{.name = "gpu.nvidia.com", .resource = ""}})).severity, Severity::kOk)
      << "of no catalogue";
}

TEST_F(CheckDeviceClassesTest, JudgesWithoutPodsWhatItCan) {
  facts_.pods = absl::PermissionDeniedError("no right to list pods");
  EXPECT_EQ(Only(Judge({kGpuClass})).severity, Severity::kWarning);
}

}  // namespace
}  // namespace berth::doctor
