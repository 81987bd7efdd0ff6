#include "model/past_status.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace berth::model {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Time kBegan{Duration{1'800'000'000}};

TEST(BeganBefore, IsWhenBerthSawItUnlessTheNodeSaysMuchEarlier) {
  const auto began = [](Time since, Time noticed_since) {
    return BeganBefore({.since = since, .noticed_since = noticed_since});
  };
  EXPECT_EQ(began(kBegan, kBegan), kBegan);
  EXPECT_EQ(began(kBegan, kBegan + minutes(5)), kBegan + minutes(5));
  EXPECT_EQ(began(kBegan, kBegan + minutes(6)), kBegan + minutes(5));
  EXPECT_EQ(began(kBegan, kBegan - hours(1)), kBegan - hours(1));
}

struct LengthCase {
  std::string name;
  PastStatus seen;
  Duration length;
};

class LastedForTable : public testing::TestWithParam<LengthCase> {};

TEST_P(LastedForTable, Tells) { EXPECT_EQ(LastedFor(GetParam().seen), GetParam().length); }

INSTANTIATE_TEST_SUITE_P(
    All, LastedForTable,
    testing::Values(
        LengthCase{"ByBerthsClock",
                   {.since = kBegan - minutes(4),
                    .until = kBegan + hours(2),
                    .noticed = kBegan + minutes(30),
                    .noticed_since = kBegan},
                   minutes(30)},
        LengthCase{"FromWhatTheNodeSaysIfBerthLearnedLate",
                   {.since = kBegan - minutes(15),
                    .until = kBegan + minutes(30),
                    .noticed = kBegan + minutes(30),
                    .noticed_since = kBegan},
                   minutes(40)},
        LengthCase{"ByTheNodesClockIfItWasThereBefore",
                   {.since = kBegan, .until = kBegan + minutes(7), .noticed = kBegan + hours(1)},
                   minutes(7)},
        LengthCase{
            "ForEverIfNobodyKnowsSinceWhen", {.until = kBegan, .noticed = kBegan}, Duration::max()},
        LengthCase{"NothingIfItHasNotEnded", {.since = kBegan, .noticed_since = kBegan}, {}},
        LengthCase{"NothingIfAClockWentBack", {.since = kBegan, .until = kBegan - minutes(3)}, {}}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace berth::model
