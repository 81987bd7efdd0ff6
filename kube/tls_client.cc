#include "kube/tls_client.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <memory>
#include <string_view>

#include "fmt/format.h"
#include "kube/name_lookup.h"

namespace berth::kube {
namespace {

namespace net = boost::asio;
namespace ssl = net::ssl;
using boost::system::error_code;

/// Reads `source` and passes it to `use`, which sets an error_code. The error names the source.
template <typename Use>
absl::Status UsePem(const TextSource& source, std::string_view what, Use use) {
  const absl::StatusOr<std::string> text = source.Read();
  if (!text.ok()) return text.status();
  error_code error;
  use(net::buffer(*text), error);
  if (!error) return absl::OkStatus();
  // OpenSSL's own reason would be that something does not decrypt.
  const bool encrypted = text->find("ENCRYPTED") != std::string::npos;
  return absl::UnavailableError(fmt::format(
      "{} {} cannot be used: {}", what, source.path().empty() ? "of the kubeconfig" : source.path(),
      encrypted ? "it is encrypted; write it without a pass phrase" : error.message()));
}

// Without this callback, OpenSSL asks for a pass phrase on the terminal and waits for it, even if
// it is a certificate that is encrypted.
int NoPassPhrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*unused*/) { return -1; }

error_code ErrorOf(unsigned long code) {
  return {static_cast<int>(code), net::error::get_ssl_category()};
}

// Does what ssl::context::add_certificate_authority() does, which has no callback for pass phrases.
error_code AddAuthorities(net::const_buffer pem, ssl::context& context) {
  ERR_clear_error();
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  X509_STORE* store = SSL_CTX_get_cert_store(context.native_handle());
  for (bool added = false;; added = true) {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, nullptr), X509_free);
    if (certificate && X509_STORE_add_cert(store, certificate.get()) == 1) continue;
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const bool at_end = added && !certificate && ERR_GET_LIB(code) == ERR_LIB_PEM &&
                        ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
    return at_end ? error_code() : ErrorOf(code);
  }
}

absl::Status SetAuthority(const ApiConfig& config, ssl::context& context) {
  if (config.insecure_skip_tls_verify) {
    context.set_verify_mode(ssl::verify_none);
    return absl::OkStatus();
  }
  context.set_verify_mode(ssl::verify_peer);
  // As in Go, any certificate in the file is a trust anchor, even one that another has signed.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.native_handle()),
                              X509_V_FLAG_PARTIAL_CHAIN);
  if (!config.certificate_authority.given()) {
    context.set_default_verify_paths();
    return absl::OkStatus();
  }
  return UsePem(
      config.certificate_authority, "certificate-authority",
      [&](net::const_buffer pem, error_code& error) { error = AddAuthorities(pem, context); });
}

absl::Status SetClientCertificate(const ApiConfig& config, ssl::context& context) {
  if (!config.client_certificate.given()) return absl::OkStatus();
  // For the reason of NoPassPhrase(), which ssl::context does not take.
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; });
  absl::Status status = UsePem(
      config.client_certificate, "client-certificate",
      [&](net::const_buffer pem, error_code& error) { context.use_certificate_chain(pem, error); });
  status.Update(
      UsePem(config.client_key, "client-key", [&](net::const_buffer pem, error_code& error) {
        context.use_private_key(pem, ssl::context::pem, error);
      }));
  return status;
}

}  // namespace

absl::StatusOr<ssl::context> MakeTlsContext(const ApiConfig& config) {
  ssl::context context(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  absl::Status status = SetAuthority(config, context);
  if (status.ok()) status = SetClientCertificate(config, context);
  if (!status.ok()) return status;
  return context;
}

void ExpectServer(const ApiConfig& config, SSL* connection) {
  if (config.insecure_skip_tls_verify) return;
  const std::string& name = config.tls_server_name.empty() ? config.host : config.tls_server_name;
  X509_VERIFY_PARAM* param = SSL_get0_param(connection);
  if (IsIpLiteral(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str());
    return;
  }
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set1_host(param, name.data(), name.size());
  // SSL_set_tlsext_host_name is a macro with an old-style cast.
  SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(name.c_str()));
}

std::string CertificateTrouble(const ApiConfig& config, SSL* connection) {
  const long result = SSL_get_verify_result(connection);
  if (config.insecure_skip_tls_verify || result == X509_V_OK) return "";
  return fmt::format(" ({})", X509_verify_cert_error_string(result));
}

}  // namespace berth::kube
