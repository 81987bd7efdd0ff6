#include "board/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::board {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;
using std::chrono::seconds;

constexpr model::Time kStart{model::Duration{1'800'000'000}};

Json Told(const History& history, model::Time now, model::Duration span, std::size_t bars) {
  return Json::parse(history.Encode(now, span, bars));
}

TEST(BoardHistory, BarsAreAveragesOfTheirSamplesAndNullWhereNothingIsKnown) {
  History history;
  history.Add(kStart + seconds(10), {{"V100", {.held = 2, .free = 6}}});
  history.Add(kStart + seconds(20), {{"V100", {.held = 4, .free = 4}}});
  history.Add(kStart + seconds(60), {{"V100", {.held = 8}}});
  const Json told = Told(history, kStart + seconds(60), seconds(60), 3);
  ASSERT_EQ(told["pools"].size(), 1U);
  EXPECT_EQ(told["pools"][0]["name"], "V100");
  EXPECT_EQ(told["pools"][0]["held"], Json({3, nullptr, 8}));
  EXPECT_EQ(told["pools"][0]["free"], Json({5, nullptr, 0}));
}

TEST(BoardHistory, AveragesOfFewDevicesAreFractions) {
  History history;
  history.Add(kStart + seconds(10), {{"V100", {.held = 1}}});
  history.Add(kStart + seconds(20), {{"V100", {.held = 1}}});
  history.Add(kStart + seconds(30), {{"V100", {.free = 1}}});
  const Json told = Told(history, kStart + seconds(30), seconds(30), 1);
  EXPECT_DOUBLE_EQ(told["pools"][0]["held"][0].get<double>(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(told["pools"][0]["free"][0].get<double>(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(told["pools"][0]["broken"][0].get<double>(), 0);
}

TEST(BoardHistory, MoreDevicesThanAnybodyHasAreStillMany) {
  History history;
  history.Add(kStart + seconds(10), {{"V100", {.held = 3, .free = 3'000'000'000}}});
  const Json told = Told(history, kStart + seconds(10), seconds(10), 1);
  EXPECT_EQ(told["pools"][0]["free"], Json::array({2'147'483'647}));
  EXPECT_EQ(told["pools"][0]["held"], Json::array({3}));
}

TEST(BoardHistory, TakesASampleEveryTenSecondsHoweverOftenItIsOfferedOne) {
  History history;
  for (int i = 0; i < 20; ++i) history.Add(kStart + seconds(i), {{"V100", {.held = i}}});
  const Json told = Told(history, kStart + seconds(20), seconds(20), 1);
  EXPECT_EQ(told["pools"][0]["held"], Json::array({10}))
      << "of second 10 alone: second 0 is too old";
}

TEST(BoardHistory, GoesOnWhereTheClockWasSetBack) {
  History history;
  for (int i = 0; i <= 6; ++i) history.Add(kStart + seconds(10 * i), {{"V100", {.held = i}}});
  history.Add(kStart + seconds(60), {{"future", {.held = 1}}, {"V100", {.held = 6}}});
  history.Add(kStart + hours(1), {{"future", {.held = 1}}, {"V100", {.held = 7}}});
  history.Add(kStart + seconds(31), {{"V100", {.held = 8}}});
  history.Add(kStart + seconds(35), {{"V100", {.held = 9}}});
  history.Add(kStart + seconds(40), {{"V100", {.held = 10}}});
  const Json told = Told(history, kStart + seconds(40), seconds(40), 4);
  ASSERT_EQ(told["pools"].size(), 1U) << "the other one was seen in the future alone";
  EXPECT_EQ(told["pools"][0]["held"], Json({1, 2, 3, 10}));
  EXPECT_EQ(Told(history, kStart + hours(1), hours(1), 1)["pools"][0]["held"], Json::array({4}))
      << "of 1, 2, 3 and 10: nothing is left of the future";
}

TEST(BoardHistory, ForgetsWhatIsOlderThanADay) {
  History history;
  history.Add(kStart, {{"gone", {.held = 1}}});
  history.Add(kStart + hours(25), {{"V100", {.held = 1}}});
  const Json told = Told(history, kStart + hours(25), hours(48), 1);
  ASSERT_EQ(told["pools"].size(), 1U);
  EXPECT_EQ(told["pools"][0]["name"], "V100");
}

}  // namespace
}  // namespace berth::board
