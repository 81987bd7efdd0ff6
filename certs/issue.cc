#include "certs/issue.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "certs/openssl.h"

namespace berth::certs {

namespace {

using X509Handle = std::unique_ptr<X509, Deleter<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using NewGeneralNames = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;

// RFC 5280, 4.1.2.2: a serial number is positive and has at most 20 octets.
constexpr std::size_t kSerialBytes = 16;
// RFC 5280, appendix A.1: ub-common-name.
constexpr std::size_t kMaxCommonName = 64;

bool SetSerial(X509* x509) {
  std::array<unsigned char, kSerialBytes> bytes{};
  if (RAND_bytes(bytes.data(), kSerialBytes) != 1) return false;
  const std::unique_ptr<BIGNUM, Deleter<BN_free>> number(
      BN_bin2bn(bytes.data(), kSerialBytes, nullptr));
  return number != nullptr &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(x509)) != nullptr;
}

bool SetTime(ASN1_TIME* time, Time value) {
  return ASN1_TIME_set(time, std::chrono::system_clock::to_time_t(value)) != nullptr;
}

bool SetCommonName(X509* x509, std::string_view text) {
  return X509_NAME_add_entry_by_NID(X509_get_subject_name(x509), NID_commonName, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

bool AddExtension(X509* x509, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, x509, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&context);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension != nullptr && X509_add_ext(x509, extension.get(), -1) == 1;
}

// Takes ownership of `value`.
bool Append(GENERAL_NAMES* names, int type, ASN1_STRING* value) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  GENERAL_NAME_set0_value(name, type, value);
  return sk_GENERAL_NAME_push(names, name) > 0;
}

bool AppendDns(GENERAL_NAMES* names, const std::string& dns) {
  ASN1_STRING* value = ASN1_IA5STRING_new();
  ASN1_STRING_set(value, dns.data(), static_cast<int>(dns.size()));
  return Append(names, GEN_DNS, value);
}

bool AppendAddress(GENERAL_NAMES* names, const std::string& address) {
  ASN1_STRING* value = a2i_IPADDRESS(address.c_str());
  return value != nullptr && Append(names, GEN_IPADD, value);
}

bool AddNames(X509* x509, const Names& names) {
  const NewGeneralNames all(GENERAL_NAMES_new());
  bool added = all != nullptr;
  for (const std::string& dns : names.dns) added = added && AppendDns(all.get(), dns);
  for (const std::string& address : names.addresses) {
    added = added && AppendAddress(all.get(), address);
  }
  return added && X509_add1_ext_i2d(x509, NID_subject_alt_name, all.get(), 0, 0) == 1;
}

// Makes a certificate without subject, issuer, extensions and signature.
X509Handle NewCertificate(EVP_PKEY* key, const Validity& validity) {
  X509Handle x509(X509_new());
  const bool made = x509 != nullptr && X509_set_version(x509.get(), X509_VERSION_3) == 1 &&
                    SetSerial(x509.get()) &&
                    SetTime(X509_getm_notBefore(x509.get()), validity.not_before) &&
                    SetTime(X509_getm_notAfter(x509.get()), validity.not_after) &&
                    X509_set_pubkey(x509.get(), key) == 1;
  return made ? std::move(x509) : nullptr;
}

bool AddAuthorityExtensions(X509* x509, X509* issuer) {
  return AddExtension(x509, issuer, NID_basic_constraints, "critical,CA:TRUE") &&
         AddExtension(x509, issuer, NID_key_usage, "critical,keyCertSign,cRLSign") &&
         AddExtension(x509, issuer, NID_subject_key_identifier, "hash") &&
         AddExtension(x509, issuer, NID_authority_key_identifier, "keyid");
}

bool AddLeafExtensions(X509* x509, X509* issuer, Usage usage) {
  return AddExtension(x509, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(x509, issuer, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(x509, issuer, NID_ext_key_usage,
                      usage == Usage::kClient ? "clientAuth" : "serverAuth") &&
         AddExtension(x509, issuer, NID_subject_key_identifier, "hash") &&
         AddExtension(x509, issuer, NID_authority_key_identifier, "keyid");
}

bool SetIssuer(X509* x509, X509* issuer) {
  return X509_set_issuer_name(x509, X509_get_subject_name(issuer)) == 1;
}

bool Sign(X509* x509, const PrivateKey& key) {
  return X509_sign(x509, key.handle(), EVP_sha256()) != 0;
}

// Returns a name that no other authority has: it comes from the serial number.
std::string RootName(const X509* x509) {
  const std::unique_ptr<BIGNUM, Deleter<BN_free>> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509), nullptr));
  const std::unique_ptr<char, void (*)(char*)> hex(BN_bn2hex(number.get()),
                                                   [](char* text) { OPENSSL_free(text); });
  return "Berth CA " + std::string(hex.get()).substr(0, 8);
}

// Returns a name for people, which nobody verifies.
std::string LeafName(const Names& names) {
  for (const std::string& name : names.dns) {
    if (name.size() <= kMaxCommonName) return name;
  }
  return "Berth";
}

}  // namespace

Validity ValidFor(std::chrono::seconds life, Time now) { return {now - kBackdate, now + life}; }

absl::StatusOr<Certificate> IssueRoot(const PrivateKey& key, const Validity& validity) {
  X509Handle x509 = NewCertificate(key.handle(), validity);
  const bool made = x509 != nullptr && SetCommonName(x509.get(), RootName(x509.get())) &&
                    SetIssuer(x509.get(), x509.get()) &&
                    AddAuthorityExtensions(x509.get(), x509.get()) && Sign(x509.get(), key);
  if (!made) return OpenSslError("cannot make an authority");
  return Certificate(x509.release());
}

absl::StatusOr<Certificate> IssueCross(const Certificate& root, const Issuer& former,
                                       const Validity& validity) {
  X509* const issuer = former.certificate.handle();
  X509Handle x509 = NewCertificate(X509_get0_pubkey(root.handle()), validity);
  const bool made = x509 != nullptr &&
                    X509_set_subject_name(x509.get(), X509_get_subject_name(root.handle())) == 1 &&
                    SetIssuer(x509.get(), issuer) && AddAuthorityExtensions(x509.get(), issuer) &&
                    Sign(x509.get(), former.key);
  if (!made) return OpenSslError("cannot sign an authority with the previous one");
  return Certificate(x509.release());
}

absl::StatusOr<Certificate> IssueLeaf(const PrivateKey& key, const Names& names, Usage usage,
                                      const Issuer& issuer, const Validity& validity) {
  X509* const by = issuer.certificate.handle();
  X509Handle x509 = NewCertificate(key.handle(), validity);
  const bool made = x509 != nullptr && SetCommonName(x509.get(), LeafName(names)) &&
                    SetIssuer(x509.get(), by) && AddLeafExtensions(x509.get(), by, usage) &&
                    AddNames(x509.get(), names) && Sign(x509.get(), issuer.key);
  if (!made) return OpenSslError("cannot make a certificate");
  return Certificate(x509.release());
}

}  // namespace berth::certs
