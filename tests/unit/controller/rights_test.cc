#include "controller/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::controller {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ControllerRbac, IsSmallByDefault) {
  const std::string roles = ControllerRolesYaml(ControllerConfig(), {}, "ml");
  EXPECT_THAT(roles,
              HasSubstr("kind: Role\nmetadata:\n  name: berth-controller\n  namespace: \"ml\"\n"
                        "rules:\n"
                        "- apiGroups: [\"coordination.k8s.io\"]\n"
                        "  resources: [leases]\n"
                        "  verbs: [create]\n"
                        "- apiGroups: [\"coordination.k8s.io\"]\n"
                        "  resources: [leases]\n"
                        "  resourceNames: [\"berth-controller\"]\n"
                        "  verbs: [get, update]\n"));
  for (const char* resource :
       {"secrets", "services", "configmaps", "webhookconfigurations", "jobs", "delete"}) {
    EXPECT_THAT(roles, Not(HasSubstr(resource)));
  }
}

TEST(ControllerRbac, MayEvictPodsOnlyWhereItIsConfiguredTo) {
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), {}, ""), Not(HasSubstr("pods/eviction")));
  ControllerConfig config;
  config.evict = {{.condition = "GPUIsLost"}};
  const std::string roles = ControllerRolesYaml(config, {}, "");
  EXPECT_THAT(roles, HasSubstr("  resources: [pods/eviction]\n  verbs: [create]\n"));
  EXPECT_THAT(roles, HasSubstr("  resources: [jobs]\n  verbs: [get]\n"));
}

TEST(ControllerRbac, MayEvictIdlePodsOnlyWhereItIsConfiguredTo) {
  ControllerConfig config;
  config.events = false;
  config.idle.evict_notebooks_after = std::chrono::hours(24);
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""), Not(HasSubstr("events")));
  config.idle.enabled = true;
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""),
              HasSubstr("  resources: [pods]\n  verbs: [get, list, patch, watch]\n"));
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""), HasSubstr("pods/eviction"));
  config.idle.evict_notebooks_after = std::chrono::hours(0);
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""), Not(HasSubstr("pods/eviction")));
}

TEST(ControllerRbac, MayRunChecksOnlyWhereItIsConfiguredTo) {
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), {}, ""), Not(HasSubstr("nodes/status")));
  ControllerConfig config;
  config.active_checks = {{.name = "vector-add", .image = "image:1"}};
  const std::string roles = ControllerRolesYaml(config, {}, "");
  EXPECT_THAT(roles, HasSubstr("  resources: [nodes/status]\n  verbs: [patch]\n"));
  EXPECT_THAT(roles.substr(roles.find("kind: Role\n")),
              HasSubstr("  resources: [pods]\n  verbs: [create, delete]\n"));
}

TEST(ControllerRbac, MayRunPreflightsOnlyWhereGangsHaveThem) {
  planner::PlannerConfig planner;
  planner.gangs.preflight.image = "image:1";
  EXPECT_THAT(ControllerRolesYaml({}, planner, ""), Not(HasSubstr("nodes/status")));
  planner.gangs.enabled = true;
  const std::string roles = ControllerRolesYaml({}, planner, "");
  EXPECT_THAT(roles, HasSubstr("  resources: [nodes/status]\n  verbs: [patch]\n"));
  EXPECT_THAT(roles.substr(roles.find("kind: Role\n")),
              HasSubstr("  resources: [pods]\n  verbs: [create, delete]\n"));
}

TEST(ControllerRbac, MayWriteEventsUnlessNobodyIsToBeTold) {
  ControllerConfig config;
  const std::string rule = "  resources: [events]\n  verbs: [create]\n";
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""), HasSubstr(rule));
  config.events = false;
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""), Not(HasSubstr("events")));
}

TEST(ControllerRbac, MayEndPodsOnlyWhereItIsConfiguredTo) {
  ControllerConfig config;
  config.lost_nodes.force_delete_after = std::chrono::minutes(15);
  const std::string roles = ControllerRolesYaml(config, {}, "");
  for (const char* rule : {"  resources: [nodes]\n  verbs: [get, list, patch, watch]\n",
                           "  resources: [pods]\n  verbs: [delete, get, list, patch, watch]\n",
                           "  resources: [pods/status]\n  verbs: [patch]\n",
                           "- apiGroups: [\"batch\"]\n  resources: [jobs]\n  verbs: [get]\n"}) {
    EXPECT_THAT(roles, HasSubstr(rule));
  }
}

TEST(ControllerRbac, MayEvictPodsOnlyWhereItPlansGangs) {
  planner::PlannerConfig planner;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""), Not(HasSubstr("eviction")));
  planner.gangs.enabled = true;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""),
              HasSubstr("  resources: [pods/eviction]\n  verbs: [create]\n"));
}

