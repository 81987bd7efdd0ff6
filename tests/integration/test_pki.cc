#include "tests/integration/test_pki.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace berth::tests {
namespace {

void Check(bool ok, const char* what) {
  if (ok) return;
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  throw std::runtime_error(std::string(what) + ": " + text);
}

std::shared_ptr<EVP_PKEY> MakeKey() {
  std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  Check(key != nullptr, "EVP_EC_gen");
  return key;
}

template <typename Writer>
std::string ToPem(Writer write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  Check(bio != nullptr && write(bio.get()) == 1, "PEM_write_bio");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string CertificatePem(X509* x509) {
  return ToPem([x509](BIO* bio) { return PEM_write_bio_X509(bio, x509); });
}

std::string KeyPem(EVP_PKEY* key) {
  return ToPem([key](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

void AddExtension(X509* x509, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, x509, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&context);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  Check(extension != nullptr, value.c_str());
  const int added = X509_add_ext(x509, extension, -1);
  X509_EXTENSION_free(extension);
  Check(added == 1, "X509_add_ext");
}

void SetSerial(X509* x509) {
  unsigned char bytes[8];
  Check(RAND_bytes(bytes, sizeof bytes) == 1, "RAND_bytes");
  std::uint64_t serial = 0;
  for (const unsigned char byte : bytes) serial = serial << 8 | byte;
  Check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), serial) == 1, "serial");
}

// An unsigned certificate without extensions, issued by itself until somebody says otherwise.
std::shared_ptr<X509> MakeCertificate(const LeafOptions& options, EVP_PKEY* key) {
  std::shared_ptr<X509> x509(X509_new(), X509_free);
  Check(x509 != nullptr && X509_set_version(x509.get(), X509_VERSION_3) == 1, "X509_new");
  SetSerial(x509.get());
  X509_gmtime_adj(X509_getm_notBefore(x509.get()), options.valid_from.count());
  X509_gmtime_adj(X509_getm_notAfter(x509.get()), options.valid_until.count());
  X509_NAME* name = X509_get_subject_name(x509.get());
  const auto* text = reinterpret_cast<const unsigned char*>(options.common_name.c_str());
  Check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1, "CN");
  Check(X509_set_issuer_name(x509.get(), name) == 1, "issuer");
  Check(X509_set_pubkey(x509.get(), key) == 1, "X509_set_pubkey");
  return x509;
}

void Sign(X509* x509, EVP_PKEY* key) {
  Check(X509_sign(x509, key, EVP_sha256()) != 0, "X509_sign");
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace

TestCa::TestCa(const std::string& common_name) : key_(MakeKey()) {
  LeafOptions options;
  options.common_name = common_name;
  x509_ = MakeCertificate(options, key_.get());
  AddExtension(x509_.get(), x509_.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(x509_.get(), x509_.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(x509_.get(), x509_.get(), NID_subject_key_identifier, "hash");
  Sign(x509_.get(), key_.get());
  certificate_ = CertificatePem(x509_.get());
}

PemPair TestCa::Issue(const LeafOptions& options) const {
  const std::shared_ptr<EVP_PKEY> key = MakeKey();
  const std::shared_ptr<X509> x509 = MakeCertificate(options, key.get());
  Check(X509_set_issuer_name(x509.get(), X509_get_subject_name(x509_.get())) == 1, "issuer");
  AddExtension(x509.get(), x509_.get(), NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(x509.get(), x509_.get(), NID_ext_key_usage,
               options.use == LeafUse::kServer ? "serverAuth" : "clientAuth");
  AddExtension(x509.get(), x509_.get(), NID_authority_key_identifier, "keyid");
  if (!options.names.empty()) {
    AddExtension(x509.get(), x509_.get(), NID_subject_alt_name, Joined(options.names));
  }
  Sign(x509.get(), key_.get());
  return {CertificatePem(x509.get()), KeyPem(key.get())};
}

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::Write(std::string_view name, std::string_view text) const {
  const std::filesystem::path file = path_ / name;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
  return file.string();
}

std::string TempDir::Replace(std::string_view name, std::string_view text) const {
  const std::string written = Write(std::string(name) + ".new", text);
  const std::filesystem::path file = path_ / name;
  std::filesystem::rename(written, file);
  return file.string();
}

}  // namespace berth::tests
