#include "cli/rbac.h"

#include <gtest/gtest.h>

namespace berth::cli {
namespace {

constexpr kube::Permission kPermissions[] = {
    {"", "nodes", "list"}, {"", "pods", "list"}, {"", "nodes", "patch"}, {"apps", "x", "get"}};

TEST(Rbac, AClusterRoleHasOneRuleForEachResource) {
  EXPECT_EQ(ClusterRoleYaml("berth", kPermissions),
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

// Any lease may be created, but only one be read and written.
TEST(Rbac, ALeasesRoleNamesItWhereItCan) {
  constexpr kube::Permission kLease[] = {{"g", "leases", "create"}, {"g", "leases", "update"}};
  EXPECT_EQ(LeaseRoleYaml("berth", "ml", "the-lease", kLease),
            "apiVersion: rbac.authorization.k8s.io/v1\n"
            "kind: Role\n"
            "metadata:\n"
            "  name: berth\n"
            "  namespace: ml\n"
            "rules:\n"
            "- apiGroups: [\"g\"]\n"
            "  resources: [leases]\n"
            "  verbs: [create]\n"
            "- apiGroups: [\"g\"]\n"
            "  resources: [leases]\n"
            "  resourceNames: [the-lease]\n"
            "  verbs: [update]\n");
  EXPECT_EQ(LeaseRoleYaml("berth", "", "the-lease", kLease).find("namespace"), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
