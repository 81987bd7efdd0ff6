#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "doctor/berth_entry.h"
#include "doctor/checks/all.h"
#include "tests/unit/doctor/fixtures.h"

// The checks of kube-scheduler's configuration, each by what is changed in a good one.

namespace berth::doctor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct SchedulerCase {
  std::string name;
  Findings (*check)(const Facts&, const Rules&);
  std::function<void(SchedulerConfig&)> change;
  Severity severity;
  std::string what;
  std::string advice;
};

ExtenderEntry Other(bool ignorable = false) {
  return {.url_prefix = "http://127.0.0.1:1", .filter_verb = "filter", .ignorable = ignorable};
}

class SchedulerTable : public ::testing::TestWithParam<SchedulerCase> {};

TEST_P(SchedulerTable, Judges) {
  const SchedulerCase& test = GetParam();
  Facts facts = NoFacts();
  facts.scheduler = GoodSchedulerConfig();
  test.change(*facts.scheduler);
  const Finding finding = Only(test.check(facts, DefaultRules().rules()));
  EXPECT_EQ(finding.severity, test.severity) << finding.what;
  EXPECT_THAT(finding.what, HasSubstr(test.what));
  EXPECT_THAT(finding.advice, HasSubstr(test.advice));
  EXPECT_EQ(finding.advice.empty(), test.severity <= Severity::kNote);
}

void LeaveConfig(SchedulerConfig&) {}
void Without(SchedulerConfig& config) { config.extenders.clear(); }

