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

}  // namespace
}  // namespace berth::extender
