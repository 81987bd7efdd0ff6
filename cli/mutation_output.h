#pragma once

#include <string>
#include <vector>

#include "cli/manifest.h"
#include "cli/mutation.h"

namespace berth::cli {

// What `berth mutate` prints. `previews` must be those of the manifest's objects, in their order.
// `file` is the name of the manifest in the output.

/// A line for each warning, denial and object that is not reviewed: "FILE:12: Job train: warning:
/// ...".
std::string MutationRemarks(const Manifest& manifest, const std::vector<Preview>& previews,
                            const std::string& file);

/// A unified diff for each object that would be admitted with changes. It shows the object as
/// normalised YAML, not the lines of the file.
std::string MutationDiff(const Manifest& manifest, const std::vector<Preview>& previews,
                         const std::string& file);

/// All documents as they would be stored, separated by "---". Objects that would be denied are
/// printed unchanged.
std::string MutationYaml(const Manifest& manifest, const std::vector<Preview>& previews);

/// A line of JSON for each object that would be admitted with changes: {"kind", "namespace",
/// "name", "patch"}
std::string MutationPatches(const Manifest& manifest, const std::vector<Preview>& previews);

}  // namespace berth::cli
