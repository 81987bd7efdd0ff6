#include "server/tls.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace berth::server {
namespace {

// Certificate chains and CA bundles have some hundred KiB at most.
constexpr std::size_t kMaxFileBytes = 4 * 1024 * 1024;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

// Returns the last reason that OpenSSL gave, which never contains any of the input, and clears it.
std::string OpenSslReason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

absl::Status Wrong(const std::string& file, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", std::string(what)));
}

absl::StatusOr<std::string> ReadFile(const std::string& file, std::string_view what) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return absl::NotFoundError(absl::StrCat(file, ": cannot read the ", std::string(what), ": ",
                                            std::generic_category().message(errno)));
  }
  std::string text(kMaxFileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return absl::NotFoundError(absl::StrCat(file, ": cannot be read"));
  if (text.size() > kMaxFileBytes)
    return Wrong(file, "is larger than 4 MiB, so it is not a PEM file");
  return text;
}

Bio ReadFrom(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Without this callback, OpenSSL would ask for a pass phrase at the terminal, also for a
// certificate, because anything in PEM may be encrypted.
int NoPassPhrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

// Returns all certificates of a PEM text, in order.
absl::StatusOr<std::vector<Certificate>> ParseCertificates(const std::string& file,
                                                           const std::string& text) {
  const Bio bio = ReadFrom(text);
  std::vector<Certificate> certificates;
  bool encrypted = false;
  ERR_clear_error();
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, &encrypted)) {
    certificates.emplace_back(certificate);
  }
  if (encrypted) {
    ERR_clear_error();
    return Wrong(file, "a certificate is encrypted; write it without a pass phrase");
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!at_end) return Wrong(file, absl::StrCat("broken certificate: ", OpenSslReason()));
  ERR_clear_error();
  if (certificates.empty()) return Wrong(file, "holds no PEM certificate (BEGIN CERTIFICATE)");
  return certificates;
}

absl::StatusOr<Key> ParseKey(const std::string& file, const std::string& text) {
  const Bio bio = ReadFrom(text);
  bool encrypted = false;
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, &encrypted));
  if (key) return key;
  const std::string reason = OpenSslReason();
  if (encrypted) {
    return Wrong(file,
                 "the private key is encrypted; write it without pass phrase, e.g. by "
                 "openssl pkey -in KEY -out KEY.plain");
  }
  return Wrong(file, absl::StrCat("holds no PEM private key: ", reason));
}

std::time_t ToTime(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return timegm(&parts);
}

std::string Rfc3339(std::time_t time) {
  std::array<char, 32> text{};
  std::tm parts{};
  gmtime_r(&time, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

absl::Status CheckValidNow(const std::string& file, const X509& certificate) {
  const std::time_t from = ToTime(X509_get0_notBefore(&certificate));
  const std::time_t until = ToTime(X509_get0_notAfter(&certificate));
  const std::time_t now = std::time(nullptr);
  if (now < from) {
    return Wrong(file, absl::StrCat("the certificate is not valid before ", Rfc3339(from),
                                    "; is the clock right?"));
  }
  if (now > until) {
    return Wrong(file, absl::StrCat("the certificate expired at ", Rfc3339(until)));
  }
  return absl::OkStatus();
}

int ChooseHttp11(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* chosen_size,
                 const unsigned char* offered, unsigned int offered_size, void* /*unused*/) {
  static constexpr std::array<unsigned char, 9> kOurs{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* match = nullptr;
  const int result =
      SSL_select_next_proto(&match, chosen_size, kOurs.data(), kOurs.size(), offered, offered_size);
  *chosen = match;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Neither kube-scheduler nor kube-apiserver resumes sessions: crypto/tls needs a
// ClientSessionCache, which k8s.io/client-go/transport (v0.36.3) never sets. And for each of the
// two tickets of TLS 1.3, OpenSSL 3.0 decodes the client's certificate once more, which is a
// quarter of the cost of a handshake.
void KeepNoSessions(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

bool SetPolicy(SSL_CTX* context) {
  // A renegotiation costs the server work and gives the client nothing.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  // Otherwise every idle connection keeps 34 KB.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(context, ChooseHttp11, nullptr);
  KeepNoSessions(context);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

absl::Status UsePair(const TlsFiles& files, const std::vector<Certificate>& chain, EVP_PKEY* key,
                     SSL_CTX* context) {
  if (X509_check_private_key(chain.front().get(), key) != 1) {
    ERR_clear_error();
    return Wrong(files.key,
                 absl::StrCat("is not the key of the certificate in ", files.certificate));
  }
  bool used = SSL_CTX_use_certificate(context, chain.front().get()) == 1 &&
              SSL_CTX_use_PrivateKey(context, key) == 1;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    used = used && SSL_CTX_add1_chain_cert(context, chain[i].get()) == 1;
  }
  if (!used) return Wrong(files.certificate, absl::StrCat("cannot be used: ", OpenSslReason()));
  return absl::OkStatus();
}

absl::Status AskForClientCertificates(const TlsFiles& files, const std::string& text,
                                      SSL_CTX* context) {
  auto authorities = ParseCertificates(files.client_ca, text);
  if (!authorities.ok()) return authorities.status();
  for (const Certificate& each : *authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), each.get()) != 1 ||
        SSL_CTX_add_client_CA(context, each.get()) != 1) {
      return Wrong(files.client_ca, absl::StrCat("cannot be used: ", OpenSslReason()));
    }
  }
  const int required = files.require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | required, nullptr);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsPem> ReadTlsFiles(const TlsFiles& files) {
  TlsPem pem;
  const std::array<std::tuple<const std::string*, std::string_view, std::string*>, 3> wanted{{
      {&files.certificate, "certificate", &pem.certificate},
      {&files.key, "private key", &pem.key},
      {&files.client_ca, "client CA", &pem.client_ca},
  }};
  for (const auto& [file, what, text] : wanted) {
    if (file->empty() && what == "client CA") continue;
    auto read = ReadFile(*file, what);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  return pem;
}

absl::StatusOr<TlsContext> BuildTlsContext(const TlsFiles& files, const TlsPem& pem) {
  const auto chain = ParseCertificates(files.certificate, pem.certificate);
  if (!chain.ok()) return chain.status();
  const auto key = ParseKey(files.key, pem.key);
  if (!key.ok()) return key.status();
  const X509& leaf = *chain->front();
  if (absl::Status status = CheckValidNow(files.certificate, leaf); !status.ok()) return status;

  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context || !SetPolicy(context.get())) {
    return absl::InternalError(absl::StrCat("TLS cannot be set up: ", OpenSslReason()));
  }
  absl::Status status = UsePair(files, *chain, key->get(), context.get());
  if (status.ok() && !files.client_ca.empty()) {
    status = AskForClientCertificates(files, pem.client_ca, context.get());
  }
  if (!status.ok()) return status;
  return TlsContext{context,
                    std::chrono::system_clock::from_time_t(ToTime(X509_get0_notAfter(&leaf)))};
}

HandshakeFailure ClassifyHandshakeError(unsigned long code) {
  switch (ERR_GET_REASON(code)) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_BAD_PACKET_LENGTH:
      return HandshakeFailure::kNotTls;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_VERSION_TOO_LOW:
      return HandshakeFailure::kVersion;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return HandshakeFailure::kClientCertificate;
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return HandshakeFailure::kServerCertificate;
    default:
      return HandshakeFailure::kOther;
  }
}

}  // namespace berth::server
