#pragma once

#include <string>

#include "config/config.h"

namespace berth::config {

/// One line about `config` for the log: "extender on :8443 (TLS), ..., metrics on :9090;
/// accelerators V100, A100; 8 health conditions; weights ...".
std::string Summarize(const BerthConfiguration& config);

}  // namespace berth::config
