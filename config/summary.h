#pragma once

#include <string>

#include "config/config.h"

namespace berth::config {

/// One line for people: "extender on :8443 (TLS), metrics on :9090, accelerators V100, A100, ...".
std::string Summarize(const BerthConfiguration& config);

}  // namespace berth::config
