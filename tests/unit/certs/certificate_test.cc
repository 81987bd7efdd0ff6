#include "certs/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/certs/fixtures.h"

namespace berth::certs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Nobody has its pass phrase, and there is no certificate in it.
constexpr char kEncryptedCertificate[] =
    "-----BEGIN CERTIFICATE-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n"
    "\n"
    "MDEyMzQ1Njc4OUFCQ0RFRg==\n"
    "-----END CERTIFICATE-----\n";

TEST(CertificateTest, TellsWhatItWasMadeWith) {
  const Authority authority = MakeAuthority();
  const SecretData data = MakeServer(authority);
  const Certificate server = ReadServerCertificate(data).value();
  EXPECT_EQ(server.not_before(), kNow - hours(1));
  EXPECT_EQ(server.not_after(), kNow + kServerLife);
  EXPECT_EQ(server.subject(), "localhost");
  EXPECT_EQ(server.issuer(), authority.issuer.certificate.subject());
  EXPECT_EQ(server.names(), Localhost());
  EXPECT_FALSE(server.IsAuthority());
  EXPECT_TRUE(server.IsSignedBy(authority.issuer.certificate));
  EXPECT_FALSE(server.IsSignedBy(MakeAuthority().issuer.certificate));
  EXPECT_TRUE(authority.issuer.certificate.IsAuthority());
  EXPECT_TRUE(authority.issuer.certificate.IsSignedBy(authority.issuer.certificate));
  EXPECT_THAT(authority.issuer.certificate.subject(), StartsWith("Berth CA "));
}

// An IPv4 certificate would else be good for an IPv6 address with the same first bytes.
TEST(CertificateTest, KeepsAddressesOfBothFamilies) {
  const Names names = NamesOf({"10.96.0.7", "fd00::7", "a." + std::string(60, 'b') + ".org"});
  const SecretData data = MakeServer(MakeAuthority(), kNow, kServerLife, names);
  EXPECT_EQ(ReadServerCertificate(data)->names(), names);
}

TEST(CertificateTest, LivesBeyondThe32BitsOfTime) {
  const Authority authority = MakeAuthority(kNow, 36500 * kDay);
  EXPECT_EQ(authority.issuer.certificate.not_after(), kNow + 36500 * kDay);
}

TEST(CertificateTest, ReadsSeveralInTheirOrder) {
  const Certificate first = MakeAuthority().issuer.certificate;
  const Certificate second = MakeAuthority().issuer.certificate;
  const auto read = ParseCertificates("Somebody's comment\n" + first.Pem() + "\n" + second.Pem());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(*read, ElementsAre(first, second));
  EXPECT_FALSE(first == second);
}

TEST(CertificateTest, RefusesOtherTexts) {
  const std::string good = MakeAuthority().issuer.certificate.Pem();
  std::string broken = good;
  broken.replace(60, 4, "!!!!");
  const struct {
    std::string text;
    const char* error;
  } cases[] = {
      {"", "holds no PEM certificate"},
      {"garbage", "holds no PEM certificate"},
      {PrivateKey::Generate()->Pem().Reveal(), "holds no PEM certificate"},
      {broken, "holds a broken certificate"},
      {good + broken, "holds a broken certificate"},
      {good.substr(0, good.size() / 2), "holds a broken certificate"},
      {kEncryptedCertificate, "holds an encrypted certificate; write it without a pass phrase"},
      {good + kEncryptedCertificate, "holds an encrypted certificate"},
  };
  for (const auto& test : cases) {
    const auto read = ParseCertificates(test.text);
    ASSERT_TRUE(absl::IsInvalidArgument(read.status())) << test.text;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(test.error)) << test.text;
  }
}

}  // namespace
}  // namespace berth::certs
