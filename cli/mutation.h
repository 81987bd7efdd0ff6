#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "admission/reviewer.h"
#include "cli/manifest.h"
#include "policies/admission/request.h"

namespace berth::cli {

/// Who creates the objects of a manifest, and where.
struct Creation {
  /// Of objects that name none.
  std::string namespace_name;
  admission::NamespaceRules rules;
  /// Without a name: not known, and not recorded.
  policies::admission::User user;
};

/// What the webhooks would say of one object if it were created.
struct Preview {
  /// As it would be stored, were it admitted.
  YAML::Node object;
  /// JSON Patch; empty: nothing changes.
  std::string patch;
  std::vector<std::string> warnings;
  /// Empty: it is admitted.
  std::string denial;
  /// Whether the pods that come of it would be denied, which the warnings say.
  bool pods_denied = false;
};

/// One for each object of the manifest, in its order.
std::vector<Preview> PreviewsOf(const Manifest& manifest, const admission::Reviewer& reviewer,
                                const Creation& creation);

}  // namespace berth::cli
