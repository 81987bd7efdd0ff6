#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/api_config.h"
#include "kube/kubeconfig.h"

namespace berth::kube {

/// Sets the proxy of `config` from "http://[user:password@]host[:port]"; other schemes are refused.
/// Without a scheme it is http, and without a port 80.
absl::Status ParseProxyUrl(std::string_view url, ApiConfig& config);

/// Sets the proxy of `config`, unless it has one, as Go programs do it: from HTTPS_PROXY, but where
/// NO_PROXY names the host. Both are known in lower case too; an address of loopback is never asked
/// for by a proxy. https://pkg.go.dev/golang.org/x/net/http/httpproxy
absl::Status UseProxyOf(const Environment& environment, ApiConfig& config);

/// Whether an entry of `no_proxy` names the host: "*", an address, a network ("10.0.0.0/8"), a
/// domain
/// ("example.com" with all below, ".example.com" without itself), each with or without a port.
bool IsExemptFromProxy(std::string_view no_proxy, std::string_view host, std::string_view port);

}  // namespace berth::kube
