#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>

#include "doctor/checks/all.h"
#include "policies/admission/checkpoint.h"
#include "tests/unit/doctor/fixtures.h"

// The checks of pods, each by what is changed in a cluster that is well.

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;

struct PodCase {
  std::string name;
  Findings (*check)(const Facts&, const Rules&);
  std::function<void(Facts&)> change;
  Severity severity;
  std::string what;
  std::string advice;
};

PodFacts CpuPod(const std::string& name, std::int64_t cores) {
  PodFacts pod{.namespace_name = "web", .name = name, .node = "cpu-1"};
  pod.requests.Set("cpu", cores * 1000);
  return pod;
}

Facts Healthy() {
  Facts facts = NoFacts();
  facts.nodes = std::vector<model::Node>{GpuNode("v100-1"), CpuNode("cpu-1")};
  facts.pods = std::vector<PodFacts>{GpuPod("train-0"), CpuPod("web-0", 8)};
  facts.namespaces = std::vector<NamespaceFacts>{{"ml", {{"berth.dev/admission", "enforce"}}},
                                                 {"web", {{"berth.dev/admission", "enforce"}}}};
  facts.claims = std::vector<ClaimFacts>{{"ml", "checkpoints", {"ReadWriteMany"}},
                                         {"ml", "local", {"ReadWriteOnce"}}};
  facts.scheduler = GoodSchedulerConfig();
  return facts;
}

PodFacts& Train(Facts& facts) { return facts.pods->front(); }
PodFacts& Web(Facts& facts) { return facts.pods->back(); }

/// A term for each, of more memory than that; "": of something else.
std::shared_ptr<const model::NodeNeeds> NeedsOfMemory(const std::vector<std::string>& more_than) {
  model::NodeNeeds needs{.selector = {}, .terms = {{}}};
  for (const std::string& gibibytes : more_than) {
    model::NodeRequirement requirement{"berth.dev/accelerator-memory", "Gt", {gibibytes}};
    if (gibibytes.empty()) requirement = {"zone", "In", {"a"}};
    needs.terms->push_back({.expressions = {requirement}});
  }
  return std::make_shared<const model::NodeNeeds>(std::move(needs));
}

class PodTable : public ::testing::TestWithParam<PodCase> {};

TEST_P(PodTable, Judges) {
  const PodCase& test = GetParam();
  Facts facts = Healthy();
  test.change(facts);
  const Finding finding = Only(test.check(facts, DefaultRules().rules()));
  EXPECT_EQ(finding.severity, test.severity) << finding.what;
  EXPECT_THAT(finding.what, HasSubstr(test.what));
  EXPECT_THAT(finding.advice, HasSubstr(test.advice));
}

void LeavePods(Facts&) {}

std::shared_ptr<const model::NodeNeeds> Needs(std::string zone) {
  return std::make_shared<const model::NodeNeeds>(
      model::NodeNeeds{.selector = {{"berth.dev/accelerator", std::move(zone)}}});
}

