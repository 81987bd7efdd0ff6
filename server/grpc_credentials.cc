#include "server/grpc_credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpcpp/security/server_credentials.h>

#include <string>
#include <utility>

namespace berth::server {
namespace {

// gRPC's own file watcher uses whatever it finds, even half a pair. Its C interface asks before
// each handshake instead, so it can be given the pairs that TlsCertificates has checked.
class MutualTlsCredentials final : public grpc::ServerCredentials {
 public:
  explicit MutualTlsCredentials(std::shared_ptr<const TlsCertificates> tls)
      : tls_(std::move(tls)),
        credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY, Fetch, this))) {}
  ~MutualTlsCredentials() override { grpc_server_credentials_release(credentials_); }
  MutualTlsCredentials(const MutualTlsCredentials&) = delete;
  MutualTlsCredentials& operator=(const MutualTlsCredentials&) = delete;

  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  // gRPC calls it on one thread at a time (security_connector/ssl,
  // try_fetch_ssl_server_credentials).
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config) {
    auto& credentials = *static_cast<MutualTlsCredentials*>(self);
    auto pem = credentials.tls_->Pem();
    if (pem == credentials.in_use_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{pem->key.c_str(), pem->certificate.c_str()};
    *config = grpc_ssl_server_certificate_config_create(pem->client_ca.c_str(), &pair, 1);
    credentials.in_use_ = std::move(pem);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<const TlsCertificates> tls_;
  std::shared_ptr<const TlsPem> in_use_;
  grpc_server_credentials* const credentials_;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MutualTls(std::shared_ptr<const TlsCertificates> tls) {
  return std::make_shared<MutualTlsCredentials>(std::move(tls));
}

}  // namespace berth::server
