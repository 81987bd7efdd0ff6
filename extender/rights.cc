#include "extender/rights.h"

#include "cluster/feed.h"

namespace berth::extender {

namespace {

constexpr kube::Permission kLeasePermissions[] = {{"coordination.k8s.io", "leases", "get"}};

}  // namespace

std::vector<kube::Grant> GrantsOf(const policies::scheduling::ShortlistConfig& shortlist) {
  std::vector<kube::Grant> grants;
  kube::Allow(cluster::kFeedPermissions, {}, grants);
  if (shortlist.NeedsServices()) kube::Allow(cluster::kServiceFeedPermissions, {}, grants);
  return grants;
}

std::vector<kube::Grant> LeaseGrantsOf(const std::string& lease) {
  std::vector<kube::Grant> grants;
  kube::Allow(kLeasePermissions, {lease}, grants);
  return grants;
}

}  // namespace berth::extender
