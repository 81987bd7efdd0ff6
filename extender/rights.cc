#include "extender/rights.h"

#include "cluster/feed.h"

namespace berth::extender {

std::vector<kube::Grant> GrantsOf(const policies::scheduling::ShortlistConfig& shortlist) {
  std::vector<kube::Grant> grants;
  kube::Allow(cluster::kFeedPermissions, {}, grants);
  if (shortlist.NeedsServices()) kube::Allow(cluster::kServiceFeedPermissions, {}, grants);
  return grants;
}

}  // namespace berth::extender
