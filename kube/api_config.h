#pragma once

#include <optional>
#include <string>

#include "kube/text_source.h"

namespace berth::kube {

/// An HTTP proxy that is asked for a tunnel (CONNECT).
struct ApiProxy {
  std::string host;
  std::string port;
  /// "user:password", sent as Basic authorization; empty: none.
  std::string credentials;
};

/// Where an API server is and how it is convinced. A plain value; a kubeconfig or the files of a
/// service account make one.
struct ApiConfig {
  /// False: plain HTTP, to loopback only.
  bool tls = true;
  /// A name, or an address without brackets.
  std::string host;
  std::string port;
  /// In front of every path: empty, or "/prefix".
  std::string base_path;

  /// Nothing: the server is connected to directly.
  std::optional<ApiProxy> proxy;

  /// PEM. Not given: the system's authorities.
  TextSource certificate_authority;
  /// The name that the certificate is held against; empty: `host`.
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;

  /// PEM; both or none.
  TextSource client_certificate;
  TextSource client_key;
  /// Sent as bearer token, blanks around it cut off.
  TextSource token;
};

}  // namespace berth::kube
