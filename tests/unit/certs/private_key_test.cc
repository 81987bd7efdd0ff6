#include "certs/private_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <concepts>
#include <ostream>

namespace berth::certs {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A key encrypted with a pass phrase, of no other use.
constexpr char kEncrypted[] =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi+DtVMeMZTgQICCAAw\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

template <typename T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};

static_assert(!Streamable<KeyPem> && !std::convertible_to<KeyPem, std::string>);
static_assert(!Streamable<PrivateKey>);

TEST(PrivateKeyTest, IsOnCurveP256) {
  const PrivateKey key = PrivateKey::Generate().value();
  EXPECT_EQ(EVP_PKEY_get_base_id(key.handle()), EVP_PKEY_EC);
  EXPECT_EQ(EVP_PKEY_get_bits(key.handle()), 256);
}

TEST(PrivateKeyTest, IsAnotherEachTime) {
  EXPECT_NE(PrivateKey::Generate()->Pem(), PrivateKey::Generate()->Pem());
}

TEST(PrivateKeyTest, IsReadAsItWasWritten) {
  const PrivateKey key = PrivateKey::Generate().value();
  EXPECT_THAT(key.Pem().Reveal(), StartsWith("-----BEGIN PRIVATE KEY-----\n"));
  const auto read = PrivateKey::Parse(key.Pem());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(EVP_PKEY_eq(read->handle(), key.handle()), 1);
}

TEST(PrivateKeyTest, RefusesOtherTextsWithoutRepeatingThem) {
  std::string broken = PrivateKey::Generate()->Pem().Reveal();
  broken.replace(60, 4, "!!!!");
  for (const std::string& text :
       {std::string(), std::string("c2VjcmV0"), broken, std::string(kEncrypted)}) {
    const auto key = PrivateKey::Parse(KeyPem(text));
    ASSERT_TRUE(absl::IsInvalidArgument(key.status()));
    EXPECT_THAT(std::string(key.status().message()),
                HasSubstr("holds no unencrypted PEM private key"));
    EXPECT_THAT(std::string(key.status().message()), Not(HasSubstr("c2Vj")));
  }
}

}  // namespace
}  // namespace berth::certs
