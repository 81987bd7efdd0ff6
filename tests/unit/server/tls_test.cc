#include "server/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "server/tls_certificates.h"
#include "tests/integration/test_pki.h"

namespace berth::server {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::LeafOptions;
using tests::PemPair;
using tests::TempDir;
using tests::TestCa;

const TlsFiles kFiles{"/etc/tls.crt", "/etc/tls.key", "", true};

// Nobody has its pass phrase, and there is no certificate in it.
constexpr char kEncryptedCertificate[] =
    "-----BEGIN CERTIFICATE-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n"
    "\n"
    "MDEyMzQ1Njc4OUFCQ0RFRg==\n"
    "-----END CERTIFICATE-----\n";

// One authority is enough: making keys takes time.
const TestCa& Ca() {
  static const TestCa& ca = *new TestCa();
  return ca;
}

PemPair Valid(seconds from, seconds until) {
  LeafOptions leaf;
  leaf.valid_from = from;
  leaf.valid_until = until;
  return Ca().Issue(leaf);
}

std::string Encrypted(const std::string& key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(
      BIO_new_mem_buf(key.data(), static_cast<int>(key.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> parsed(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  const std::string phrase = "open sesame";
  PEM_write_bio_PKCS8PrivateKey(out.get(), parsed.get(), EVP_aes_256_cbc(), phrase.data(),
                                static_cast<int>(phrase.size()), nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string ErrorOf(const std::string& certificate, const std::string& key) {
  return BuildTlsContext(kFiles, {certificate, key, ""}).status().ToString();
}

TEST(TlsTest, BuildsAContextFromAPair) {
  const PemPair pair = Valid(seconds(-60), seconds(3600));
  const auto context = BuildTlsContext(kFiles, {pair.certificate, pair.key, ""});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(SSL_CTX_get_min_proto_version(context->handle.get()), TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_get_verify_mode(context->handle.get()), SSL_VERIFY_NONE);
  const auto left = context->not_after - std::chrono::system_clock::now();
  EXPECT_GT(left, seconds(3500));
  EXPECT_LE(left, seconds(3600));
}

TEST(TlsTest, SendsIntermediateCertificatesToo) {
  const PemPair pair = Ca().Issue();
  const auto context =
      BuildTlsContext(kFiles, {pair.certificate + Ca().certificate(), pair.key, ""});
  ASSERT_TRUE(context.ok()) << context.status();
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(context->handle.get(), &chain);
  EXPECT_EQ(sk_X509_num(chain), 1);
}

TEST(TlsTest, SaysWhichFileIsWrongAndHow) {
  const PemPair pair = Ca().Issue();
  const PemPair other = Ca().Issue();
  const PemPair expired = Valid(seconds(-7200), seconds(-3600));
  const PemPair early = Valid(seconds(3600), seconds(7200));
  const struct {
    std::string certificate;
    std::string key;
    const char* error;
  } table[] = {
      {"", pair.key, "/etc/tls.crt: holds no PEM certificate"},
      {"text", pair.key, "/etc/tls.crt: holds no PEM certificate"},
      {pair.key, pair.key, "/etc/tls.crt: holds no PEM certificate"},
      {pair.certificate.substr(0, 200), pair.key, "/etc/tls.crt: broken certificate"},
      {pair.certificate + other.certificate.substr(0, 200), pair.key,
       "/etc/tls.crt: broken certificate"},
      {kEncryptedCertificate, pair.key,
       "/etc/tls.crt: a certificate is encrypted; write it without a pass phrase"},
      {pair.certificate + kEncryptedCertificate, pair.key,
       "/etc/tls.crt: a certificate is encrypted"},
      {pair.certificate, "", "/etc/tls.key: holds no PEM private key"},
      {pair.certificate, pair.certificate, "/etc/tls.key: holds no PEM private key"},
      {pair.certificate, pair.key.substr(0, 60), "/etc/tls.key: holds no PEM private key"},
      {pair.certificate, Encrypted(pair.key), "/etc/tls.key: the private key is encrypted"},
      {pair.certificate, other.key,
       "/etc/tls.key: is not the key of the certificate in /etc/tls.crt"},
      {expired.certificate, expired.key, "/etc/tls.crt: the certificate expired at 20"},
      {early.certificate, early.key, "/etc/tls.crt: the certificate is not valid before 20"},
  };
  for (const auto& row : table) {
    const std::string error = ErrorOf(row.certificate, row.key);
    EXPECT_THAT(error, HasSubstr(row.error));
    // Neither PEM lines nor base64 of the key.
    EXPECT_THAT(error, AllOf(Not(HasSubstr("-----")), Not(HasSubstr(pair.key.substr(40, 10)))));
  }
}

TEST(TlsTest, AsksForClientCertificates) {
  const PemPair pair = Ca().Issue();
  TlsFiles files = kFiles;
  files.client_ca = "/etc/ca.crt";
  const TlsPem pem{pair.certificate, pair.key, Ca().certificate()};
  EXPECT_EQ(SSL_CTX_get_verify_mode(BuildTlsContext(files, pem)->handle.get()),
            SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT);
  files.require_client_certificate = false;
  EXPECT_EQ(SSL_CTX_get_verify_mode(BuildTlsContext(files, pem)->handle.get()), SSL_VERIFY_PEER);
  const auto broken = BuildTlsContext(files, {pair.certificate, pair.key, "nothing"});
  EXPECT_THAT(broken.status().ToString(), HasSubstr("/etc/ca.crt: holds no PEM certificate"));
  const auto encrypted =
      BuildTlsContext(files, {pair.certificate, pair.key, kEncryptedCertificate});
  EXPECT_THAT(encrypted.status().ToString(), HasSubstr("/etc/ca.crt: a certificate is encrypted"));
}

TEST(TlsTest, ReadsFilesTogether) {
  const TempDir directory;
  TlsFiles files;
  files.certificate = directory.Write("crt", "C");
  files.key = directory.Write("key", "K");
  EXPECT_EQ(*ReadTlsFiles(files), (TlsPem{"C", "K", ""}));
  files.client_ca = directory.path() / "ca";
  EXPECT_THAT(ReadTlsFiles(files).status().ToString(),
              AllOf(HasSubstr("ca: cannot read the client CA"), HasSubstr("No such file")));
  directory.Write("ca", "A");
  EXPECT_EQ(*ReadTlsFiles(files), (TlsPem{"C", "K", "A"}));
  directory.Write("ca", std::string(5'000'000, 'x'));
  EXPECT_THAT(ReadTlsFiles(files).status().ToString(), HasSubstr("larger than 4 MiB"));
}

TEST(TlsCertificatesTest, TellsHowLongTheCertificateLasts) {
  const TempDir directory;
  const PemPair pair = Valid(seconds(-60), seconds(1000));
  TlsCertificatesOptions options;
  options.files.certificate = directory.Write("tls.crt", pair.certificate);
  options.files.key = directory.Write("tls.key", pair.key);
  const auto certificates = TlsCertificates::Open(options);
  ASSERT_TRUE(certificates.ok()) << certificates.status();
  EXPECT_NE((*certificates)->Current(), nullptr);
  EXPECT_NEAR((*certificates)->TimeLeft().count(), 1000, 60);
}

TEST(TlsCertificatesTest, DoesNotStartWithoutAValidPair) {
  TlsCertificatesOptions options;
  options.files.certificate = "/nonexistent/tls.crt";
  options.files.key = "/nonexistent/tls.key";
  EXPECT_THAT(TlsCertificates::Open(options).status().ToString(),
              HasSubstr("/nonexistent/tls.crt: cannot read the certificate: No such file"));
}

}  // namespace
}  // namespace berth::server
