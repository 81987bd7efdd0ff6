#include "certs/authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/certs/fixtures.h"

namespace berth::certs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(AuthorityTest, IsReadAsItWasWritten) {
  const Authority authority = Rotate(MakeAuthority());
  const auto read = ReadAuthority(ToSecret(authority));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToSecret(*read), ToSecret(authority));
  EXPECT_THAT(read->chain, SizeIs(1));
  EXPECT_THAT(read->formers, SizeIs(1));
}

TEST(AuthorityTest, MayBeSomebodyElsesWithoutTheListOfTrusted) {
  SecretData data = ToSecret(MakeAuthority());
  data.authorities.clear();
  const auto read = ReadAuthority(data);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->formers, IsEmpty());
  EXPECT_EQ(Bundle(*read, kNow), read->issuer.certificate.Pem());
}

TEST(AuthorityTest, RefusesOtherDataWithoutRepeatingThem) {
  const SecretData good = ToSecret(MakeAuthority());
  const SecretData other = ToSecret(MakeAuthority());
  const SecretData server = MakeServer(MakeAuthority());
  const struct {
    SecretData data;
    const char* error;
  } cases[] = {
      {{}, "tls.crt holds no PEM certificate"},
      {{.certificates = "c2VjcmV0", .key = good.key}, "tls.crt holds no PEM certificate"},
      {{.certificates = good.certificates}, "tls.key holds no unencrypted PEM private key"},
      {{.certificates = good.certificates, .key = KeyPem("c2VjcmV0")},
       "tls.key holds no unencrypted PEM private key"},
      {{.certificates = good.certificates, .key = other.key},
       "tls.key is not the key of the certificate in tls.crt"},
      {server, "tls.crt begins with a certificate that is not an authority's"},
      {{.certificates = good.certificates, .key = good.key, .authorities = "c2VjcmV0"},
       "ca.crt holds no PEM certificate"},
  };
  for (const auto& test : cases) {
    const auto read = ReadAuthority(test.data);
    ASSERT_TRUE(absl::IsInvalidArgument(read.status())) << test.error;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(test.error));
    EXPECT_THAT(std::string(read.status().message()), Not(HasSubstr("c2Vj")));
  }
}

TEST(AuthorityTest, TrustsItselfFirstAndEachFormerOnce) {
  const Authority first = MakeAuthority();
  const Certificate root = first.issuer.certificate;
  const Certificate server = ReadServerCertificate(MakeServer(first)).value();
  const Authority second = MakeAuthority(kNow, kAuthorityLife, {root, root, server});
  EXPECT_THAT(second.formers, ElementsAre(root));
  EXPECT_EQ(Bundle(second, kNow), second.issuer.certificate.Pem() + root.Pem());
  EXPECT_THAT(second.chain, IsEmpty());  // without the former key nobody can vouch for it
}

TEST(AuthorityTest, IsFollowedByOneThatItVouchesFor) {
  const Authority first = MakeAuthority();
  const Authority second = Rotate(first, kNow + kDay);
  EXPECT_NE(second.issuer.certificate.subject(), first.issuer.certificate.subject());
  EXPECT_NE(second.issuer.key.Pem(), first.issuer.key.Pem());
  EXPECT_THAT(second.formers, ElementsAre(first.issuer.certificate));
  ASSERT_THAT(second.chain, SizeIs(1));
  const Certificate& cross = second.chain[0];
  EXPECT_TRUE(cross.IsSignedBy(first.issuer.certificate));
  EXPECT_TRUE(cross.Fits(second.issuer.key));
  EXPECT_EQ(cross.subject(), second.issuer.certificate.subject());
  EXPECT_EQ(cross.not_after(), first.issuer.certificate.not_after());
}

TEST(AuthorityTest, ForgetsFormersWhenTheyHaveEnded) {
  const Authority former = MakeAuthority(kNow, kDay);
  const Authority authority = Rotate(former);
  const Time end = former.issuer.certificate.not_after();
  EXPECT_THAT(WithoutEnded(authority, end).formers, SizeIs(1));
  EXPECT_THAT(WithoutEnded(authority, end).chain, SizeIs(1));
  EXPECT_THAT(WithoutEnded(authority, end + seconds(1)).formers, IsEmpty());
  EXPECT_THAT(WithoutEnded(authority, end + seconds(1)).chain, IsEmpty());
  EXPECT_EQ(Bundle(authority, end + seconds(1)), authority.issuer.certificate.Pem());
}

// One that was replaced too late cannot vouch for anybody.
TEST(AuthorityTest, IsFollowedByOneAloneWhenItHasEnded) {
  const Authority former = MakeAuthority(kNow, kDay);
  const Authority authority = Rotate(former, kNow + 2 * kDay);
  EXPECT_THAT(authority.formers, IsEmpty());
  EXPECT_THAT(authority.chain, IsEmpty());
}

TEST(AuthorityTest, KeepsTheListsShort) {
  Authority authority = MakeAuthority();
  std::vector<Certificate> made;
  for (std::size_t i = 0; i < kMaxFormers + 3; ++i) {
    made.insert(made.begin(), authority.issuer.certificate);
    authority = Rotate(authority);
  }
  made.resize(kMaxFormers, made.front());
  EXPECT_EQ(authority.formers, made);
  EXPECT_THAT(authority.chain, SizeIs(kMaxFormers));
}

}  // namespace
}  // namespace berth::certs
