// Whatever a Secret holds, reading it ends in a certificate with its key or in a sentence: no
// crash, no hang. The sanitizers' builds run this too. Mutations come from a fixed seed; a failure
// names its round.

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "certs/plan.h"
#include "tests/unit/certs/fixtures.h"
#include "tests/unit/mutator.h"

namespace berth::certs {
namespace {

constexpr int kRounds = 2000;
constexpr std::size_t kLine = 64;

constexpr char kBegin[] = "-----BEGIN CERTIFICATE-----\n";
constexpr char kEnd[] = "-----END CERTIFICATE-----\n";

// What is within the armour.
std::string DerOf(const Certificate& certificate) {
  const std::string pem = certificate.Pem();
  std::string base64 = pem.substr(sizeof kBegin - 1, pem.find(kEnd) - sizeof kBegin + 1);
  std::erase(base64, '\n');
  std::string der;
  absl::Base64Unescape(base64, &der);
  return der;
}

std::string PemOf(const std::string& der) {
  std::string base64 = absl::Base64Escape(der);
  for (std::size_t at = kLine; at < base64.size(); at += kLine + 1) base64.insert(at, 1, '\n');
  return kBegin + base64 + "\n" + kEnd;
}

// All that is asked of a certificate that could be read.
void Use(const Certificate& certificate, const Authority& authority) {
  (void)certificate.subject();
  (void)certificate.issuer();
  (void)certificate.IsAuthority();
  (void)Texts(certificate.names());
  (void)WhyNewCertificate(certificate, Localhost(), Usage::kServer, authority.issuer.certificate,
                          false, kNow);
}

TEST(Mutation, OfTextsIsReadOrRefused) {
  const Authority authority = Rotate(MakeAuthority());
  const SecretData good = ToSecret(authority);
  berth::tests::Mutator mutate;
  int read = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    SecretData data = good;
    if (round % 3 == 0) data.certificates = mutate(data.certificates);
    if (round % 3 == 1) data.key = KeyPem(mutate(data.key.Reveal()));
    if (round % 3 == 2) data.authorities = mutate(data.authorities);
    const auto held = ReadAuthority(data);
    if (!held.ok()) {
      ASSERT_TRUE(absl::IsInvalidArgument(held.status())) << held.status();
      continue;
    }
    ++read;
    ASSERT_TRUE(held->issuer.certificate.Fits(held->issuer.key));
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, kRounds);
}

TEST(Mutation, OfCertificatesIsReadOrRefused) {
  const Authority authority = MakeAuthority();
  const SecretData good = MakeServer(authority);
  const std::string der = DerOf(ReadServerCertificate(good).value());
  ASSERT_EQ(ParseCertificates(PemOf(der))->front(), ReadServerCertificate(good).value());
  berth::tests::Mutator mutate;
  int trusted = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const std::string mutated = mutate(der);
    const auto certificates = ParseCertificates(PemOf(mutated));
    if (!certificates.ok()) continue;
    Use(certificates->front(), authority);
    const bool changed = !(certificates->front() == ReadServerCertificate(good).value());
    if (changed && certificates->front().IsSignedBy(authority.issuer.certificate)) ++trusted;
  }
  EXPECT_EQ(trusted, 0);
}

}  // namespace
}  // namespace berth::certs
