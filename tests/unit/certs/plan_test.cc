#include "certs/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/unit/certs/fixtures.h"

namespace berth::certs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

constexpr auto kNotFound = absl::StatusCode::kNotFound;

AuthorityState Held(const Authority& authority) {
  return {.held = authority, .authorities = ToSecret(authority).authorities};
}

ServerState Held(const SecretData& data) {
  return {.held = ReadServerCertificate(data),
          .authorities = data.authorities,
          .trusted = TrustedBy(data),
          .names = Localhost()};
}

ServerState Without(absl::StatusCode code) {
  return {.held = absl::Status(code, "test"), .names = Localhost()};
}

/// Two servers and a webhook, all as they should be.
State Settled(const Authority& authority, Time now = kNow) {
  return {.authority = Held(authority),
          .servers = {Held(MakeServer(authority, now)), Held(MakeServer(authority, now))},
          .bundles = {Bundle(authority, now), Bundle(authority, now)}};
}

/// Why each server gets another certificate; those that get nothing are left out.
std::vector<std::optional<Cause>> Causes(const Plan& plan) {
  std::vector<std::optional<Cause>> causes;
  for (const ServerTask& task : plan.servers) causes.push_back(task.cause);
  return causes;
}

TEST(PlanTest, LeavesAloneWhatIsAsItShouldBe) {
  const Authority authority = MakeAuthority();
  const Plan plan = MakePlan(Settled(authority), kNow);
  EXPECT_EQ(plan.authority, std::nullopt);
  EXPECT_FALSE(plan.tidy_authority);
  EXPECT_THAT(plan.servers, IsEmpty());
  EXPECT_EQ(plan.bundle, authority.issuer.certificate.Pem());
  EXPECT_THAT(plan.next, Optional(kNow + 60 * kDay));
}

TEST(PlanTest, BeginsWithAnAuthorityAlone) {
  State state{.authority = {.held = absl::NotFoundError("")},
              .servers = {Without(kNotFound)},
              .bundles = {""}};
  Plan plan = MakePlan(state, kNow);
  EXPECT_THAT(plan.authority, Optional(Cause::kMissing));
  EXPECT_THAT(plan.formers, IsEmpty());
  EXPECT_THAT(plan.servers, IsEmpty());
  EXPECT_EQ(plan.bundle, "");

  // Servers without any certificate wait for nobody.
  state.authority = Held(MakeAuthority());
  plan = MakePlan(state, kNow);
  EXPECT_EQ(plan.authority, std::nullopt);
  EXPECT_THAT(Causes(plan), ElementsAre(Cause::kMissing));
}

struct ServerCase {
  const char* what;
  ServerState server;
  std::optional<Cause> cause;
};

TEST(PlanTest, RenewsServersOneByOne) {
  const Authority authority = MakeAuthority();
  ServerState names = Held(MakeServer(authority));
  names.names = NamesOf({"berth-admission"});
  ServerState other_side = Held(MakeServer(authority));
  other_side.usage = Usage::kClient;
  ServerState asked = Held(MakeServer(authority));
  asked.asked = true;
  const ServerCase cases[] = {
      {"missing", Without(kNotFound), Cause::kMissing},
      {"garbage", Without(absl::StatusCode::kInvalidArgument), Cause::kUnreadable},
      {"due", Held(MakeServer(authority, kNow - 60 * kDay)), Cause::kDue},
      {"ended", Held(MakeServer(authority, kNow - 90 * kDay)), Cause::kEnded},
      {"from the future", Held(MakeServer(authority, kNow + hours(2))), Cause::kNotYetValid},
      {"for other names", names, Cause::kNames},
      {"for the other side", other_side, Cause::kUsage},
      {"of a stranger", Held(MakeServer(MakeAuthority())), Cause::kIssuer},
      {"asked for", asked, Cause::kAsked},
  };
  for (const ServerCase& test : cases) {
    State state = Settled(authority);
    state.servers[1] = test.server;
    if (test.server.held.ok()) state.servers[1].authorities = Bundle(authority, kNow);
    const Plan plan = MakePlan(state, kNow);
    ASSERT_THAT(plan.servers, SizeIs(1)) << test.what;
    EXPECT_EQ(plan.servers[0].server, 1u) << test.what;
    EXPECT_EQ(plan.servers[0].cause, test.cause) << test.what;
  }
}

TEST(PlanTest, LeavesAloneWhatNobodyKnows) {
  const Authority authority = MakeAuthority();
  State state = Settled(authority);
  state.servers[0] = Without(absl::StatusCode::kUnavailable);
  state.servers[1] = Without(kNotFound);
  EXPECT_THAT(Causes(MakePlan(state, kNow)), ElementsAre(Cause::kMissing));
  state.authority.held = absl::UnavailableError("");
  const Plan plan = MakePlan(state, kNow);
  EXPECT_EQ(plan.authority, std::nullopt);
  EXPECT_THAT(plan.servers, IsEmpty());
  EXPECT_EQ(plan.bundle, "");
}

TEST(PlanTest, RotatesTheAuthority) {
  const Authority authority = MakeAuthority();
  State asked = Settled(authority);
  asked.authority.asked = true;
  EXPECT_THAT(MakePlan(asked, kNow).authority, Optional(Cause::kAsked));
  EXPECT_THAT(MakePlan(Settled(authority), kNow + kAuthorityLife * 2 / 3).authority,
              Optional(Cause::kDue));
  EXPECT_THAT(MakePlan(Settled(authority), kNow - hours(2)).authority,
              Optional(Cause::kNotYetValid));
}

