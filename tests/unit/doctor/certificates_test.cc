#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certs/trust.h"
#include "doctor/checks/all.h"
#include "tests/unit/certs/fixtures.h"
#include "tests/unit/doctor/fixtures.h"

namespace berth::doctor {
namespace {

using berth::tests::TestCa;
using std::chrono::days;
using std::chrono::hours;
using ::testing::HasSubstr;

model::Time Now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

TEST(Verify, TakesWhatTheAuthoritySigned) {
  const TestCa ca;
  const TestCa other("other");
  const std::string leaf = ca.Issue().certificate;
  EXPECT_TRUE(certs::Verify(leaf, ca.certificate(), Now()).ok());
  EXPECT_TRUE(certs::Verify(leaf, other.certificate() + ca.certificate(), Now()).ok());
  EXPECT_FALSE(certs::Verify(leaf, other.certificate(), Now()).ok());
  EXPECT_FALSE(certs::Verify(leaf, "", Now()).ok());
  EXPECT_FALSE(certs::Verify("", ca.certificate(), Now()).ok());
  EXPECT_THAT(std::string(certs::Verify(leaf, ca.certificate(), Now() + days(2)).message()),
              HasSubstr("expired"));
}

class CertificatesCheck : public ::testing::Test {
 protected:
  Findings Judge(std::chrono::seconds from, std::chrono::seconds until) {
    berth::tests::LeafOptions options;
    options.valid_from = from;
    options.valid_until = until;
    return JudgeSecret(
        {"berth-admission-tls", true, ca_.Issue(options).certificate, ca_.certificate()});
  }

  static Findings JudgeSecret(SecretFacts secret) {
    return JudgeSecret(std::move(secret), {{.secret = "s"}, {.secret = "berth-admission-tls"}});
  }

  static Findings JudgeSecret(SecretFacts secret,
                              std::vector<controller::ServerCertificateConfig> servers) {
    DefaultRules rules;
    rules.config.controller.certificates.servers = std::move(servers);
    Facts facts = NoFacts();
    facts.now = Now();
    facts.secrets = std::vector<SecretFacts>{std::move(secret)};
    return checks::Certificates().run(facts, rules.rules());
  }

  const TestCa ca_;
};

TEST_F(CertificatesCheck, CountsWhatIsLeft) {
  EXPECT_EQ(Only(Judge(-hours(1), hours(23))).severity, Severity::kOk);
  const Finding overdue = Only(Judge(-days(80), days(10) + hours(1)));
  EXPECT_EQ(overdue.severity, Severity::kWarning);
  EXPECT_EQ(overdue.what,
            "tls.crt of Secret berth-admission-tls (berth-test) should have been renewed: it "
            "expires in 10 days");
  EXPECT_THAT(overdue.advice, HasSubstr("`berth certs renew berth-admission-tls`"));
  const Finding ended = Only(Judge(-days(90), -hours(1)));
  EXPECT_EQ(ended.severity, Severity::kProblem);
  EXPECT_THAT(ended.what, HasSubstr(" expired on "));
  const Finding early = Only(Judge(hours(2), days(90)));
  EXPECT_EQ(early.severity, Severity::kProblem);
  EXPECT_THAT(early.what, HasSubstr("is not valid before"));
  EXPECT_THAT(early.advice, HasSubstr("clocks"));
}

TEST_F(CertificatesCheck, FindsWhatIsMissingOrDoesNotFit) {
  const std::string leaf = ca_.Issue().certificate;
  const struct {
    SecretFacts secret;
    std::string what;
  } cases[] = {
      {{"s", false, "", ""}, "Secret s does not exist, so pods that mount it cannot start"},
      {{"s", true, "", ca_.certificate()}, "tls.crt of Secret s holds no PEM certificate"},
      {{"s", true, leaf, TestCa("other").certificate()},
       "ca.crt of Secret s does not fit its tls.crt"},
      {{"s", true, leaf, ""}, "ca.crt of Secret s does not fit its tls.crt"},
  };
  for (const auto& test : cases) {
    const Finding finding = Only(JudgeSecret(test.secret));
    EXPECT_EQ(finding.severity, Severity::kProblem);
    EXPECT_THAT(finding.what, HasSubstr(test.what));
    EXPECT_FALSE(finding.advice.empty());
  }
}

// A server's certificate lets nobody in, and a client's serves nobody.
TEST_F(CertificatesCheck, HoldsCertificatesToTheirSide) {
  const certs::Authority authority = certs::MakeAuthority(Now());
  const auto judge = [&authority](certs::Usage made, certs::Usage wanted) {
    const auto data =
        certs::NewServerCertificate(authority, certs::Localhost(), hours(24), Now(), made);
    return Only(JudgeSecret({.name = "s",
                             .exists = true,
                             .chain = data->certificates,
                             .authorities = data->authorities,
                             .usage = wanted}));
  };
  for (const certs::Usage usage : {certs::Usage::kServer, certs::Usage::kClient}) {
    EXPECT_EQ(judge(usage, usage).severity, Severity::kOk);
  }
  EXPECT_THAT(judge(certs::Usage::kServer, certs::Usage::kClient).what, HasSubstr("purpose"));
  EXPECT_THAT(judge(certs::Usage::kClient, certs::Usage::kServer).what, HasSubstr("purpose"));
}

TEST_F(CertificatesCheck, MissesOnlyWhatTheControllerMakes) {
  const SecretFacts missing{.name = "berth-admission-tls"};
  EXPECT_EQ(Only(JudgeSecret(missing, {{.secret = "berth-admission-tls"}})).severity,
            Severity::kProblem);
  EXPECT_EQ(Only(JudgeSecret(missing, {{.secret = "berth-extender-tls"}})).severity, Severity::kOk)
      << "the webhook is not installed";
  const Finding elsewhere = Only(JudgeSecret(missing, {}));
  EXPECT_EQ(elsewhere.severity, Severity::kNote);
  EXPECT_THAT(elsewhere.what, HasSubstr("certificates that Berth does not make"));
}

}  // namespace
}  // namespace berth::doctor
