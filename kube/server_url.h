#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "kube/api_config.h"

namespace berth::kube {

/// Sets tls, host, port and base_path of `config` from "https://host[:port][/path]". Plain http://
/// is for loopback only, as `kubectl proxy` serves it.
absl::Status ParseServerUrl(std::string_view url, ApiConfig& config);

/// A number from 1 to 65535.
bool IsPort(std::string_view text);

/// Whether packets to `host` stay on this machine: "localhost", 127.0.0.0/8, ::1.
bool IsLoopbackHost(std::string_view host);

}  // namespace berth::kube