// Were it impossible to write the next one, certificates must not end meanwhile.
TEST(PlanTest, PlansWithTheFormerAuthorityAsLongAsItWorks) {
  const Authority authority = MakeAuthority();
  const Time due = kNow + kAuthorityLife * 2 / 3;
  EXPECT_THAT(Causes(MakePlan(Settled(authority), due)), ElementsAre(Cause::kEnded, Cause::kEnded));
  EXPECT_THAT(MakePlan(Settled(authority), kNow + kAuthorityLife).servers, IsEmpty());
  EXPECT_THAT(MakePlan(Settled(authority), kNow - hours(2)).servers, IsEmpty());
}

// The steps of a rotation: everybody hears of the new authority, then it signs.
TEST(PlanTest, HasANewAuthorityTrustedBeforeItSigns) {
  const Authority former = MakeAuthority();
  const Authority authority = Rotate(former);
  const std::string bundle = Bundle(authority, kNow);
  State state = Settled(former);
  state.authority = Held(authority);
  Plan plan = MakePlan(state, kNow);
  EXPECT_EQ(plan.bundle, bundle);
  EXPECT_THAT(Causes(plan), ElementsAre(std::nullopt, std::nullopt));

  // The Secrets hold it, a webhook does not yet.
  for (ServerState& server : state.servers) server.authorities = bundle;
  state.bundles[0] = bundle;
  EXPECT_THAT(MakePlan(state, kNow).servers, IsEmpty());
  state.bundles[1] = bundle;
  state.knows_bundles = false;
  EXPECT_THAT(MakePlan(state, kNow).servers, IsEmpty());

  state.knows_bundles = true;
  EXPECT_THAT(Causes(MakePlan(state, kNow)), ElementsAre(Cause::kIssuer, Cause::kIssuer));
}

TEST(PlanTest, WaitsForNobodyWithACertificateThatDoesNotWorkOrIsLate) {
  const Authority authority = MakeAuthority();
  const struct {
    Time made;
    std::optional<Cause> cause;
  } cases[] = {
      {kNow - 74 * kDay, std::nullopt},
      {kNow - 75 * kDay, Cause::kDue},
      {kNow - 90 * kDay, Cause::kEnded},
      {kNow + hours(2), Cause::kNotYetValid},
  };
  for (const auto& test : cases) {
    State state = Settled(authority);
    state.bundles[0] = "";
    state.servers[0] = Held(MakeServer(authority, test.made));
    state.servers[0].authorities = Bundle(authority, kNow);
    std::vector<std::optional<Cause>> causes;
    if (test.cause) causes.push_back(test.cause);
    EXPECT_EQ(Causes(MakePlan(state, kNow)), causes);
  }
}

TEST(PlanTest, MendsBundlesThatSomebodyHasChanged) {
  const Authority authority = MakeAuthority();
  const std::string stranger = MakeAuthority().issuer.certificate.Pem();
  State state = Settled(authority);
  state.servers[1].authorities += stranger;
  state.servers[1].trusted = ParseCertificates(state.servers[1].authorities).value();
  const Plan plan = MakePlan(state, kNow);
  EXPECT_EQ(plan.bundle, authority.issuer.certificate.Pem());
  ASSERT_THAT(plan.servers, SizeIs(1));
  EXPECT_EQ(plan.servers[0].server, 1u);
  EXPECT_EQ(plan.servers[0].cause, std::nullopt);
}

TEST(PlanTest, TidiesTheAuthorityWhenAFormerHasEnded) {
  const Authority former = MakeAuthority(kNow - kDay, 2 * kDay);
  const Authority authority = Rotate(former);
  const State state = Settled(authority);
  const Time end = former.issuer.certificate.not_after();
  EXPECT_FALSE(MakePlan(state, end).tidy_authority);
  EXPECT_THAT(MakePlan(state, kNow).next, Optional(end + seconds(1)));
  const Plan plan = MakePlan(state, end + seconds(1));
  EXPECT_TRUE(plan.tidy_authority);
  EXPECT_EQ(plan.bundle, authority.issuer.certificate.Pem());
  EXPECT_THAT(Causes(plan), ElementsAre(std::nullopt, std::nullopt));
}

TEST(PlanTest, CompletesASecretThatSomebodyElseHasMade) {
  State state = Settled(MakeAuthority());
  state.authority.authorities.clear();
  EXPECT_TRUE(MakePlan(state, kNow).tidy_authority);
}

TEST(PlanTest, KeepsTrustingAnAuthorityWhoseSecretIsLost) {
  const Authority former = MakeAuthority();
  for (const absl::Status& lost : {absl::NotFoundError(""), absl::InvalidArgumentError("")}) {
    State state = Settled(former);
    state.authority = {.held = lost};
    const Plan plan = MakePlan(state, kNow);
    ASSERT_TRUE(plan.authority.has_value());
    const Authority anew = FirstAuthority(kAuthorityLife, plan.formers, kNow).value();
    EXPECT_THAT(anew.formers, ElementsAre(former.issuer.certificate));

    // Whom the servers trust may stand in the one that cannot be read.
    state.servers[1] = Without(absl::StatusCode::kUnavailable);
    EXPECT_EQ(MakePlan(state, kNow).authority, std::nullopt);
  }
}

}  // namespace
}  // namespace berth::certs
