#pragma once

#include "kube/exec_plugin.h"
#include "kube/kubeconfig_section.h"

namespace berth::kube {

/// Reads `user`.exec of a kubeconfig. `cluster` is what the plugin is told of, if it wants to know
/// (provideClusterInfo). Reports errors into the section's status. Plugins are told that there is
/// no terminal to ask on: those that must have one are refused.
ExecPlugin ReadExecSection(const Section& user, const Section& cluster);

}  // namespace berth::kube
