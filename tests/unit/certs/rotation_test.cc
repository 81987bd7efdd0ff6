// What clients can verify while one authority follows another, whatever they trust by then.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/certs/fixtures.h"
#include "tests/unit/certs/verification.h"

namespace berth::certs {
namespace {

constexpr char kUnknownIssuer[] = "unable to get local issuer certificate";

class RotationTest : public ::testing::Test {
 protected:
  const Authority first_ = MakeAuthority(kNow, 300 * kDay);
  const Certificate old_root_ = first_.issuer.certificate;
  const Time rotated_ = kNow + 200 * kDay;
  const Authority second_ = Rotate(first_, rotated_, 300 * kDay);
  const Certificate new_root_ = second_.issuer.certificate;
};

TEST_F(RotationTest, NewCertificatesAreGoodForWhoTrustsTheFormerAlone) {
  const SecretData server = MakeServer(second_, rotated_);
  EXPECT_EQ(Verify(server, {old_root_}, rotated_), "");
  EXPECT_EQ(Verify(server, {new_root_}, rotated_), "");
  EXPECT_EQ(Verify(server, {old_root_, new_root_}, rotated_), "");
  EXPECT_EQ(Verify(server, {new_root_, old_root_}, rotated_), "");
}

TEST_F(RotationTest, OldCertificatesAreGoodForWhoTrustsBoth) {
  const SecretData server = MakeServer(first_, rotated_ - kDay);
  EXPECT_EQ(Verify(server, {old_root_}, rotated_), "");
  EXPECT_EQ(Verify(server, {new_root_, old_root_}, rotated_), "");
  EXPECT_EQ(Verify(server, {new_root_}, rotated_), kUnknownIssuer);
}

TEST_F(RotationTest, TheFormerIsTrustedUntilItEnds) {
  const Time end = old_root_.not_after();
  const SecretData server = MakeServer(second_, end - kDay);
  EXPECT_EQ(Verify(server, {old_root_}, end - seconds(1)), "");
  EXPECT_NE(Verify(server, {old_root_}, end + seconds(1)), "");
  // Who trusts both never notices.
  EXPECT_EQ(Verify(server, {old_root_, new_root_}, end + seconds(1)), "");
  EXPECT_EQ(Verify(server, {new_root_}, end + seconds(1)), "");
}

TEST_F(RotationTest, CertificatesMadeAfterItsEndComeWithoutIt) {
  const SecretData server = MakeServer(second_, old_root_.not_after() + kDay);
  EXPECT_EQ(ParseCertificates(server.certificates)->size(), 1u);
  EXPECT_EQ(server.authorities, new_root_.Pem());
}

TEST_F(RotationTest, SeveralInARowAreGoodForWhoTrustsTheVeryFirst) {
  const Authority third = Rotate(second_, rotated_ + kDay, 300 * kDay);
  const SecretData server = MakeServer(third, rotated_ + kDay);
  for (const Certificate& root : {old_root_, new_root_, third.issuer.certificate}) {
    EXPECT_EQ(Verify(server, {root}, rotated_ + kDay), "") << root.subject();
  }
}

TEST_F(RotationTest, AStrangerVouchesForNobody) {
  const Authority stranger = Rotate(MakeAuthority());
  EXPECT_EQ(Verify(MakeServer(stranger), {old_root_}, kNow), kUnknownIssuer);
}

// Without the former key, as when its Secret was deleted, old and new are two worlds: those who
// trust both get along.
TEST_F(RotationTest, ANewBeginningTakesWhoTrustsBoth) {
  const Authority anew = MakeAuthority(rotated_, 300 * kDay, {old_root_});
  const SecretData server = MakeServer(anew, rotated_);
  EXPECT_EQ(Verify(server, {old_root_}, rotated_), kUnknownIssuer);
  EXPECT_EQ(Verify(server, TrustedBy(server), rotated_), "");
  EXPECT_EQ(Verify(MakeServer(first_, rotated_), TrustedBy(server), rotated_), "");
}

}  // namespace
}  // namespace berth::certs
