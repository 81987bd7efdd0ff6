#include "cli/extender_rbac.h"

#include "cluster/feed.h"

namespace berth::cli {

std::vector<Grant> GrantsOf(const ExtenderConfig& config) {
  std::vector<Grant> grants;
  Allow(cluster::kFeedPermissions, {}, grants);
  if (config.shortlist.NeedsServices()) Allow(cluster::kServiceFeedPermissions, {}, grants);
  return grants;
}

}  // namespace berth::cli
