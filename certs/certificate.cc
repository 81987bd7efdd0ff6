#include "certs/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <array>
#include <ctime>

#include "certs/openssl.h"

namespace berth::certs {

namespace {

using GeneralNames = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;

Time ToTime(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return Time(std::chrono::seconds(timegm(&parts)));
}

std::string TextOf(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

std::string CommonName(const X509_NAME* name) {
  const int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (index < 0) return "";
  return TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)));
}

std::string AddressText(const ASN1_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == sizeof(in_addr) ? AF_INET : AF_INET6;
  const bool known = family == AF_INET || ASN1_STRING_length(address) == sizeof(in6_addr);
  if (known) inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), text.size());
  return text.data();
}

}  // namespace

Certificate::Certificate(X509* x509) : x509_(x509, X509_free) {}

std::string Certificate::Pem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), handle());
  return certs::TextOf(bio.get());
}

Time Certificate::not_before() const { return ToTime(X509_get0_notBefore(handle())); }
Time Certificate::not_after() const { return ToTime(X509_get0_notAfter(handle())); }

std::string Certificate::subject() const { return CommonName(X509_get_subject_name(handle())); }
std::string Certificate::issuer() const { return CommonName(X509_get_issuer_name(handle())); }

Names Certificate::names() const {
  Names names;
  const GeneralNames all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(handle(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) names.dns.insert(TextOf(name->d.dNSName));
    if (name->type == GEN_IPADD) names.addresses.insert(AddressText(name->d.iPAddress));
  }
  return names;
}

bool Certificate::IsAuthority() const { return X509_check_ca(handle()) == 1; }

bool Certificate::IsSignedBy(const Certificate& issuer) const {
  const bool named = X509_check_issued(issuer.handle(), handle()) == X509_V_OK;
  const bool is = named && X509_verify(handle(), X509_get0_pubkey(issuer.handle())) == 1;
  ERR_clear_error();
  return is;
}

bool Certificate::Fits(const PrivateKey& key) const {
  const bool fits = X509_check_private_key(handle(), key.handle()) == 1;
  ERR_clear_error();
  return fits;
}

bool Certificate::IsFor(Usage usage) const {
  const int purpose = usage == Usage::kClient ? X509_PURPOSE_SSL_CLIENT : X509_PURPOSE_SSL_SERVER;
  return X509_check_purpose(handle(), purpose, 0) == 1;
}

bool operator==(const Certificate& a, const Certificate& b) {
  return X509_cmp(a.handle(), b.handle()) == 0;
}

absl::StatusOr<std::vector<Certificate>> ParseCertificates(std::string_view pem) {
  const Bio bio = ReadFrom(pem);
  std::vector<Certificate> certificates;
  bool encrypted = false;
  ERR_clear_error();
  while (X509* x509 = PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, &encrypted)) {
    certificates.emplace_back(x509);
  }
  if (encrypted) {
    ERR_clear_error();
    return absl::InvalidArgumentError(
        "holds an encrypted certificate; write it without a pass phrase");
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end) return OpenSslError("holds a broken certificate");
  ERR_clear_error();
  if (certificates.empty()) return absl::InvalidArgumentError("holds no PEM certificate");
  return certificates;
}

std::string ToPem(std::span<const Certificate> certificates) {
  std::string text;
  for (const Certificate& each : certificates) text += each.Pem();
  return text;
}

}  // namespace berth::certs