INSTANTIATE_TEST_SUITE_P(
    All, SchedulerTable,
    ::testing::
        Values(SchedulerCase{"Registered", checks::Registered().run, LeaveConfig, Severity::kOk,
                             "scheduler.yaml calls https://10.96.0.7:443", ""},
               SchedulerCase{"NotRegistered", checks::Registered().run, Without, Severity::kProblem,
                             "scheduler.yaml has no extender of Berth", "`berth stanza`"},
               SchedulerCase{"OnlyOthersRegistered", checks::Registered().run,
                             [](SchedulerConfig& config) { config.extenders = {Other()}; },
                             Severity::kProblem, "no extender of Berth", "`berth stanza`"},
               SchedulerCase{"VerbMissing", checks::Registered().run,
                             [](SchedulerConfig& config) { config.extenders[0].preempt_verb = ""; },
                             Severity::kProblem, "does not call", "preemptVerb: preempt"},
               SchedulerCase{"VerbsOfOtherPaths", checks::Registered().run,
                             [](SchedulerConfig& config) {
                               config.extenders[0].filter_verb = "predicates";
                               config.extenders[0].prioritize_verb = "priorities";
                             },
                             Severity::kProblem, "",
                             "filterVerb: filter and prioritizeVerb: prioritize"},
               SchedulerCase{
                   "Binds", checks::Registered().run,
                   [](SchedulerConfig& config) { config.extenders[0].bind_verb = "bind"; },
                   Severity::kProblem, "bindVerb bind", "remove bindVerb"},

               SchedulerCase{"Last", checks::Last().run, LeaveConfig, Severity::kOk, "", ""},
               SchedulerCase{"LastOfTwo", checks::Last().run,
                             [](SchedulerConfig& config) {
                               config.extenders.insert(config.extenders.begin(), Other());
                             },
                             Severity::kOk, "", ""},
               SchedulerCase{"NotLast", checks::Last().run,
                             [](SchedulerConfig& config) { config.extenders.push_back(Other()); },
                             Severity::kProblem, "http://127.0.0.1:1", "put Berth's entry last"},
               SchedulerCase{"IgnorableOnesComeLater", checks::Last().run,
                             [](SchedulerConfig& config) {
                               config.extenders.insert(config.extenders.begin(), Other(true));
                             },
                             Severity::kProblem, "http://127.0.0.1:1", "remove its filterVerb"},
               SchedulerCase{"LaterButDoesNotFilter", checks::Last().run,
                             [](SchedulerConfig& config) {
                               config.extenders.push_back(Other());
                               config.extenders[1].filter_verb = "";
                             },
                             Severity::kOk, "", ""},
               SchedulerCase{"LastOfNone", checks::Last().run, Without, Severity::kUnknown,
                             "no extender of Berth", "registered"},

               SchedulerCase{"AllNodes", checks::Sampling().run, LeaveConfig, Severity::kOk, "",
                             ""},
               SchedulerCase{"ZeroIsTheDefault", checks::Sampling().run,
                             [](SchedulerConfig& config) {
                               config.profiles[0].name = "mine";
                               config.percentage = 0;
                             },
                             Severity::kWarning, "profile mine of scheduler.yaml",
                             "percentageOfNodesToScore: 100"},
               SchedulerCase{"ProfileWins", checks::Sampling().run,
                             [](SchedulerConfig& config) {
                               config.profiles.push_back({"small", 10});
                               config.profiles.push_back({"large", 100});
                             },
                             Severity::kWarning, "profile small of",
                             "add small to planner.schedulers"},
               SchedulerCase{"ProfileWinsOverNone", checks::Sampling().run,
                             [](SchedulerConfig& config) {
                               config.percentage.reset();
                               config.profiles[0].percentage = 100;
                             },
                             Severity::kOk, "", ""},

               SchedulerCase{"BindsMany", checks::ClientLimit().run,
                             [](SchedulerConfig& config) { config.qps = 1000; }, Severity::kOk, "",
                             ""},
               SchedulerCase{"BindsWithoutLimit", checks::ClientLimit().run,
                             [](SchedulerConfig& config) { config.qps = -1; }, Severity::kOk, "",
                             ""},
               SchedulerCase{"BindsFew", checks::ClientLimit().run, LeaveConfig, Severity::kNote,
                             "binds at most 50 pods a second by scheduler.yaml", ""},

               SchedulerCase{"PreemptsAnywhere", checks::Preemption().run, LeaveConfig,
                             Severity::kOk, "", ""},
               SchedulerCase{
                   "PreemptsOnASample", checks::Preemption().run,
                   [](SchedulerConfig& config) { config.profiles.push_back({.name = "small"}); },
                   Severity::kWarning, "profile small of scheduler.yaml",
                   "minCandidateNodesPercentage: 100"},
               SchedulerCase{"PreemptsWithoutBerth", checks::Preemption().run, Without,
                             Severity::kUnknown, "no extender of Berth", "registered"},

               SchedulerCase{"Names", checks::NodeCache().run, LeaveConfig, Severity::kOk, "", ""},
               SchedulerCase{
                   "WholeNodes", checks::NodeCache().run,
                   [](SchedulerConfig& config) { config.extenders[0].node_cache_capable = false; },
                   Severity::kProblem, "as if they were idle", "nodeCacheCapable: true"},

               SchedulerCase{"Outweighs", checks::Weight().run, LeaveConfig, Severity::kOk, "", ""},
               SchedulerCase{"Outweighed", checks::Weight().run,
                             [](SchedulerConfig& config) { config.extenders[0].weight = 1; },
                             Severity::kWarning,
                             "weight is 1 for https://10.96.0.7:443: one rank "
                             "of Berth counts 10",
                             "weight: 31"},

               SchedulerCase{"Waits", checks::Ignorable().run, LeaveConfig, Severity::kOk, "", ""},
               SchedulerCase{"Ignorable", checks::Ignorable().run,
                             [](SchedulerConfig& config) { config.extenders[0].ignorable = true; },
                             Severity::kWarning, "ignorable is true", "ignorable: false"},

               SchedulerCase{"AllResources", checks::ManagedResources().run, LeaveConfig,
                             Severity::kOk, "nvidia.com/gpu", ""},
               SchedulerCase{"ResourceMissing", checks::ManagedResources().run,
                             [](SchedulerConfig& config) {
                               config.extenders[0].managed_resources.pop_back();
                             },
                             Severity::kProblem, "for pods with preferred.jp/mncore2",
                             "`berth stanza`"},
               SchedulerCase{"EveryPod", checks::ManagedResources().run,
                             [](SchedulerConfig& config) {
                               config.extenders[0].managed_resources.clear();
                               config.extenders[0].url_prefix =
                                   "https://berth-extender.berth-system.svc";
                             },
                             Severity::kProblem, "for every pod, including Berth's own", ""},
               SchedulerCase{"Uncounted", checks::ManagedResources().run,
                             [](SchedulerConfig& config) {
                               config.extenders[0].managed_resources[0].ignored_by_scheduler = true;
                             },
                             Severity::kProblem, "ignoredByScheduler is true for nvidia.com/gpu",
                             ""},

               SchedulerCase{"TrustsAFile", checks::Authority().run, LeaveConfig, Severity::kNote,
                             "/etc/ca.crt", ""},
               SchedulerCase{"TrustsAnybody", checks::Authority().run,
                             [](SchedulerConfig& config) { config.extenders[0].ca_file = ""; },
                             Severity::kProblem, "accepts any certificate", "`berth stanza`"},
               SchedulerCase{"DoesNotVerify", checks::Authority().run,
                             [](SchedulerConfig& config) { config.extenders[0].insecure = true; },
                             Severity::kProblem, "accepts any certificate", "`berth stanza`"},
               SchedulerCase{
                   "Plain", checks::Authority().run,
                   [](SchedulerConfig&
                          config) { config.extenders[0].url_prefix = "http://127.0.0.1:8"; },
                   Severity::kNote, "without TLS", ""},
               SchedulerCase{"NothingToCompareWith", checks::Authority().run,
                             [](SchedulerConfig& config) { config.extenders[0].ca_data = "PEM"; },
                             Severity::kUnknown, "Secret berth-extender-tls cannot be read",
                             "certificates"}),
    [](const auto& param_info) { return param_info.param.name; });

