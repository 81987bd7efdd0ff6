#include "policies/admission/restarts.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/admission/job_fixtures.h"

namespace berth::policies::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::Container Of(std::string name, std::string policy, std::vector<std::string> actions = {}) {
  model::Container container = MakeContainer(std::move(name));
  container.restart_policy = std::move(policy);
  container.restart_actions = std::move(actions);
  return container;
}

model::Container AsInit(model::Container container) {
  container.init = true;
  container.sidecar = container.restart_policy == "Always";
  return container;
}

struct Forbidden {
  model::Workload job;
  std::vector<std::string> changes;
  std::size_t writes = 0;
};

Forbidden Forbid(const model::Workload& job) {
  Draft draft(job);
  Remarks remarks;
  ForbidRestarts(draft, remarks);
  return {.job = draft.workload(), .changes = remarks.changes(), .writes = draft.writes()};
}

std::vector<std::string> Objections(const model::Workload& job) {
  std::vector<std::string> fields;
  for (const Objection& objection : ObjectToRestarts(job)) fields.push_back(objection.field);
  return fields;
}

struct RestartCase {
  std::string name;
  model::Container container;
  std::vector<std::string> changes;
  std::vector<std::string> objections;
};

const std::string kWhy = ": the Job decides whether a failure is retried";
const std::string kPolicy = "restartPolicy of 'a' set to Never" + kWhy;
const std::string kRules = "restartPolicyRules of 'a' removed" + kWhy;

TEST(RestartsTest, AreForbiddenToEveryContainerButSidecars) {
  const std::string main = "spec.template.spec.containers[0].";
  const std::string init = "spec.template.spec.initContainers[0].";
  const std::vector<RestartCase> cases = {
      {"says nothing", Of("a", ""), {}, {}},
      {"never", Of("a", "Never"), {}, {}},
      {"on failure", Of("a", "OnFailure"), {kPolicy}, {main + "restartPolicy"}},
      {"always", Of("a", "Always"), {kPolicy}, {main + "restartPolicy"}},
      {"by an exit code", Of("a", "Never", {"Restart"}), {kRules}, {main + "restartPolicyRules"}},
      {"both ways",
       Of("a", "OnFailure", {"RestartAllContainers"}),
       {kPolicy, kRules},
       {main + "restartPolicy", main + "restartPolicyRules"}},
      {"an init container",
       AsInit(Of("a", "OnFailure", {"Restart"})),
       {kPolicy, kRules},
       {init + "restartPolicy", init + "restartPolicyRules"}},
      {"a sidecar", AsInit(Of("a", "Always", {"Restart"})), {}, {}},
      {"a sidecar that restarts others",
       AsInit(Of("a", "Always", {"Restart", "RestartAllContainers"})),
       {kRules},
       {init + "restartPolicyRules"}},
      {"an action to come",
       AsInit(Of("a", "Always", {"RestartTwice"})),
       {kRules},
       {init + "restartPolicyRules"}},
  };
  for (const RestartCase& c : cases) {
    const model::Workload job = MakeJob(MakePod({c.container}));
    EXPECT_EQ(Objections(job), c.objections) << c.name;
    const Forbidden result = Forbid(job);
    EXPECT_EQ(result.changes, c.changes) << c.name;
    EXPECT_THAT(Objections(result.job), IsEmpty()) << c.name;
    EXPECT_EQ(Forbid(result.job).writes, 0u) << c.name;
    EXPECT_EQ(result.job.pod.containers[0].sidecar, c.container.sidecar) << c.name;
  }
}

TEST(RestartsTest, AreForbiddenToThePodAsAWhole) {
  const Forbidden result = Forbid(Restarting(MakeJob(CpuPod()), "OnFailure"));
  EXPECT_EQ(result.job.pod.restart_policy, "Never");
  EXPECT_THAT(result.changes, ElementsAre("restartPolicy OnFailure set to Never" + kWhy));
}

// kube-apiserver refuses RestartContainer beside restartPolicy Never.
TEST(RestartsTest, ResizesGoWithoutRestarts) {
  model::Container train = MakeContainer("train");
  train.resize_restarts = {"NotRequired", "RestartContainer"};
  model::Container proxy = AsInit(Of("proxy", "Always"));
  proxy.resize_restarts = {"RestartContainer", "RestartContainer"};
  const Forbidden result =
      Forbid(Restarting(MakeJob(MakePod({proxy, train, MakeContainer("log")})), "OnFailure"));
  EXPECT_THAT(result.job.pod.containers[0].resize_restarts,
              ElementsAre("NotRequired", "NotRequired"));
  EXPECT_THAT(result.job.pod.containers[1].resize_restarts,
              ElementsAre("NotRequired", "NotRequired"));
  EXPECT_THAT(result.changes,
              ElementsAre("restartPolicy OnFailure set to Never" + kWhy,
                          "resizePolicy of 'proxy' and 'train' set to NotRequired, as "
                          "restartPolicy Never requires"));
  EXPECT_EQ(Forbid(result.job).writes, 0u);
}

TEST(RestartsTest, SaysOnceWhatAppliesToMany) {
  const Forbidden result = Forbid(MakeJob(
      MakePod({Of("a", "OnFailure"), Of("b", "OnFailure"), Of("c", "Always"), Of("d", "Never")})));
  EXPECT_THAT(result.changes,
              ElementsAre("restartPolicy of 'a', 'b' and 1 more set to Never" + kWhy));
}

}  // namespace
}  // namespace berth::policies::admission
