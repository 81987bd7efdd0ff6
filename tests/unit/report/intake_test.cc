#include "report/intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report/fixture.h"

namespace berth::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IntakeTest : public testing::Test {
 protected:
  static std::vector<std::string> NamesIn(const Survey& survey) {
    std::vector<std::string> names;
    for (const Survey::Record& record : survey.records()) names.push_back(record.name);
    return names;
  }

  const Engines engines_;
  const Judge judge_ = engines_.MakeJudge();
  Survey survey_{engines_.catalog};
};

TEST_F(IntakeTest, KeepsTheOrderOfObjectsWhateverThreadJudgesThem) {
  std::vector<std::string> objects;
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) {
    names.push_back("p-" + std::to_string(i));
    objects.push_back(PodJson({.name = names.back()}));
  }
  const std::string text = ListOf(objects);
  Intake intake(judge_, survey_, 3);
  for (std::size_t at = 0; at < text.size(); at += 10'000) {
    ASSERT_TRUE(intake.Append(std::string_view(text).substr(at, 10'000)).ok());
  }
  EXPECT_TRUE(intake.Finish().ok());
  EXPECT_EQ(intake.objects(), 3000U);
  EXPECT_EQ(NamesIn(survey_), names);
}

TEST_F(IntakeTest, OneOddObjectDoesNotTakeTheOthersWithIt) {
  Intake intake(judge_, survey_, 1);
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_TRUE(
      intake
          .Append(ListOf({PodJson({.name = "a"}), R"({"kind": "Pod", "spec": tru})",
                          R"({"kind": "Pod", "x": )" + deep + "}", "[1]", PodJson({.name = "b"})}))
          .ok());
  EXPECT_TRUE(intake.Finish().ok());
  EXPECT_THAT(NamesIn(survey_), ElementsAre("a", "b"));
  EXPECT_EQ(survey_.unreadable().count, 3U);
  EXPECT_THAT(survey_.unreadable().examples[0], HasSubstr("the text is not JSON"));
}

TEST_F(IntakeTest, KeepsWhatCameBeforeTheTextBrokeOff) {
  const std::string text = ListOf({PodJson({.name = "a"}), PodJson({.name = "b"})});
  Intake intake(judge_, survey_, 2);
  EXPECT_TRUE(intake.Append(text.substr(0, text.size() - 60)).ok());
  EXPECT_EQ(intake.Finish().message(), "the text breaks off within an object");
  EXPECT_THAT(NamesIn(survey_), ElementsAre("a"));
}

TEST_F(IntakeTest, TakesNothingElseForObjects) {
  for (const auto& [document, error] :
       {std::pair{R"({"kind": "Status", "apiVersion": "v1", "message": "pods is forbidden"})",
                  "is a Status, an API server's answer in place of objects: pods is forbidden"},
        std::pair{R"({"kind": "List", "apiVersion": "v1"})", "is a \"List\" without items"}}) {
    Survey survey(engines_.catalog);
    Intake intake(judge_, survey, 1);
    EXPECT_EQ(intake.Append(PodJson({.name = "a"}) + document + PodJson({.name = "b"})).message(),
              error);
    EXPECT_TRUE(intake.Finish().ok());
    EXPECT_EQ(intake.objects(), 1U);
    EXPECT_THAT(NamesIn(survey), ElementsAre("a"));
  }
}

// Of which one is a list although it has no items, and the others none although they look like it.
TEST_F(IntakeTest, TakesWhatOnlyLooksLikeThat) {
  Intake intake(judge_, survey_, 1);
  EXPECT_TRUE(intake
                  .Append(R"({"kind": "PodList", "apiVersion": "v1", "items": null})"
                          R"({"kind": "AllowList", "apiVersion": "example.com/v1"})"
                          R"({"kind": "Status", "apiVersion": "example.com/v1"})" +
                          PodJson({.name = "a"}))
                  .ok());
  EXPECT_TRUE(intake.Finish().ok());
  EXPECT_THAT(NamesIn(survey_), ElementsAre("a"));
}

TEST_F(IntakeTest, TakesTheRawRepliesOfAnApiServer) {
  Intake intake(judge_, survey_, 1);
  EXPECT_TRUE(intake
                  .Append(R"({"kind":"PodList","apiVersion":"v1","metadata":{"continue":"c"},)"
                          R"("items":[{"metadata":{"name":"a","namespace":"t"},"spec":{)"
                          R"("containers":[{"name":"x"}]}}]})")
                  .ok());
  EXPECT_EQ(intake.continue_token(), "c");
  EXPECT_TRUE(intake.Finish().ok());
  EXPECT_THAT(NamesIn(survey_), ElementsAre("a"));
}

}  // namespace
}  // namespace berth::report
