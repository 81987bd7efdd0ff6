#include "certs/server_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/certs/fixtures.h"
#include "tests/unit/certs/verification.h"

namespace berth::certs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ServerCertificateTest, IsGoodForItsNamesAndNoOthers) {
  const Authority authority = MakeAuthority();
  const SecretData data = MakeServer(authority);
  const std::vector<Certificate> roots{authority.issuer.certificate};
  for (const char* host : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_EQ(Verify(data, roots, kNow, host), "") << host;
  }
  EXPECT_EQ(Verify(data, roots, kNow, "berth-extender"), "hostname mismatch");
  EXPECT_EQ(Verify(data, roots, kNow, "127.0.0.2"), "IP address mismatch");
  EXPECT_EQ(Verify(data, {MakeAuthority().issuer.certificate}, kNow),
            "unable to get local issuer certificate");
}

TEST(ServerCertificateTest, IsGoodForClocksThatAreAnHourBehindUntilItEnds) {
  const Authority authority = MakeAuthority();
  const SecretData data = MakeServer(authority);
  const std::vector<Certificate> roots{authority.issuer.certificate};
  EXPECT_EQ(Verify(data, roots, kNow - hours(1)), "");
  EXPECT_EQ(Verify(data, roots, kNow - hours(1) - seconds(1)), "certificate is not yet valid");
  EXPECT_EQ(Verify(data, roots, kNow + kServerLife - seconds(1)), "");
  EXPECT_EQ(Verify(data, roots, kNow + kServerLife), "certificate has expired");
}

// By the same authority, so that a server has to trust one alone.
TEST(ServerCertificateTest, IsForOneSideOfAConnection) {
  const Authority authority = MakeAuthority();
  const SecretData data =
      NewServerCertificate(authority, Localhost(), kServerLife, kNow, Usage::kClient).value();
  const Certificate client = ReadServerCertificate(data).value();
  EXPECT_EQ(Verify(data, {authority.issuer.certificate}, kNow), "unsuitable certificate purpose");
  EXPECT_TRUE(client.IsFor(Usage::kClient));
  EXPECT_FALSE(client.IsFor(Usage::kServer));
  const Certificate server = ReadServerCertificate(MakeServer(authority)).value();
  EXPECT_TRUE(server.IsFor(Usage::kServer));
  EXPECT_FALSE(server.IsFor(Usage::kClient));
}

TEST(ServerCertificateTest, HasAKeyOfItsOwnEachTime) {
  const Authority authority = MakeAuthority();
  EXPECT_NE(MakeServer(authority).key, MakeServer(authority).key);
}

TEST(ServerCertificateTest, DoesNotOutliveItsAuthority) {
  const Authority authority = MakeAuthority(kNow, kDay);
  const Certificate server = ReadServerCertificate(MakeServer(authority)).value();
  EXPECT_EQ(server.not_after(), kNow + kDay);
}

TEST(ServerCertificateTest, ComesWithAllWhoAreTrusted) {
  const Authority former = MakeAuthority();
  const Authority authority = Rotate(former);
  const SecretData data = MakeServer(authority);
  EXPECT_EQ(data.authorities, Bundle(authority, kNow));
  EXPECT_THAT(TrustedBy(data),
              ElementsAre(authority.issuer.certificate, former.issuer.certificate));
}

TEST(ServerCertificateTest, TrustsNobodyWhereItIsGarbage) {
  EXPECT_THAT(TrustedBy({}), IsEmpty());
  EXPECT_THAT(TrustedBy({.authorities = "garbage"}), IsEmpty());
}

TEST(ServerCertificateTest, RefusesOtherDataWithoutRepeatingThem) {
  const Authority authority = MakeAuthority();
  const SecretData good = MakeServer(authority);
  const struct {
    SecretData data;
    const char* error;
  } cases[] = {
      {{}, "tls.crt holds no PEM certificate"},
      {{.certificates = good.certificates, .key = KeyPem("c2VjcmV0")},
       "tls.key holds no unencrypted PEM private key"},
      {{.certificates = good.certificates, .key = MakeServer(authority).key},
       "tls.key is not the key of the certificate in tls.crt"},
  };
  for (const auto& test : cases) {
    const auto read = ReadServerCertificate(test.data);
    ASSERT_TRUE(absl::IsInvalidArgument(read.status())) << test.error;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(test.error));
    EXPECT_THAT(std::string(read.status().message()), Not(HasSubstr("c2Vj")));
  }
}

}  // namespace
}  // namespace berth::certs
