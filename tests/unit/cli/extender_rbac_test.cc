#include "cli/extender_rbac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExtenderRbac, HasServicesOnlyWhereTheShortlistNeedsThem) {
  ExtenderConfig config;
  config.shortlist.size = 0;
  EXPECT_THAT(ClusterRoleYaml("berth", GrantsOf(config)), Not(HasSubstr("services")));
  config.shortlist.size = 8;
  EXPECT_THAT(ClusterRoleYaml("berth", GrantsOf(config)),
              HasSubstr("  resources: [services]\n  verbs: [list, watch]\n"));
  config.shortlist.default_spreading = false;
  EXPECT_THAT(ClusterRoleYaml("berth", GrantsOf(config)), Not(HasSubstr("services")));
}

}  // namespace
}  // namespace berth::cli
