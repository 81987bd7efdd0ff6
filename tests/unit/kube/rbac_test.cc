#include "kube/rbac.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(Rbac, AClusterRoleHasOneRuleForEachResource) {
  constexpr Permission kPermissions[] = {
      {"", "nodes", "list"}, {"", "pods", "list"}, {"", "nodes", "patch"}, {"apps", "x", "get"}};
  std::vector<Grant> grants;
  Allow(kPermissions, {}, grants);
  EXPECT_EQ(ClusterRoleYaml("berth", grants),
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: ClusterRole\n"
            "metadata:\n"
            "  name: berth\n"
            "rules:\n"
            "- apiGroups: [\"\"]\n"
            "  resources: [nodes]\n"
            "  verbs: [list, patch]\n"
            "- apiGroups: [\"\"]\n"
            "  resources: [pods]\n"
            "  verbs: [list]\n"
            "- apiGroups: [\"apps\"]\n"
            "  resources: [x]\n"
            "  verbs: [get]\n");
}

// Any lease may be created, but only one be read and written, and another only read.
TEST(Rbac, ARoleNamesObjectsWhereItCan) {
  constexpr Permission kOwn[] = {{"g", "leases", "create"}, {"g", "leases", "update"}};
  constexpr Permission kOther[] = {{"g", "leases", "get"}};
  std::vector<Grant> grants;
  Allow(kOwn, {"the-lease"}, grants);
  Allow(kOther, {"b", "a"}, grants);
  EXPECT_EQ(RoleYaml("berth", "ml", grants),
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: Role\n"
            "metadata:\n"
            "  name: berth\n"
            "  namespace: \"ml\"\n"
            "rules:\n"
            "- apiGroups: [\"g\"]\n"
            "  resources: [leases]\n"
            "  verbs: [create]\n"
            "- apiGroups: [\"g\"]\n"
            "  resources: [leases]\n"
            "  resourceNames: [\"a\", \"b\"]\n"
            "  verbs: [get]\n"
            "- apiGroups: [\"g\"]\n"
            "  resources: [leases]\n"
            "  resourceNames: [\"the-lease\"]\n"
            "  verbs: [update]\n");
  EXPECT_EQ(RoleYaml("berth", "", grants).find("namespace"), std::string::npos);
}

}  // namespace
}  // namespace berth::kube
