#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/api_config.h"
#include "kube/kubeconfig.h"

namespace berth::kube {

/// Sets the proxy of `config` from "http://[user:password@]host[:port]". The scheme is http if
/// missing, and the port 80. User and password may have percent escapes, "%40" for "@". Returns
/// InvalidArgument, without the password, if the scheme is another, there is no host, or an escape
/// is broken.
absl::Status ParseProxyUrl(std::string_view url, ApiConfig& config);

/// Sets the proxy of `config` from HTTPS_PROXY, as Go programs do. Does nothing if `config` has a
/// proxy already, if its host is on loopback, or if NO_PROXY names the host. Both variables are
/// also read in lower case. Returns InvalidArgument if the URL cannot be used.
/// https://pkg.go.dev/golang.org/x/net/http/httpproxy
absl::Status UseProxyOf(const Environment& environment, ApiConfig& config);

/// Whether an entry of `no_proxy` names the host. Entries are separated by commas or blanks, and
/// each may end with a port. An entry is "*", an address, a network ("10.0.0.0/8") or a domain:
/// "example.com" includes all subdomains, and ".example.com" only these.
bool IsExemptFromProxy(std::string_view no_proxy, std::string_view host, std::string_view port);

}  // namespace berth::kube
