#include "extender/packed_judgement.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/policies/fixtures.h"

namespace berth::extender {
namespace {

using policies::scheduling::DatedJudgement;
using policies::scheduling::Judgement;
using policies::scheduling::kNow;
using std::chrono::hours;
using std::chrono::seconds;

TEST(PackedJudgement, IsWhatWasPacked) {
  const Judgement cases[] = {
      {.score = 0},
      {.score = std::numeric_limits<std::uint32_t>::max()},
      {.score = 1100, .last = true},
      {.would_refuse = 1, .score = 7},
      {.would_refuse = 16383, .score = 7, .last = true},
      {.fits = false, .reason = 1},
      {.fits = false, .reason = 16383},
  };
  for (const Judgement& judgement : cases) {
    const PackedJudgement packed({judgement}, kNow);
    ASSERT_TRUE(packed.HoldsAt(seconds(0)));
    const Judgement unpacked = packed.Unpack();
    EXPECT_EQ(unpacked.fits, judgement.fits);
    EXPECT_EQ(unpacked.reason, judgement.reason);
    EXPECT_EQ(unpacked.would_refuse, judgement.would_refuse);
    EXPECT_EQ(unpacked.score, judgement.score);
    EXPECT_EQ(unpacked.last, judgement.last);
  }
}

TEST(PackedJudgement, HoldsAsLongAsTheJudgementAndNoLonger) {
  constexpr seconds kAlmostForever = PackedJudgement::kLongest - seconds(1);
  const struct {
    model::Time valid_until;
    seconds holds_at;  // or negative
    seconds holds_no_more_at;
  } cases[] = {
      {model::kForever, kAlmostForever, PackedJudgement::kLongest},
      {kNow + seconds(1), seconds(0), seconds(1)},
      {kNow + hours(1), seconds(3599), seconds(3600)},
      {kNow + PackedJudgement::kLongest - seconds(1), kAlmostForever - seconds(1), kAlmostForever},
      {kNow + hours(10000), kAlmostForever, PackedJudgement::kLongest},
      {kNow, seconds(-1), seconds(0)},
      {kNow - hours(1), seconds(-1), seconds(0)},
  };
  for (const auto& test : cases) {
    DatedJudgement judgement;
    judgement.valid_until = test.valid_until;
    const PackedJudgement packed(judgement, kNow);
    if (test.holds_at >= seconds(0)) {
      EXPECT_TRUE(packed.HoldsAt(test.holds_at));
    }
    EXPECT_FALSE(packed.HoldsAt(test.holds_no_more_at));
  }
}

TEST(PackedJudgement, HoldsAtNoTimeWhereItHasNoRoomForTheReason) {
  for (const Judgement& judgement :
       {Judgement{.fits = false, .reason = 16384}, Judgement{.would_refuse = 65535}}) {
    EXPECT_FALSE(PackedJudgement({judgement}, kNow).HoldsAt(seconds(0)));
  }
  EXPECT_FALSE(PackedJudgement().HoldsAt(seconds(0)));
}

}  // namespace
}  // namespace berth::extender
