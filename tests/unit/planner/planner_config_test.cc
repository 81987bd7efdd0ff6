#include "planner/config.h"

#include "gmock/gmock.h"

namespace berth::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> ErrorsOf(const PlannerConfig& config) {
  std::vector<std::pair<std::string, std::string>> errors;
  for (const model::FieldError& error : Validate(config)) {
    errors.emplace_back(error.path, error.message);
  }
  return errors;
}

TEST(PlannerConfig, TheDefaultsAndNoSchedulerAreValid) {
  EXPECT_THAT(ErrorsOf({}), IsEmpty());
  EXPECT_THAT(ErrorsOf({.schedulers = {}, .backlog = {.pods = 0}}), IsEmpty());
}

TEST(PlannerConfig, EachSchedulerHasANameOfItsOwn) {
  EXPECT_THAT(ErrorsOf({.schedulers = {"berth", "", "berth"}, .backlog = {}}),
              ElementsAre(Pair("planner.schedulers[1]", HasSubstr("must not be empty")),
                          Pair("planner.schedulers[2]", HasSubstr("listed twice"))));
}

TEST(PlannerConfig, TheHeadIsWithinBounds) {
  for (const int pods : {-1, 10001}) {
    EXPECT_THAT(ErrorsOf({.schedulers = {}, .backlog = {.pods = pods}}),
                ElementsAre(Pair("planner.backlog.pods", HasSubstr("0 to 10000"))));
  }
  EXPECT_THAT(ErrorsOf({.schedulers = {}, .backlog = {.pods = 10000}}), IsEmpty());
}

TEST(PlannerConfig, WhatGangsMayTakeIsWithinBounds) {
  PlannerConfig config;
  config.gangs = {.enabled = true,
                  .timeout = model::Duration{29},
                  .max_share = 1.5,
                  .backfill = model::Duration{-1},
                  .ungate_after = model::Duration{-1}};
  EXPECT_THAT(ErrorsOf(config),
              ElementsAre(Pair("planner.gangs.timeout", HasSubstr("at least 30s")),
                          Pair("planner.gangs.maxShare", HasSubstr("from 0 to 1")),
                          Pair("planner.gangs.backfill", HasSubstr("must not be negative")),
                          Pair("planner.gangs.ungateAfter", HasSubstr("must not be negative"))));
}

TEST(PlannerConfig, APreflightIsWhatCanRun) {
  PlannerConfig config;
  config.gangs.preflight = {.image = "image:1"};
  EXPECT_THAT(ErrorsOf(config), IsEmpty());
  config.gangs.preflight = {.image = "no image",
                            .min_nodes = 1,
                            .condition = "not a type",
                            .node_fault_code = 256,
                            .timeout = std::chrono::hours(2),
                            .port = 0,
                            .run_as_user = -1};
  const std::string at = "planner.gangs.preflight.";
  EXPECT_THAT(
      ErrorsOf(config),
      ElementsAre(Pair(at + "image", HasSubstr("registry.example/all-reduce:1")),
                  Pair(at + "minNodes", HasSubstr("single nodes are what controller.activeChecks")),
                  Pair(at + "condition", HasSubstr("not the type of a condition")),
                  Pair(at + "nodeFaultCode", HasSubstr("from 1 to 255, got 256; write 3")),
                  Pair(at + "timeout", HasSubstr("from 1s to 1h, got 2h; write 5m")),
                  Pair(at + "port", HasSubstr("from 1 to 65535, got 0")),
                  Pair(at + "runAsUser", HasSubstr("write 65534 for nobody"))));
}

TEST(PlannerConfig, APreflightWithoutAnImageNeverRuns) {
  PlannerConfig config;
  config.gangs.preflight.command = {"/all-reduce"};
  EXPECT_THAT(ErrorsOf(config),
              ElementsAre(Pair("planner.gangs.preflight.image", HasSubstr("never runs"))));
}

TEST(PlannerConfig, EachLeaseIsNamedOnce) {
  PlannerConfig config;
  config.gangs.scheduler_leases = {{"kube-system", "kube-scheduler"},
                                   {"ml", "kube-scheduler"},
                                   {"kube-system", "kube-scheduler"}};
  EXPECT_THAT(ErrorsOf(config), ElementsAre(Pair("planner.gangs.schedulerLeases[2]",
                                                 HasSubstr("\"kube-system/kube-scheduler\""))));
}

TEST(PlannerConfig, GangsArePlannedWhereThatIsOnAndAnyPodsArePlanned) {
  PlannerConfig config;
  EXPECT_FALSE(PlansGangs(config));
  config.gangs.enabled = true;
  EXPECT_TRUE(PlansGangs(config));
  config.schedulers.clear();
  EXPECT_FALSE(PlansGangs(config));
}

TEST(PlannerConfig, EachLevelOfTheTopologyHasALabelOfItsOwn) {
  PlannerConfig config;
  config.topology = {{"rack"}, {""}, {"rack"}};
  EXPECT_THAT(ErrorsOf(config),
              ElementsAre(Pair("planner.topology[1].label", HasSubstr("must not be empty")),
                          Pair("planner.topology[2].label", HasSubstr("listed twice"))));
}

}  // namespace
}  // namespace berth::planner
