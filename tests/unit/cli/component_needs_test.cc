#include "cli/component_needs.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth::cli {
namespace {

std::set<std::string> Words(const std::vector<kube::Need>& needs) {
  std::set<std::string> words;
  for (const kube::Need& need : needs) words.insert(kube::ToString(need));
  return words;
}

TEST(NeedsOfProcesses, AreThoseOfTheirConfiguration) {
  config::BerthConfiguration config;
  config.controller.certificates.servers = {{.secret = "s", .service = "v"}};
  config.controller.certificates.webhooks = {"berth"};
  const auto needs = NeedsOfProcesses(config, "gpu");
  EXPECT_EQ(Words(needs.at("extender")),
            (std::set<std::string>{"list nodes", "watch nodes", "list pods", "watch pods",
                                   "list services", "watch services",
                                   "get leases berth-controller in namespace gpu"}));
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

TEST(NeedsOfProcesses, OfAnExtenderWithoutShortlistAndPlannerAreFewer) {
  config::BerthConfiguration config;
  config.extender.shortlist.size = 0;
  config.planner.schedulers.clear();
  EXPECT_EQ(Words(NeedsOfProcesses(config, "gpu").at("extender")),
            (std::set<std::string>{"list nodes", "watch nodes", "list pods", "watch pods"}));
}

}  // namespace
}  // namespace berth::cli
