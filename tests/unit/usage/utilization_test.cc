#include "usage/utilization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "tests/unit/usage/fake_prometheus.h"

namespace berth::usage {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

TEST(Utilization, OfASelectorIsThatOfAllItsSamples) {
  const std::string query = PeakQuery({}, hours(2));
  EXPECT_THAT(query, HasSubstr("max by (namespace, pod, UUID)"));
  EXPECT_THAT(query, HasSubstr("max_over_time(DCGM_FI_DEV_GPU_UTIL[7200s])"));
  EXPECT_THAT(query, HasSubstr("\"pod\", \"$1\", \"exported_pod\", \"(.+)\""));
  EXPECT_THAT(PeakQuery({.query = "util{cluster=\"east\"}"}, hours(2)),
              HasSubstr("max_over_time(util{cluster=\"east\"}[7200s])"));
}

TEST(Utilization, OfAnExpressionIsTakenEveryMinute) {
  for (const char* expression : {"100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE", "rate(busy{a=\"b\"}[5m])",
                                 "a{x=\"y\"} + b{x=\"y\"}"}) {
    const std::string query = PeakQuery({.query = expression}, hours(2));
    EXPECT_TRUE(query.starts_with("max_over_time((max by (")) << query;
    EXPECT_THAT(query, HasSubstr(expression));
    EXPECT_TRUE(query.ends_with("[7200s:60s])")) << query;
  }
  EXPECT_THAT(PeakQuery({.query = "a / b"}, hours(720)), HasSubstr("[2592000s:3600s]"));
}

// Prometheus may have the metrics of another cluster, with a pod of the same name.
TEST(Utilization, IsThatOfThisClusterOnly) {
  const auto narrowed = [](const std::string& query, std::string_view matchers) {
    return Narrowed({.query = query}, matchers).query;
  };
  EXPECT_EQ(narrowed("util", R"(cluster="east")"), R"(util{cluster="east"})");
  EXPECT_EQ(narrowed("util{}", R"(cluster="east")"), R"(util{cluster="east"})");
  EXPECT_EQ(narrowed("util{ }", R"(cluster="east",)"), R"(util{cluster="east" })");
  EXPECT_EQ(narrowed(R"(util{job="dcgm",})", R"(cluster="east", zone="a")"),
            R"(util{cluster="east", zone="a", job="dcgm",})");
  EXPECT_EQ(narrowed("util", ""), "util");
  EXPECT_EQ(narrowed("100 * util", R"(cluster="east")"), "100 * util");
}

TEST(Utilization, IsAskedOfThisClusterOnly) {
  FakePrometheus fake;
  const auto prometheus = ClientOf(fake, {.matchers = R"(cluster="east")"});
  ASSERT_TRUE(Measure(*prometheus, {}, hours(2)).ok());
  ASSERT_TRUE(AskLastUse(*prometheus, UtilizationConfig{}, 5, hours(24)).ok());
  EXPECT_THAT(fake.targets, SizeIs(3));
  EXPECT_THAT(fake.targets, Each(HasSubstr("DCGM_FI_DEV_GPU_UTIL%7Bcluster%3D%22east%22%7D")));
}

TEST(Utilization, IsCountedAtMoments) {
  EXPECT_EQ(StepOf(minutes(1)), std::chrono::seconds(15));
  EXPECT_EQ(StepOf(hours(1)), std::chrono::seconds(30));
  EXPECT_EQ(StepOf(hours(2)), minutes(1));
  EXPECT_EQ(StepOf(hours(12)), minutes(1));
  EXPECT_EQ(StepOf(hours(24)), minutes(2));
  EXPECT_THAT(CoverageQuery({}, hours(2)), HasSubstr("count_over_time((max by"));
  EXPECT_THAT(CoverageQuery({}, hours(2)), HasSubstr(")[7200s:60s])"));
}

TEST(Utilization, IsKnownByPod) {
  FakePrometheus fake;
  const auto series = [](const std::string& pod, const std::string& device, double value) {
    return FakePrometheus::Series({{"namespace", "nlp"}, {"pod", pod}, {"UUID", device}}, value);
  };
  fake.Answer("count_over_time", series("bert", "GPU-1", 120) + "," + series("bert", "GPU-2", 30) +
                                     "," + series("gone", "GPU-3", 3));
  fake.Answer("max_over_time", series("bert", "GPU-1", 0) + "," + series("bert", "GPU-2", 55) +
                                   "," + series("cnn", "GPU-9", 7));
  const auto measured = Measure(*ClientOf(fake), {}, hours(2));
  ASSERT_TRUE(measured.ok()) << measured.status();
  EXPECT_THAT(
      *measured,
      ElementsAre(Pair("nlp/bert", ElementsAre(MeasuredDevice{0, 1}, MeasuredDevice{55, 0.25})),
                  Pair("nlp/cnn", ElementsAre(MeasuredDevice{7, 0}))));
}

TEST(Utilization, HasALastMoment) {
  FakePrometheus fake;
  fake.Answer("timestamp",
              FakePrometheus::Series({{"namespace", "nlp"}, {"pod", "bert"}}, 1780315200));
  const auto last = AskLastUse(*ClientOf(fake), UtilizationConfig{}, 5, hours(24));
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_THAT(*last, ElementsAre(Pair("nlp/bert", model::Time(model::Duration(1'780'315'200)))));
  EXPECT_THAT(LastUseQuery({}, 5, hours(24)), Not(HasSubstr("UUID")));
}

TEST(Utilization, HasNoLastMomentWhereTheAnswerIsNoTime) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // No integer holds most of them; those of 1e12 seconds lie beyond the years that can be written.
  for (const double answer : {1e300, -1e300, kInfinity, -kInfinity, 0x1p63, -0x1p63, 1e12, -1e12,
                              std::numeric_limits<double>::quiet_NaN()}) {
    FakePrometheus fake;
    fake.Answer("timestamp",
                FakePrometheus::Series({{"namespace", "nlp"}, {"pod", "bert"}}, answer) + "," +
                    FakePrometheus::Series({{"namespace", "nlp"}, {"pod", "cnn"}}, 1780315200));
    const auto last = AskLastUse(*ClientOf(fake), UtilizationConfig{}, 5, hours(24));
    ASSERT_TRUE(last.ok()) << answer << ": " << last.status();
    EXPECT_THAT(*last, ElementsAre(Pair("nlp/cnn", model::Time(model::Duration(1'780'315'200)))))
        << answer;
  }
}

// A use between two moments of the query is one, too.
TEST(Utilization, HasALastMomentAmongAllSamplesOfASelector) {
  const std::string query = LastUseQuery({.query = "util{cluster=\"east\"}"}, 5, hours(24));
  EXPECT_THAT(query, HasSubstr("timestamp(max_over_time(util{cluster=\"east\"}[600s]) >= 5)"));
  EXPECT_TRUE(query.ends_with("[86400s:600s])")) << query;
}

TEST(Utilization, HasALastMomentAmongThoseOfAnExpressionEveryFiveMinutes) {
  const std::string query = LastUseQuery({.query = "a or b"}, 2.5, hours(24));
  EXPECT_THAT(query, HasSubstr("timestamp((a or b) >= 2.5)"));
  EXPECT_TRUE(query.ends_with("[86400s:300s])")) << query;
}

// A test in tests/chart has promtool evaluate them: some fail only where there are certain series.
TEST(Utilization, IsAskedByQueriesThatPromtoolHasTried) {
  std::ostringstream tried;
  tried << std::ifstream("tests/golden/usage/queries.yaml").rdbuf();
  const UtilizationConfig expression{.query = "100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE"};
  for (const std::string& query :
       {PeakQuery({}, hours(2)), CoverageQuery({}, hours(2)), LastUseQuery({}, 5, hours(24)),
        PeakQuery(expression, hours(2)), LastUseQuery(expression, 5, hours(24))}) {
    EXPECT_THAT(tried.str(), HasSubstr("- expr: '" + query + "'\n"));
  }
}

}  // namespace
}  // namespace berth::usage
