#pragma once

#include <set>
#include <string>

#include "cli/config.h"
#include "cli/doctor/gather.h"

namespace berth::cli {

/// What Berth's processes ask of the API server with that configuration, in the code's own words.
/// The webhook asks nothing.
doctor::NeedsByComponent NeedsOfProcesses(const BerthConfiguration& config,
                                          const std::string& namespace_name);

/// Roles for who asks these sources: for the cluster, and for each namespace.
std::string DoctorRolesYaml(const std::set<doctor::Source>& sources, const doctor::Place& place);

}  // namespace berth::cli
