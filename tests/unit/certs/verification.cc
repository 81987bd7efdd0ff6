#include "tests/unit/certs/verification.h"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>

namespace berth::certs {

std::string Verify(const SecretData& data, const std::vector<Certificate>& roots, Time now,
                   const std::string& host) {
  const std::vector<Certificate> sent = ParseCertificates(data.certificates).value();
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                      X509_STORE_free);
  for (const Certificate& root : roots) X509_STORE_add_cert(store.get(), root.handle());
  STACK_OF(X509)* chain = sk_X509_new_null();
  for (std::size_t i = 1; i < sent.size(); ++i) sk_X509_push(chain, sent[i].handle());
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), sent.front().handle(), chain);
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_time(wanted, std::chrono::system_clock::to_time_t(now));
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
  Names names;
  Add(host, names);
  if (names.dns.empty()) {
    X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  }
  const bool good = X509_verify_cert(context.get()) == 1;
  sk_X509_free(chain);
  return good ? "" : X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

}  // namespace berth::certs