INSTANTIATE_TEST_SUITE_P(All, PodTable,
                         ::testing::
                             Values(
                                 PodCase{"PlacedWell", checks::Bypass().run, LeavePods,
                                         Severity::kOk, "1 pod with accelerators", ""},
                                 PodCase{"OtherScheduler", checks::Bypass().run,
                                         [](Facts& facts) {
                                           Train(facts).scheduler = "default-scheduler";
                                         },
                                         Severity::kProblem, "ml/train-0 (default-scheduler)",
                                         "schedulerName: berth"},
                                 PodCase{"NobodyAsksBerth", checks::Bypass().run,
                                         [](Facts& facts) { facts.scheduler->extenders.clear(); },
                                         Severity::kProblem, "ml/train-0 (berth)",
                                         "see check registered"},
                                 PodCase{"CreatedWithItsNode", checks::Bypass().run,
                                         [](Facts& facts) { Train(facts).created_bound = true; },
                                         Severity::kWarning, "ml/train-0 (on v100-1)",
                                         "nodeSelector"},
                                 PodCase{"StaticPodsHaveTheirNode", checks::Bypass().run,
                                         [](Facts& facts) {
                                           Train(facts).created_bound = Train(facts).mirror = true;
                                         },
                                         Severity::kOk, "", ""},
                                 PodCase{"PodsWithoutDevicesGoWhereTheyLike", checks::Bypass().run,
                                         [](Facts& facts) { Web(facts).created_bound = true; },
                                         Severity::kOk, "", ""},

                                 PodCase{"NoMinimum", checks::MemoryMinimum().run, LeavePods,
                                         Severity::kOk, "", ""},
                                 PodCase{"MinimumKept", checks::MemoryMinimum().run,
                                         [](Facts& facts) { Train(facts).memory_minimum = "40Gi"; },
                                         Severity::kOk, "", ""},
                                 PodCase{"MinimumUnheard", checks::MemoryMinimum().run,
                                         [](Facts& facts) {
                                           Train(facts).memory_minimum = "40Gi";
                                           Train(facts).scheduler = "volcano";
                                         },
                                         Severity::kWarning, "ml/train-0 (40Gi by volcano)",
                                         "node affinity to berth.dev/accelerator-memory"},
                                 PodCase{"MinimumSaidByAffinity", checks::MemoryMinimum().run,
                                         [](Facts& facts) {
                                           Train(facts).memory_minimum = "40Gi";
                                           Train(facts).scheduler = "volcano";
                                           Train(facts).needs = NeedsOfMemory({"39", "79"});
                                         },
                                         Severity::kOk, "", ""},
                                 PodCase{"MinimumSaidByOneTermOfTwo", checks::MemoryMinimum().run,
                                         [](Facts& facts) {
                                           Train(facts).memory_minimum = "40Gi";
                                           Train(facts).scheduler = "volcano";
                                           Train(facts).needs = NeedsOfMemory({"39", ""});
                                         },
                                         Severity::kWarning, "ml/train-0 (40Gi by volcano)", ""},

                                 PodCase{"AffinityHolds", checks::Affinity().run,
                                         [](Facts& facts) { Train(facts).needs = Needs("V100"); },
                                         Severity::kOk, "", ""},
                                 PodCase{"AffinityBroken", checks::Affinity().run,
                                         [](Facts& facts) { Train(facts).needs = Needs("A100"); },
                                         Severity::kWarning, "ml/train-0 (on v100-1)",
                                         "before the kubelets restart"},
                                 PodCase{"AffinityOfAWaitingPod", checks::Affinity().run,
                                         [](Facts& facts) {
                                           Train(facts).needs = Needs("A100");
                                           Train(facts).node = "";
                                         },
                                         Severity::kOk, "", ""},
                                 PodCase{"AffinityOnANodeThatHasGone", checks::Affinity().run,
                                         [](Facts& facts) {
                                           Train(facts).needs = Needs("A100");
                                           Train(facts).node = "gone";
                                         },
                                         Severity::kOk, "", ""},

                                 PodCase{"NoCheckpoints", checks::Checkpoints().run, LeavePods,
                                         Severity::kOk, "0 claims", ""},
                                 PodCase{"CheckpointsDeclined", checks::Checkpoints().run,
                                         [](Facts& facts) { Train(facts).checkpoint = "false"; },
                                         Severity::kOk, "0 claims", ""},
                                 PodCase{"DefaultClaim", checks::Checkpoints().run,
                                         [](Facts& facts) { Train(facts).checkpoint = "true"; },
                                         Severity::kOk, "1 claim", ""},
                                 PodCase{"ClaimMissing", checks::Checkpoints().run,
                                         [](Facts& facts) { Train(facts).checkpoint = "mine"; },
                                         Severity::kProblem,
                                         "ml/mine (for train-0)", "ReadWriteMany"},
                                 PodCase{"DefaultClaimMissing", checks::Checkpoints().run,
                                         [](Facts& facts) {
                                           Train(facts).checkpoint = "true";
                                           facts.claims->clear();
                                         },
                                         Severity::kProblem, "ml/checkpoints (for train-0)", ""},
                                 PodCase{"ClaimOfOneNode", checks::Checkpoints().run,
                                         [](Facts& facts) { Train(facts).checkpoint = "local"; },
                                         Severity::kWarning, "ml/local (for train-0)",
                                         "ReadWriteMany"},

                                 PodCase{"RoomForAll", checks::CpuCapacity().run, LeavePods,
                                         Severity::kOk, "", ""},
                                 PodCase{"TooManyCores", checks::CpuCapacity().run,
                                         [](Facts& facts) { Web(facts) = CpuPod("web-0", 65); },
                                         Severity::kProblem,
                                         "isolation is enforced in 2 namespaces, and its pods "
                                         "without accelerators request more than the nodes without "
                                         "accelerators have: cpu 65.0 of 64.0",
                                         "allow-accelerator-nodes"},
                                 PodCase{"TooMuchMemory", checks::CpuCapacity().run,
                                         [](Facts& facts) {
                                           Web(facts).requests.Set("memory",
                                                                   std::int64_t{300} << 30);
                                         },
                                         Severity::kProblem, "memory 300.0 GiB of 252.0 GiB", ""},
                                 PodCase{"DaemonsTakeTheirShare", checks::CpuCapacity().run,
                                         [](Facts& facts) {
                                           Web(facts) = CpuPod("web-0", 60);
                                           facts.pods->push_back(CpuPod("daemon", 5));
                                           Web(facts).owner = "DaemonSet";
                                         },
                                         Severity::kProblem, "cpu 60.0 of 59.0", ""},
                                 PodCase{
                                     "PodsWithDevicesDoNotCount", checks::CpuCapacity().run,
                                     [](Facts& facts) { Train(facts).requests.Set("cpu", 90'000); },
                                     Severity::kOk, "", ""},
                                 PodCase{"OtherNamespacesDoNotCount", checks::CpuCapacity().run,
                                         [](Facts& facts) {
                                           Web(facts) = CpuPod("web-0", 65);
                                           facts.namespaces->back().labels[0].second = "warn";
                                         },
                                         Severity::kOk, "", ""},
                                 PodCase{"NotEnforcedYet", checks::CpuCapacity().run,
                                         [](Facts& facts) {
                                           Web(facts) = CpuPod("web-0", 65);
                                           facts.namespaces->clear();
                                         },
                                         Severity::kNote, "if isolation were enforced everywhere",
                                         ""}),
                         [](const auto& param_info) { return param_info.param.name; });

// A pod of a Job that should have been gone a minute ago, on a node that is lost.
Facts WithHangingPod() {
  Facts facts = Healthy();
  facts.nodes->front().conditions.push_back({.type = "Ready",
                                             .status = model::ConditionStatus::kUnknown,
                                             .last_transition = kNow - std::chrono::hours(3)});
  Train(facts).job = "train";
  Train(facts).deleted = kNow - std::chrono::minutes(1);
  return facts;
}

TEST(CheckLostNodes, NamesThePodsAndSaysHowToFreeTheirJobs) {
  const Finding finding = Only(checks::LostNodes().run(WithHangingPod(), DefaultRules().rules()));
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_THAT(finding.what, HasSubstr("ml/train-0 (on v100-1, not Ready for 3h)"));
  EXPECT_THAT(finding.advice,
              HasSubstr("kubectl taint node v100-1 "
                        "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"));
}

TEST(CheckLostNodes, LeadsToTheControllerWhereItEndsPods) {
  DefaultRules rules;
  rules.config.controller.lost_nodes.force_delete_after = std::chrono::minutes(15);
  const Finding finding = Only(checks::LostNodes().run(WithHangingPod(), rules.rules()));
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_THAT(finding.advice, HasSubstr("after 15m"));
  EXPECT_THAT(finding.advice, HasSubstr("check rights"));
}

TEST(CheckLostNodes, FindsNothingElsewhere) {
  const std::function<void(Facts&)> changes[] = {
      [](Facts& facts) { facts.nodes->front().conditions.clear(); },
      [](Facts& facts) { Train(facts).job.clear(); },
      [](Facts& facts) { Train(facts).deleted = kNow + std::chrono::seconds(1); },
      [](Facts& facts) { Train(facts).node = "cpu-1"; },
  };
  for (const auto& change : changes) {
    Facts facts = WithHangingPod();
    change(facts);
    EXPECT_EQ(Only(checks::LostNodes().run(facts, DefaultRules().rules())).severity, Severity::kOk);
  }
}

TEST(CheckCheckpoints, InAnObjectStoreNeedNoClaim) {
  DefaultRules rules;
  using Settings = policies::admission::PolicySettings<policies::admission::CheckpointPolicy>;
  auto& config = std::get<Settings>(rules.config.admission.judgement.policies.all).config;
  config.target = policies::admission::CheckpointTarget::kObjectStore;
  config.uri = "s3://bucket";
  Facts facts = Healthy();
  Train(facts).checkpoint = "mine";
  EXPECT_EQ(Only(checks::Checkpoints().run(facts, rules.rules())).severity, Severity::kOk);
}

TEST(CheckCpuCapacity, WhereIsolationOnlyWarnsIsANote) {
  DefaultRules rules;
  using Settings = policies::admission::PolicySettings<policies::admission::IsolationPolicy>;
  std::get<Settings>(rules.config.admission.judgement.policies.all).mode =
      policies::admission::Mode::kWarn;
  Facts facts = Healthy();
  Web(facts) = CpuPod("web-0", 65);
  EXPECT_EQ(Only(checks::CpuCapacity().run(facts, rules.rules())).severity, Severity::kNote);
}

}  // namespace
}  // namespace berth::doctor
