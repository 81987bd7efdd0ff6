#pragma once

#include <set>
#include <string>

#include "doctor/gather.h"

namespace berth::doctor {

/// Returns the roles that a person needs to read these sources, as YAML for kubectl apply: a
/// ClusterRole for what is not in a namespace, and a Role for each namespace. All are called
/// berth-doctor. Somebody with the right to do so has to bind them to the person.
std::string DoctorRolesYaml(const std::set<Source>& sources, const Place& place);

}  // namespace berth::doctor
