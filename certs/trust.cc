#include "certs/trust.h"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>
#include <vector>

#include "certs/certificate.h"

namespace berth::certs {

namespace {

struct Free {
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
};

template <typename T>
using Owned = std::unique_ptr<T, Free>;

void Configure(X509_STORE_CTX* context, std::chrono::sys_seconds now, Usage usage) {
  X509_VERIFY_PARAM* parameters = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_time(parameters, now.time_since_epoch().count());
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_purpose(
      parameters, usage == Usage::kClient ? X509_PURPOSE_SSL_CLIENT : X509_PURPOSE_SSL_SERVER);
}

}  // namespace

absl::Status Verify(std::string_view chain, std::string_view authorities,
                    std::chrono::sys_seconds now, Usage usage) {
  const auto shown = ParseCertificates(chain);
  const auto trusted = ParseCertificates(authorities);
  if (!shown.ok()) return shown.status();
  if (!trusted.ok()) return trusted.status();
  const Owned<X509_STORE> store(X509_STORE_new());
  for (const auto& authority : *trusted) X509_STORE_add_cert(store.get(), authority.handle());
  const Owned<STACK_OF(X509)> intermediate(sk_X509_new_null());
  for (const auto& certificate : *shown) sk_X509_push(intermediate.get(), certificate.handle());
  const Owned<X509_STORE_CTX> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), shown->front().handle(), intermediate.get());
  Configure(context.get(), now, usage);
  if (X509_verify_cert(context.get()) == 1) return absl::OkStatus();
  const int error = X509_STORE_CTX_get_error(context.get());
  return absl::FailedPreconditionError(X509_verify_cert_error_string(error));
}

}  // namespace berth::certs