TEST(ControllerRbac, MayListBudgetsOnlyWhereItPlansGangs) {
  planner::PlannerConfig planner;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""), Not(HasSubstr("policy")));
  planner.gangs.enabled = true;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""),
              HasSubstr("- apiGroups: [\"policy\"]\n  resources: [poddisruptionbudgets]\n"
                        "  verbs: [list]\n"));
}

TEST(ControllerRbac, MayListJobsOnlyWhereItPlansGangs) {
  planner::PlannerConfig planner;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""), Not(HasSubstr("jobs")));
  planner.gangs.enabled = true;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""),
              HasSubstr("- apiGroups: [\"batch\"]\n  resources: [jobs]\n  verbs: [list]\n"));
}

TEST(ControllerRbac, MayNoteOnNodesWhatIsKeptForGangs) {
  planner::PlannerConfig planner;
  planner.gangs.enabled = true;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""),
              HasSubstr("  resources: [nodes]\n  verbs: [list, patch, watch]\n"));
}

TEST(ControllerRbac, MayWritePodGroupsOnlyWhereGangsWaitForThem) {
  planner::PlannerConfig planner;
  planner.gangs.enabled = true;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""), Not(HasSubstr("podgroups")));
  planner.gangs.pod_groups = true;
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""),
              HasSubstr("- apiGroups: [\"scheduling.k8s.io\"]\n  resources: [podgroups]\n"
                        "  verbs: [create, delete, list, patch]\n"));
}

TEST(ControllerRbac, MayReadTheLeasesOfKubeSchedulersWhereItPlansGangs) {
  planner::PlannerConfig planner;
  planner.gangs.scheduler_leases = {
      {"kube-system", "kube-scheduler"}, {"ml", "one"}, {"ml", "two"}};
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""), Not(HasSubstr("kube-system")));
  planner.gangs.enabled = true;
  const std::string roles = ControllerRolesYaml(ControllerConfig(), planner, "");
  EXPECT_THAT(roles, HasSubstr("  name: berth-controller-leases\n  namespace: \"kube-system\"\n"
                               "rules:\n"
                               "- apiGroups: [\"coordination.k8s.io\"]\n  resources: [leases]\n"
                               "  resourceNames: [\"kube-scheduler\"]\n  verbs: [get]\n"));
  EXPECT_THAT(roles, HasSubstr("  namespace: \"ml\"\nrules:\n"));
  EXPECT_THAT(roles, HasSubstr("  resourceNames: [\"two\"]\n  verbs: [get]\n"));
  planner.schedulers.clear();
  EXPECT_THAT(ControllerRolesYaml(ControllerConfig(), planner, ""), Not(HasSubstr("kube-system")));
}

TEST(ControllerRbac, NamesWhatTheConfigurationNames) {
  ControllerConfig config;
  config.owner = "berth";
  config.owned_leases = {"berth-scheduler"};
  config.certificates.servers = {{.secret = "a-tls", .service = "a"},
                                 {.secret = "b-tls", .hosts = {"localhost"}}};
  config.certificates.clients = {{.secret = "c-tls", .name = "c"}};
  config.certificates.webhooks = {"berth"};
  const std::string roles = ControllerRolesYaml(config, {}, "");
  const std::size_t role = roles.find("kind: Role\n");
  const struct {
    const char* rule;
    bool in_the_cluster;
  } cases[] = {
      {"  resources: [secrets]\n  verbs: [create]\n", false},
      {"  resources: [secrets]\n  resourceNames: [\"a-tls\", \"b-tls\", \"berth-ca\", \"c-tls\"]\n "
       " verbs: [get, "
       "update]",
       false},
      {"  resources: [services]\n  resourceNames: [\"a\"]\n  verbs: [get]\n", false},
      {"  resources: [configmaps]\n  resourceNames: [\"berth\"]\n  verbs: [get]\n", false},
      {"  resources: [leases]\n  resourceNames: [\"berth-scheduler\"]\n  verbs: [get, patch]\n",
       false},
      {"  resources: [mutatingwebhookconfigurations]\n  resourceNames: [\"berth\"]\n"
       "  verbs: [get, update]\n",
       true},
      {"  resources: [validatingwebhookconfigurations]\n  resourceNames: [\"berth\"]\n"
       "  verbs: [get, update]\n",
       true},
  };
  for (const auto& test : cases) {
    const std::size_t at = roles.find(test.rule);
    ASSERT_NE(at, std::string::npos) << test.rule << '\n' << roles;
    EXPECT_EQ(at < role, test.in_the_cluster) << test.rule;
  }
}

// A Service has no name to be read by where there are hosts alone.
TEST(ControllerRbac, LeavesOutServicesThatNobodyNames) {
  ControllerConfig config;
  config.certificates.servers = {{.secret = "b-tls", .hosts = {"localhost"}}};
  EXPECT_THAT(ControllerRolesYaml(config, {}, ""), Not(HasSubstr("services")));
}

}  // namespace
}  // namespace berth::controller
