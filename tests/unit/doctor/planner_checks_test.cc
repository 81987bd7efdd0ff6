#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "doctor/checks/all.h"
#include "policies/admission/gangs.h"
#include "tests/unit/doctor/fixtures.h"

// The checks that depend on whether a controller plans for kube-scheduler's pods.

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

// A kube-scheduler that looks at samples, and a controller that leads.
class Planned : public ::testing::Test {
 protected:
  Planned() {
    facts_.scheduler = GoodSchedulerConfig();
    facts_.scheduler->percentage.reset();
    facts_.leader = LeaderFacts{.lease = "berth-controller",
                                .exists = true,
                                .holder = "berth-controller-0",
                                .renewed = kNow};
  }

  Finding Sampling() const { return Only(checks::Sampling().run(facts_, rules_.rules())); }
  Finding Planner() const { return Only(checks::Planner().run(facts_, rules_.rules())); }

  Facts facts_ = NoFacts();
  DefaultRules rules_;
};

TEST_F(Planned, SamplesAreFine) {
  EXPECT_EQ(Sampling().severity, Severity::kOk) << Sampling().what;
  EXPECT_EQ(Planner().severity, Severity::kOk) << Planner().what;
  EXPECT_EQ(Planner().what, "berth-controller-0 plans for pods of berth");
}

TEST_F(Planned, ClocksMayDiffer) {
  facts_.leader->renewed = kNow - std::chrono::seconds(30);
  EXPECT_EQ(Planner().severity, Severity::kOk);
  facts_.leader->renewed = kNow + std::chrono::minutes(5);
  EXPECT_EQ(Planner().severity, Severity::kOk);
}

TEST_F(Planned, NotByAControllerThatIsGone) {
  facts_.leader->renewed = kNow - std::chrono::minutes(2);
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_EQ(Planner().what,
            "no controller leads, so pods of berth get no planned node: berth-controller-0 renewed "
            "Lease berth-controller 2m ago");
  EXPECT_THAT(Planner().advice, HasSubstr("berth-controller"));
  EXPECT_EQ(Sampling().severity, Severity::kWarning);
  EXPECT_THAT(Sampling().what, HasSubstr("profile berth of scheduler.yaml looks at a sample"));
  EXPECT_THAT(Sampling().advice, HasSubstr("see check planner"));
}

TEST_F(Planned, NotByNobody) {
  facts_.leader->holder.clear();
  EXPECT_THAT(Planner().what, HasSubstr("nobody holds Lease berth-controller"));
  facts_.leader->exists = false;
  EXPECT_THAT(Planner().what, HasSubstr("Lease berth-controller does not exist"));
}

TEST_F(Planned, PerhapsIfTheLeaseCannotBeRead) {
  facts_.leader = absl::PermissionDeniedError("no right to get leases");
  EXPECT_EQ(Sampling().severity, Severity::kNote);
  EXPECT_THAT(Sampling().what, HasSubstr("is not known: no right to get leases"));
}

TEST_F(Planned, EveryNodeIsLookedAtTwice) {
  facts_.scheduler->percentage = 100;
  EXPECT_EQ(Sampling().severity, Severity::kNote);
  EXPECT_THAT(Sampling().what, HasSubstr("without percentageOfNodesToScore"));
  facts_.leader->holder.clear();
  EXPECT_EQ(Sampling().severity, Severity::kOk) << "it is all that looks at every node";
}

TEST_F(Planned, SwitchedOff) {
  rules_.config.planner.schedulers.clear();
  facts_.leader->exists = false;
  facts_.leader->holder.clear();
  EXPECT_EQ(Planner().severity, Severity::kOk);
  EXPECT_EQ(Sampling().severity, Severity::kWarning);
  EXPECT_THAT(Sampling().advice, HasSubstr("add berth to planner.schedulers"));
}

