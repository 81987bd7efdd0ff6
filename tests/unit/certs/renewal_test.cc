#include "certs/renewal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/unit/certs/fixtures.h"

namespace berth::certs {
namespace {

using testing::Eq;
using testing::Optional;

class RenewalTest : public ::testing::Test {
 protected:
  std::optional<Cause> Why(Time now, bool asked = false) const {
    return WhyNewCertificate(server_, Localhost(), Usage::kServer, authority_.issuer.certificate,
                             asked, now);
  }
  std::optional<Cause> WhyAuthority(Time now, bool asked = false) const {
    return WhyNewAuthority(authority_, asked, now);
  }

  const Authority authority_ = MakeAuthority();
  const Certificate server_ = ReadServerCertificate(MakeServer(authority_)).value();
};

TEST_F(RenewalTest, IsDueAtTwoThirds) {
  const Time due = kNow + 60 * kDay;
  EXPECT_EQ(DueTime(server_), due);
  EXPECT_EQ(LateTime(server_), kNow + 75 * kDay);
  EXPECT_EQ(Why(kNow), std::nullopt);
  EXPECT_EQ(Why(due - seconds(1)), std::nullopt);
  EXPECT_THAT(Why(due), Optional(Cause::kDue));
  EXPECT_THAT(Why(kNow + kServerLife), Optional(Cause::kEnded));
}

TEST_F(RenewalTest, IsDueAtTwoThirdsForAuthorities) {
  EXPECT_EQ(WhyAuthority(kNow), std::nullopt);
  EXPECT_EQ(WhyAuthority(kNow + kAuthorityLife * 2 / 3 - seconds(1)), std::nullopt);
  EXPECT_THAT(WhyAuthority(kNow + kAuthorityLife * 2 / 3), Optional(Cause::kDue));
  EXPECT_THAT(WhyAuthority(kNow + kAuthorityLife), Optional(Cause::kEnded));
}

TEST_F(RenewalTest, IsDueInTimeHoweverShortItsLife) {
  const Certificate brief =
      ReadServerCertificate(MakeServer(authority_, kNow, seconds(12))).value();
  EXPECT_EQ(DueTime(brief), kNow + seconds(8));
  EXPECT_EQ(LateTime(brief), kNow + seconds(10));
}

// Somebody made it for less than the hour by which ours begin early.
TEST_F(RenewalTest, IsDueAtTheEndAtTheLatest) {
  const Certificate brief =
      ReadServerCertificate(MakeServer(authority_, kNow, -std::chrono::minutes(30))).value();
  EXPECT_THAT(WhyNewCertificate(brief, Localhost(), Usage::kServer, authority_.issuer.certificate,
                                false, brief.not_after()),
              Optional(Cause::kEnded));
}

TEST_F(RenewalTest, TakesTheClocksOfOthersUpToAnHourAhead) {
  EXPECT_EQ(Why(kNow - hours(1)), std::nullopt);
  EXPECT_THAT(Why(kNow - hours(1) - seconds(1)), Optional(Cause::kNotYetValid));
  EXPECT_EQ(WhyAuthority(kNow - hours(1)), std::nullopt);
  EXPECT_THAT(WhyAuthority(kNow - hours(1) - seconds(1)), Optional(Cause::kNotYetValid));
}

TEST_F(RenewalTest, IsMadeWhenItIsAskedFor) {
  EXPECT_THAT(Why(kNow, true), Optional(Cause::kAsked));
  EXPECT_THAT(WhyAuthority(kNow, true), Optional(Cause::kAsked));
}

TEST_F(RenewalTest, FollowsTheNames) {
  const auto why = [this](const Names& names) {
    return WhyNewCertificate(server_, names, Usage::kServer, authority_.issuer.certificate, false,
                             kNow);
  };
  EXPECT_EQ(why(NamesOf({"::1", "localhost", "127.0.0.1"})), std::nullopt);
  EXPECT_THAT(why(NamesOf({"localhost", "127.0.0.1"})), Optional(Cause::kNames));
  EXPECT_THAT(why(NamesOf({"localhost", "127.0.0.1", "::1", "10.96.0.7"})),
              Optional(Cause::kNames));
}

TEST_F(RenewalTest, FollowsTheSide) {
  EXPECT_THAT(WhyNewCertificate(server_, Localhost(), Usage::kClient, authority_.issuer.certificate,
                                false, kNow),
              Optional(Cause::kUsage));
}

TEST_F(RenewalTest, FollowsTheAuthority) {
  for (const Authority& other : {Rotate(authority_), MakeAuthority()}) {
    EXPECT_THAT(WhyNewCertificate(server_, Localhost(), Usage::kServer, other.issuer.certificate,
                                  false, kNow),
                Optional(Cause::kIssuer));
  }
}

TEST_F(RenewalTest, TellsWhatIsNotThereFromWhatNobodyKnows) {
  const struct {
    absl::Status status;
    std::optional<Cause> cause;
  } cases[] = {
      {absl::NotFoundError("404"), Cause::kMissing},
      {absl::InvalidArgumentError("garbage"), Cause::kUnreadable},
      {absl::UnavailableError("away"), std::nullopt},
      {absl::PermissionDeniedError("403"), std::nullopt},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(WhyNewAuthority(test.status, true, kNow), test.cause) << test.status;
    EXPECT_EQ(WhyNewCertificate(test.status, Localhost(), Usage::kServer,
                                authority_.issuer.certificate, true, kNow),
              test.cause)
        << test.status;
  }
}

}  // namespace
}  // namespace berth::certs
