#pragma once

#include <string>
#include <vector>

#include "cli/manifest.h"
#include "cli/mutation.h"

namespace berth::cli {

// What `berth mutate` prints. `previews` are those of the manifest's objects, in their order;
// `file` is how the manifest is called.

/// "FILE:12: Job train: warning: ...": a line for each warning and denial.
std::string MutationRemarks(const Manifest& manifest, const std::vector<Preview>& previews,
                            const std::string& file);

/// A unified diff for each object that changes.
std::string MutationDiff(const Manifest& manifest, const std::vector<Preview>& previews,
                         const std::string& file);

/// All documents as they would be, separated by "---"; objects that are denied as they are.
std::string MutationYaml(const Manifest& manifest, const std::vector<Preview>& previews);

/// For each object that changes a line of JSON: {"kind", "namespace", "name", "patch"}.
std::string MutationPatches(const Manifest& manifest, const std::vector<Preview>& previews);

}  // namespace berth::cli