Finding Shortlisted(std::int32_t size, const std::vector<ExtenderEntry>& others,
                    Findings (*check)(const Facts&, const Rules&) = checks::Shortlist().run) {
  Facts facts = NoFacts();
  facts.scheduler = GoodSchedulerConfig();
  for (const ExtenderEntry& other : others) facts.scheduler->extenders.push_back(other);
  DefaultRules rules;
  rules.config.extender.shortlist.size = size;
  return Only(check(facts, rules.rules()));
}

TEST(CheckAuthority, MissesTheCertificateThatTheExtenderAsksFor) {
  Facts facts = NoFacts();
  facts.scheduler = GoodSchedulerConfig();
  DefaultRules rules;
  rules.config.extender.tls.client_ca_file = "/ca";
  // Beside what there is to say of whom kube-scheduler trusts.
  const Finding missing = checks::Authority().run(facts, rules.rules()).back();
  EXPECT_EQ(missing.severity, Severity::kProblem);
  EXPECT_THAT(missing.what, HasSubstr("presents no client certificate"));
  EXPECT_THAT(missing.advice, HasSubstr("`berth stanza --cert"));
  facts.scheduler->extenders[0].shows_certificate = true;
  EXPECT_NE(Only(checks::Authority().run(facts, rules.rules())).severity, Severity::kProblem);
}

Finding Spread(bool by_scheduler, bool known_to_berth, std::int32_t size = 1) {
  Facts facts = NoFacts();
  facts.scheduler = GoodSchedulerConfig();
  facts.scheduler->profiles[0].spreads_by_default = by_scheduler;
  DefaultRules rules;
  rules.config.extender.shortlist = {.size = size, .default_spreading = known_to_berth};
  return Only(checks::Spreading().run(facts, rules.rules()));
}

TEST(CheckSpreading, ComparesWhatKubeSchedulerDoesWithWhatBerthTakesItToDo) {
  EXPECT_EQ(Spread(true, true).severity, Severity::kOk);
  EXPECT_EQ(Spread(false, false).severity, Severity::kOk);
  EXPECT_EQ(Spread(true, false, 0).severity, Severity::kOk);
  const Finding lost = Spread(true, false);
  EXPECT_EQ(lost.severity, Severity::kProblem);
  EXPECT_THAT(lost.what, HasSubstr("profile berth of scheduler.yaml spreads"));
  EXPECT_THAT(lost.advice, HasSubstr("extender.shortlist.defaultSpreading: true"));
  const Finding needless = Spread(false, true);
  EXPECT_EQ(needless.severity, Severity::kNote);
  EXPECT_THAT(needless.what, HasSubstr("extender.shortlist.defaultSpreading: false"));
}

ExtenderEntry Ranking() {
  return {.url_prefix = "http://127.0.0.1:2", .prioritize_verb = "prioritize", .weight = 5};
}

TEST(CheckShortlist, WarnsOfOthersThatRankWhatIsLeft) {
  EXPECT_EQ(Shortlisted(8, {}).severity, Severity::kOk);
  EXPECT_EQ(Shortlisted(8, {Other()}).severity, Severity::kOk) << "check last's";
  const Finding finding = Shortlisted(8, {Ranking()});
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(
      finding.what,
      "another extender ranks only the nodes in Berth's answer, at most 8: http://127.0.0.1:2");
  EXPECT_THAT(finding.advice, HasSubstr("extender.shortlist: {size: 0}"));
  EXPECT_THAT(Shortlisted(8, {Ranking(), Ranking()}).what, HasSubstr("other extenders rank only"));
}

