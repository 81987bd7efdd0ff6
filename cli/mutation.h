#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "admission/reviewer.h"
#include "cli/manifest.h"
#include "policies/admission/request.h"

// Previews of what the webhooks do to the objects of a manifest, for `berth mutate`.

namespace berth::cli {

/// The circumstances under which the objects of a manifest would be created.
struct Creation {
  /// The namespace of objects that name none.
  std::string namespace_name;
  /// The rules of that namespace.
  admission::NamespaceRules rules;
  /// The creator. Without a name, the creator is not known and not recorded.
  policies::admission::User user;
};

/// What the webhooks would say about one object if it were created.
struct Preview {
  /// The object as it would be stored if it were admitted.
  YAML::Node object;
  /// A JSON Patch; empty if nothing changes.
  std::string patch;
  /// The warnings that the API server would pass on to kubectl.
  std::vector<std::string> warnings;
  /// Why the object would be denied; empty if it would be admitted.
  std::string denial;
  /// Why the webhooks do not look at the object; empty if they do, or if there is nothing to see.
  std::string not_reviewed;
  /// Whether the pods of its templates would be denied. The warnings say why.
  bool pods_denied = false;
};

/// Returns one preview for each object of the manifest, in its order. `reviewer` is the one that
/// the webhook would use, so both agree. Needs no cluster. The manifest must be without errors, and
/// is not changed.
std::vector<Preview> PreviewsOf(const Manifest& manifest, const admission::Reviewer& reviewer,
                                const Creation& creation);

}  // namespace berth::cli
