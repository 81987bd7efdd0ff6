#pragma once

#include <string>

#include "config/config.h"
#include "doctor/gather.h"

namespace berth::cli {

/// The permissions that each of Berth's processes needs with `config`, taken from the parts that
/// make the requests. `namespace_name` is the one in which Berth is installed. The webhook needs
/// none and is left out.
doctor::NeedsByComponent NeedsOfProcesses(const config::BerthConfiguration& config,
                                          const std::string& namespace_name);

}  // namespace berth::cli
