#pragma once

#include <string>

#include "config/config.h"

namespace berth::config {

/// One line about `config`, for the log and for `berth config validate`:
///
///   extender on :8443 (TLS), admission on :9443 (TLS), metrics on :9090; accelerators V100, A100;
///   8 health conditions; weights accelerator 3, health 4, thrift 2, packing 2
///
/// Policies in Observe are "observed" instead of having a weight.
std::string Summarize(const BerthConfiguration& config);

}  // namespace berth::config
