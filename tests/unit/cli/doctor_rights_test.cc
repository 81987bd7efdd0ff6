#include "cli/doctor_rights.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth::cli {
namespace {

std::set<std::string> Words(const std::vector<doctor::Need>& needs) {
  std::set<std::string> words;
  for (const doctor::Need& need : needs) words.insert(doctor::ToString(need));
  return words;
}

TEST(NeedsOfProcesses, AreThoseOfTheirConfiguration) {
  BerthConfiguration config;
  config.controller.certificates.servers = {{.secret = "s", .service = "v"}};
  config.controller.certificates.webhooks = {"berth"};
  const auto needs = NeedsOfProcesses(config, "gpu");
  EXPECT_EQ(Words(needs.at("extender")),
            (std::set<std::string>{"list nodes", "watch nodes", "list pods", "watch pods",
                                   "list services", "watch services"}));
  // kube-scheduler's are not Berth's to know, and the webhook asks for nothing.
  for (const char* other : {"scheduler", "admission"}) EXPECT_FALSE(needs.contains(other)) << other;
  const std::set<std::string> controller = Words(needs.at("controller"));
  for (const char* need :
       {"patch nodes", "create secrets in namespace gpu", "update secrets s in namespace gpu",
        "update secrets berth-ca in namespace gpu", "get services v in namespace gpu",
        "update leases berth-controller in namespace gpu",
        "update mutatingwebhookconfigurations berth"}) {
    EXPECT_TRUE(controller.contains(need)) << need;
  }
}

TEST(NeedsOfProcesses, OfAnExtenderWithoutAShortlistAreNoServices) {
  BerthConfiguration config;
  config.extender.shortlist.size = 0;
  EXPECT_EQ(Words(NeedsOfProcesses(config, "gpu").at("extender")),
            (std::set<std::string>{"list nodes", "watch nodes", "list pods", "watch pods"}));
}

TEST(DoctorRoles, AreOneForEachNamespace) {
  const doctor::Place place{.namespace_name = "gpu", .trial_namespace = "trial"};
  const std::string yaml =
      DoctorRolesYaml({doctor::Source::kNodes, doctor::Source::kFilterTrial,
                       doctor::Source::kSecrets, doctor::Source::kWebhookTrial},
                      place);
  EXPECT_EQ(yaml,
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n"
            "  name: berth-doctor\nrules:\n- apiGroups: [\"\"]\n  resources: [nodes]\n"
            "  verbs: [list]\n---\n"
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n"
            "  name: berth-doctor\n  namespace: gpu\nrules:\n- apiGroups: [\"\"]\n"
            "  resources: [secrets]\n  verbs: [get]\n---\n"
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n"
            "  name: berth-doctor\n  namespace: trial\nrules:\n- apiGroups: [\"\"]\n"
            "  resources: [pods]\n  verbs: [create]\n");
}

}  // namespace
}  // namespace berth::cli
