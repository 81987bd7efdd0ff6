#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "doctor/checks/all.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kKey[] = "berth.dev/excluded";

const model::Toleration kTolerates{.key = kKey, .op = "Exists", .effect = "NoSchedule"};

class CheckTaintsTest : public ::testing::Test {
 protected:
  CheckTaintsTest() {
    rules_.config.controller.taints = true;
    facts_.nodes = std::vector<model::Node>{GpuNode("v100-1"), CpuNode("cpu-1")};
    facts_.daemon_sets = std::vector<DaemonSetFacts>{};
  }

  Finding Judge(std::vector<DaemonSetFacts> sets) {
    facts_.daemon_sets = std::move(sets);
    return Only(checks::Taints().run(facts_, rules_.rules()));
  }

  DefaultRules rules_;
  Facts facts_ = NoFacts();
};

DaemonSetFacts Detector(std::vector<model::Toleration> tolerations = {}) {
  return {.namespace_name = "kube-system",
          .name = "node-problem-detector",
          .tolerations = std::move(tolerations)};
}

TEST_F(CheckTaintsTest, NameTheDaemonSetsThatDoNotTolerateTheTaint) {
  const Finding finding =
      Judge({Detector(), {.namespace_name = "gpu", .name = "plugin", .tolerations = {kTolerates}}});
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_THAT(finding.what, HasSubstr("1 DaemonSet has pods on nodes with accelerators"));
  EXPECT_THAT(finding.what, HasSubstr("kube-system/node-problem-detector"));
  EXPECT_THAT(finding.what, Not(HasSubstr("gpu/plugin")));
  EXPECT_THAT(finding.advice,
              HasSubstr("{key: berth.dev/excluded, operator: Exists, effect: NoSchedule}"));
}

TEST_F(CheckTaintsTest, WhatAutoscalersNeedIsNoted) {
  for (const model::Toleration& toleration : {kTolerates, model::Toleration{.op = "Exists"}}) {
    const Finding finding = Judge({Detector({toleration})});
    EXPECT_EQ(finding.severity, Severity::kNote);
    EXPECT_THAT(finding.advice, HasSubstr("--status-taint=berth.dev/excluded"));
  }
}

// The taint has another value with each condition.
TEST_F(CheckTaintsTest, AToleratedValueIsNotEnough) {
  EXPECT_EQ(Judge({Detector({{.key = kKey, .op = "Equal", .value = "GPUIsLost"}})}).severity,
            Severity::kProblem);
}

TEST_F(CheckTaintsTest, DaemonSetsOfOtherNodesAreNotAskedFor) {
  DaemonSetFacts elsewhere = Detector();
  elsewhere.needs.selector = {{"pool", "cpu"}};
  EXPECT_EQ(Judge({elsewhere}).severity, Severity::kNote);
  facts_.nodes->at(0).taints = {{"dedicated", "ml", "NoSchedule"}};
  EXPECT_EQ(Judge({Detector()}).severity, Severity::kNote);
  EXPECT_EQ(Judge({Detector({{.key = "dedicated", .op = "Exists"}})}).severity, Severity::kProblem);
}

// It is there, and will not be after its next rollout.
TEST_F(CheckTaintsTest, DaemonSetsOfTaintedAndCordonedNodesAreAskedFor) {
  facts_.nodes->at(0).taints = {{kKey, "GPUIsLost", "NoSchedule"},
                                {"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  EXPECT_EQ(Judge({Detector()}).severity, Severity::kProblem);
}

TEST_F(CheckTaintsTest, WithoutTheRightToLookItIsUnknown) {
  facts_.daemon_sets = absl::PermissionDeniedError("no right to list daemonsets");
  const Finding finding = Only(checks::Taints().run(facts_, rules_.rules()));
  EXPECT_EQ(finding.severity, Severity::kUnknown);
  EXPECT_EQ(finding.what, "no right to list daemonsets");
}

TEST_F(CheckTaintsTest, WhereTaintsAreOffNobodyHasToTolerateThem) {
  rules_.config.controller.taints = false;
  EXPECT_EQ(Judge({Detector()}).severity, Severity::kOk);
  facts_.daemon_sets = absl::PermissionDeniedError("no right to list daemonsets");
  EXPECT_EQ(Only(checks::Taints().run(facts_, rules_.rules())).severity, Severity::kOk);
}

TEST_F(CheckTaintsTest, TaintsThatAreLeftAreNamed) {
  rules_.config.controller.taints = false;
  facts_.nodes->at(0).taints = {{kKey, "", "NoSchedule"}};
  const Finding finding = Judge({});
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_THAT(finding.what, HasSubstr("1 node has the taint berth.dev/excluded"));
  EXPECT_THAT(finding.what, HasSubstr("v100-1"));
  EXPECT_THAT(finding.advice, HasSubstr("berth untaint"));
}

TEST_F(CheckTaintsTest, RulesThatOnlyObserveTaintNothing) {
  using Settings = policies::scheduling::PolicySettings<policies::scheduling::HealthPolicy>;
  std::get<Settings>(rules_.config.scheduling.policies.all).mode =
      policies::scheduling::Mode::kObserve;
  const Finding finding = Judge({Detector()});
  EXPECT_EQ(finding.severity, Severity::kNote);
  EXPECT_THAT(finding.what, HasSubstr("Observe"));
}

}  // namespace
}  // namespace berth::doctor
