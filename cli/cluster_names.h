#pragma once

#include <string>
#include <vector>

#include "cli/api_options.h"
#include "cli/command_spec.h"
#include "kube/transport.h"

namespace berth::cli {

/// Returns the names that a shell may offer: contexts of the kubeconfig, or names of objects of the
/// cluster, by name. Reads one page of the objects' metadata, a smaller one if they are large, so
/// names may be missing where there are many. Blocks for two seconds at most. Empty if anything
/// fails, and for files and folders, which shells know better.
std::vector<std::string> NamesFor(Candidates wanted, const ApiOptions& options);

/// The same of objects, for an API server that is reached already. `namespace_name` is where pods
/// and gangs are looked for.
std::vector<std::string> NamesIn(kube::Transport& transport, Candidates wanted,
                                 const std::string& namespace_name);

}  // namespace berth::cli
