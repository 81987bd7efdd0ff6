#pragma once

#include <string>

#include "config/config.h"
#include "doctor/gather.h"

namespace berth::cli {

/// What each of Berth's processes asks of the API server with that configuration, in the words of
/// the code that asks. The webhook asks for nothing.
doctor::NeedsByComponent NeedsOfProcesses(const config::BerthConfiguration& config,
                                          const std::string& namespace_name);

}  // namespace berth::cli
