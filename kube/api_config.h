#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kube/text_source.h"

namespace berth::kube {

class ExecCredentials;

/// An HTTP proxy that opens a tunnel to the API server (CONNECT). A plain value.
struct ApiProxy {
  /// A name, or an address without brackets.
  std::string host;
  /// 1 to 65535, in decimal.
  std::string port;
  /// "user:password", sent as Basic authorization. Empty for none.
  std::string credentials;
};

/// The address of an API server and the credentials for it. Made from a kubeconfig or from the
/// files of a service account; see kubeconfig.h. Credentials in files are read again when they are
/// needed, because Kubernetes renews them. A plain value.
struct ApiConfig {
  /// Whether to use TLS. Plain HTTP is only for servers on loopback.
  bool tls = true;
  /// A name, or an address without brackets.
  std::string host;
  /// 1 to 65535, in decimal.
  std::string port;
  /// Comes before every path: empty, or "/prefix" without a slash at the end.
  std::string base_path;

  /// nullopt if the server is connected to directly.
  std::optional<ApiProxy> proxy;

  /// The authorities that may sign the server's certificate, in PEM. The system's if not given.
  TextSource certificate_authority;
  /// The name that the server's certificate must be valid for. `host` if empty.
  std::string tls_server_name;
  /// Whether to accept any certificate.
  bool insecure_skip_tls_verify = false;

  /// The client's certificate chain and its private key, in PEM. Both or none are given.
  TextSource client_certificate;
  TextSource client_key;
  /// Sent as bearer token, without blanks around it.
  TextSource token;
  /// Who tells the token or the client certificate when they are needed, in the place of those
  /// above. nullptr: nobody.
  std::shared_ptr<ExecCredentials> exec;
};

}  // namespace berth::kube
