#include "doctor/check.h"
#include "doctor/checks/all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "re2/re2.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using ::testing::ElementsAre;

Findings NeverWell(const Facts&, const Rules&) { return Problem("wrong", "mend it"); }

TEST(Examine, NamesFindingsAfterTheirCheck) {
  const Check checks[] = {{"first", "", {}, {}, NeverWell}, {"second", "", {}, {}, NeverWell}};
  const Findings found = Examine(checks, NoFacts(), DefaultRules().rules());
  EXPECT_THAT(found, ElementsAre(Finding{Severity::kProblem, "first", "wrong", "mend it"},
                                 Finding{Severity::kProblem, "second", "wrong", "mend it"}));
}

TEST(Examine, WhatACheckLacksMakesItUnknown) {
  const Check checks[] = {{"pods-check", "", {Source::kPods}, {Source::kNodes}, NeverWell}};
  Facts facts = NoFacts();
  facts.pods = absl::PermissionDeniedError("no right to list pods");
  const Findings denied = Examine(checks, facts, DefaultRules().rules());
  EXPECT_THAT(denied,
              ElementsAre(Finding{Severity::kUnknown, "pods-check", "no right to list pods",
                                  "ask an administrator to bind you the role that `berth doctor "
                                  "--rbac` prints, or leave it out with --skip pods-check"}));
  facts.pods = absl::FailedPreconditionError("nobody asked");
  EXPECT_EQ(Only(Examine(checks, facts, DefaultRules().rules())).severity, Severity::kNote);
  facts.pods = std::vector<PodFacts>();
  EXPECT_EQ(Only(Examine(checks, facts, DefaultRules().rules())).severity, Severity::kProblem);
}

TEST(AllChecks, HaveNamesOfTheirOwnAndSayWhatIsWell) {
  std::set<std::string_view> names;
  for (const Check& check : checks::All()) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_FALSE(check.help.empty()) << check.name;
    EXPECT_FALSE(check.needs.empty()) << check.name;
  }
}

TEST(AllChecks, OfNoFactsAreAllUnknown) {
  for (const Finding& finding : Examine(checks::All(), NoFacts(), DefaultRules().rules())) {
    EXPECT_EQ(finding.severity, Severity::kUnknown) << finding.check;
  }
}

// Rows of the table in docs/doctor.md: | `name` | what is well | ...
TEST(AllChecks, AreTheRowsOfTheDocumentation) {
  std::ifstream in("docs/doctor.md");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t begin = text.find("### The checks");
  const std::string table = text.substr(begin, text.find("\n### ", begin) - begin);
  re2::StringPiece rest(table);
  std::vector<std::pair<std::string, std::string>> documented;
  std::string name;
  std::string help;
  while (re2::RE2::FindAndConsume(&rest, R"((?m)^\| `([a-z-]+)` \| ([^|]+) \|)", &name, &help)) {
    documented.emplace_back(name, help);
  }
  std::vector<std::pair<std::string, std::string>> known;
  for (const Check& check : checks::All()) known.emplace_back(check.name, check.help);
  EXPECT_EQ(documented, known);
}

}  // namespace
}  // namespace berth::doctor