TEST_F(Planned, GangsThatTheWebhookGates) {
  using Settings = policies::admission::PolicySettings<policies::admission::GangsPolicy>;
  auto& mode = std::get<Settings>(rules_.config.admission.judgement.policies.all).mode;
  rules_.config.planner.gangs.enabled = true;
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_THAT(Planner().advice, HasSubstr("admission.policies.gangs.mode: Enforce"));
  mode = policies::admission::Mode::kEnforce;
  EXPECT_EQ(Planner().severity, Severity::kOk) << Planner().what;
  rules_.config.planner.gangs.enabled = false;
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_THAT(Planner().what, HasSubstr("nobody plans gangs"));
  EXPECT_THAT(Planner().advice, HasSubstr("planner.gangs.enabled: true"));
}

TEST_F(Planned, GangsThatWaitForPodGroups) {
  using Settings = policies::admission::PolicySettings<policies::admission::GangsPolicy>;
  auto& settings = std::get<Settings>(rules_.config.admission.judgement.policies.all);
  settings.mode = policies::admission::Mode::kEnforce;
  settings.config.hold = policies::admission::GangHold::kPodGroup;
  rules_.config.planner.gangs.enabled = true;
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_THAT(Planner().advice, HasSubstr("planner.gangs.podGroups: true"));
  rules_.config.planner.gangs.pod_groups = true;
  facts_.pod_groups = true;
  EXPECT_EQ(Planner().severity, Severity::kOk) << Planner().what;
  facts_.pod_groups = false;
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_THAT(Planner().advice, HasSubstr("GenericWorkload"));
}

TEST_F(Planned, GangsByAKubeSchedulerThatReadsPodsOnlyOnceItLeads) {
  using Settings = policies::admission::PolicySettings<policies::admission::GangsPolicy>;
  std::get<Settings>(rules_.config.admission.judgement.policies.all).mode =
      policies::admission::Mode::kEnforce;
  rules_.config.planner.gangs.enabled = true;
  facts_.scheduler->delays_cache = true;
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_THAT(Planner().what, HasSubstr("scheduler.yaml has delayCacheUntilActive"));
  EXPECT_THAT(Planner().advice, HasSubstr("remove delayCacheUntilActive"));
}

TEST_F(Planned, SinglePodsByAKubeSchedulerThatReadsPodsOnlyOnceItLeads) {
  facts_.scheduler->delays_cache = true;
  EXPECT_EQ(Planner().severity, Severity::kOk) << Planner().what;
}

TEST_F(Planned, GatedGangsWhileThePlannerIsOff) {
  using Settings = policies::admission::PolicySettings<policies::admission::GangsPolicy>;
  std::get<Settings>(rules_.config.admission.judgement.policies.all).mode =
      policies::admission::Mode::kEnforce;
  rules_.config.planner.gangs.enabled = true;
  rules_.config.planner.schedulers.clear();
  const Findings found = checks::Planner().run(facts_, rules_.rules());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].what, HasSubstr("nobody plans gangs"));
}

TEST_F(Planned, SomebodyWhomNobodyKnows) {
  rules_.config.planner.schedulers = {"berth", "mine"};
  EXPECT_EQ(Planner().severity, Severity::kWarning);
  EXPECT_EQ(Planner().what,
            "planner.schedulers names mine, but scheduler.yaml has no such profile");
  EXPECT_THAT(Planner().advice, HasSubstr("write planner.schedulers: [berth]"));
}

TEST_F(Planned, ByWhatIsKnownOfKubeScheduler) {
  facts_.scheduler = absl::NotFoundError("no ConfigMap");
  EXPECT_EQ(Planner().severity, Severity::kOk);
  facts_.scheduler = GoodSchedulerConfig();
  facts_.scheduler->extenders.clear();
  EXPECT_EQ(Planner().severity, Severity::kOk) << "check registered's";
}

TEST_F(Planned, OnlySomeProfiles) {
  facts_.scheduler->profiles.push_back({.name = "mine"});
  const Findings found = checks::Sampling().run(facts_, rules_.rules());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].what, HasSubstr("profile mine of"));
  EXPECT_EQ(found[1].severity, Severity::kOk);
}

}  // namespace
}  // namespace berth::doctor