TEST(CheckShortlist, OffIsWell) { EXPECT_EQ(Shortlisted(0, {Ranking()}).severity, Severity::kOk); }

TEST(CheckLast, SaysHowFewNodesAShortlistLeaves) {
  const Finding finding = Shortlisted(8, {Other()}, checks::Last().run);
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_EQ(finding.what,
            "another extender may filter the nodes (at most 8) that Berth has chosen: "
            "http://127.0.0.1:1");
}

class Authority : public ::testing::Test {
 protected:
  Finding Judge(const std::string& ca_data, bool from_chart = false) {
    Facts facts = NoFacts();
    facts.now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    facts.scheduler = GoodSchedulerConfig();
    facts.scheduler->from_chart = from_chart;
    facts.scheduler->extenders[0].ca_data = ca_data;
    facts.secrets = std::vector<SecretFacts>{
        {"berth-extender-tls", true, ca_.Issue().certificate, ca_.certificate()}};
    return Only(checks::Authority().run(facts, DefaultRules().rules()));
  }

  const berth::tests::TestCa ca_;
};

TEST_F(Authority, ComparesCaDataWithTheSecret) {
  EXPECT_EQ(Judge(ca_.certificate()).severity, Severity::kOk);
  const Finding other = Judge(berth::tests::TestCa("other").certificate());
  EXPECT_EQ(other.severity, Severity::kProblem);
  EXPECT_THAT(other.what, HasSubstr("does not fit the certificate in Secret berth-extender-tls"));
  EXPECT_THAT(other.advice, HasSubstr("restart kube-scheduler"));
}

TEST_F(Authority, OfTheChartsSchedulerIsTheSecretsOwn) {
  EXPECT_EQ(Judge("", true).severity, Severity::kOk);
}

TEST(BerthEntry, IsFoundByItsServiceOrByWhatItManages) {
  Facts facts = NoFacts();
  facts.scheduler = SchedulerConfig{.extenders = {Other(), BerthsEntry(), BerthsEntry()}};
  const DefaultRules rules;
  EXPECT_EQ(BerthEntry(facts, rules.rules()), 1U);
  facts.scheduler->extenders[2].url_prefix = "https://[fd00::7]:443";
  facts.service = ServiceFacts{"berth-extender", {"10.96.0.8", "fd00::7"}};
  EXPECT_EQ(BerthEntry(facts, rules.rules()), 2U);
  facts.scheduler->extenders[0].url_prefix = "https://berth-extender.berth-system.svc";
  EXPECT_EQ(BerthEntry(facts, rules.rules()), 0U);
}

TEST(BerthSchedulers, AreAllProfilesOrNone) {
  Facts facts = NoFacts();
  facts.scheduler = GoodSchedulerConfig();
  facts.scheduler->profiles.push_back({.name = "second"});
  const DefaultRules rules;
  EXPECT_THAT(BerthSchedulers(facts, rules.rules()), ::testing::ElementsAre("berth", "second"));
  facts.scheduler->extenders.clear();
  EXPECT_THAT(BerthSchedulers(facts, rules.rules()), ::testing::IsEmpty());
}

TEST(ManagedResources, MayLackWhatNoNodeLists) {
  Facts facts = NoFacts();
  facts.scheduler = GoodSchedulerConfig();
  facts.scheduler->extenders[0].managed_resources.pop_back();
  facts.nodes = std::vector<model::Node>{GpuNode("v100-1")};
  const auto finding = [&facts] {
    return Only(checks::ManagedResources().run(facts, DefaultRules().rules()));
  };
  EXPECT_EQ(finding().severity, Severity::kOk) << finding().what;
  EXPECT_THAT(finding().what, Not(HasSubstr("preferred.jp/mncore2")));
  facts.nodes->front().allocatable.Set("preferred.jp/mncore2", 0);
  EXPECT_EQ(finding().severity, Severity::kProblem);
  EXPECT_THAT(finding().what, HasSubstr("preferred.jp/mncore2"));
}

}  // namespace
}  // namespace berth::doctor
