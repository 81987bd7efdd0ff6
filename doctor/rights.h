#pragma once

#include <set>
#include <string>

#include "doctor/gather.h"

namespace berth::doctor {

/// Roles for whoever asks these sources, as YAML for kubectl apply: one for the cluster, and one
/// for each namespace.
std::string DoctorRolesYaml(const std::set<Source>& sources, const Place& place);

}  // namespace berth::doctor
