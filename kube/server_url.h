#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kube/api_config.h"

namespace berth::kube {

/// Sets tls, host, port and base_path of `config` from "https://host[:port][/path]". The port is
/// 443 if missing, and the host may be an IPv6 address in brackets. Plain http:// (port 80) is
/// accepted for loopback only, for `kubectl proxy`. Returns InvalidArgument, with a sentence about
/// the URL but without a password in it, for everything else; a part of `config` may be set then.
absl::Status ParseServerUrl(std::string_view url, ApiConfig& config);

/// The same, but plain http:// to other machines is accepted, too, for servers that are not API
/// servers.
absl::Status ParseHttpUrl(std::string_view url, ApiConfig& config);

/// Returns what follows the last '@' of a URL that may be broken, to show it: a password may stand
/// before that.
std::string_view WithoutCredentials(std::string_view url);

/// Whether `text` is a number from 1 to 65535.
bool IsPort(std::string_view text);

/// Whether packets to `host` stay on this machine: "localhost", 127.0.0.0/8 or ::1.
bool IsLoopbackHost(std::string_view host);

}  // namespace berth::kube
