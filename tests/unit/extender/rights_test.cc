#include "extender/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::extender {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExtenderRights, HasServicesOnlyWhereTheShortlistNeedsThem) {
  policies::scheduling::ShortlistConfig shortlist;
  shortlist.size = 0;
  EXPECT_THAT(kube::ClusterRoleYaml("berth", GrantsOf(shortlist)), Not(HasSubstr("services")));
  shortlist.size = 8;
  EXPECT_THAT(kube::ClusterRoleYaml("berth", GrantsOf(shortlist)),
              HasSubstr("  resources: [services]\n  verbs: [list, watch]\n"));
  shortlist.default_spreading = false;
  EXPECT_THAT(kube::ClusterRoleYaml("berth", GrantsOf(shortlist)), Not(HasSubstr("services")));
}

TEST(ExtenderRights, HasTheControllersLeaseByItsName) {
  const std::string role = kube::RoleYaml("berth", "gpu", LeaseGrantsOf("the-lease"));
  EXPECT_THAT(role, HasSubstr("  resources: [leases]\n  resourceNames: [\"the-lease\"]\n"
                              "  verbs: [get]\n"));
  EXPECT_THAT(role, Not(HasSubstr("update")));
}

}  // namespace
}  // namespace berth::extender
