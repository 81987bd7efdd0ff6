#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/integration/cli_fixture.h"

// `berth mutate`, as people run it. Of the policies only creator is asked, so that the words of the
// others stand in their own tests.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kManifest[] = R"(# A job, and what belongs to it.
apiVersion: v1
kind: Service
metadata: {name: web}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  backoffLimit: 0x2   # kept as it is written
  template:
    spec:
      containers:
        - name: c
          command: ["sh", '-c', "exit 1"]
)";

class CliMutate : public ::testing::Test {
 protected:
  Finished Run(const std::string& manifest, std::vector<std::string> words) {
    return RunWith(config_, manifest, std::move(words));
  }

  static Finished RunWith(const std::string& config, const std::string& manifest,
                          std::vector<std::string> words) {
    words.insert(words.begin(), {"mutate", "-f", "-", "--config", config});
    return RunBerth(words, manifest);
  }

  const TempDir folder_;
  const std::string config_ = folder_.Write(
      "berth.yaml", std::string(kConfigHead) +
                        "admission:\n  policies: {guaranteedQos: {mode: Off}, jobRetries: {mode: "
                        "Off}, isolation: "
                        "{mode: Off}, checkpoint: {mode: Off}, acceleratorAffinity: {mode: Off}, "
                        "acceleratorMemory: {mode: Off}, schedulerName: {mode: Off}}\n");
};

TEST_F(CliMutate, ShowsADiffOfWhatChanges) {
  const Finished run = Run(kManifest, {"--as", "alice"});
  EXPECT_EQ(run.exit_code, 1);
  const std::regex version("creator [0-9.]+");
  EXPECT_EQ(std::regex_replace(run.output, version, "creator VERSION"),
            R"(--- standard input:6: Job train
+++ standard input:6: Job train, admitted
@@ -2,6 +2,9 @@
 kind: Job
 metadata:
   name: train
+  annotations:
+    berth.dev/applied: "creator VERSION"
+    berth.dev/created-by: "alice"
 spec:
   backoffLimit: 0x2
   template:
@@ -9,3 +12,6 @@
       containers:
         - name: c
           command: ["sh", "-c", "exit 1"]
+    metadata:
+      annotations:
+        berth.dev/created-by: "alice"
)");
  EXPECT_THAT(run.error, IsEmpty());
}

TEST_F(CliMutate, ChangesNothingWithoutAUserOrInWarn) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"--as", "alice", "--mode", "warn"}}) {
    const Finished run = Run(kManifest, words);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_THAT(run.output, IsEmpty());
  }
}

// As kubectl has it: a value for each --as-group.
TEST_F(CliMutate, TakesTheGroupsOfWhoCreatesThem) {
  const std::vector<std::string> node = {"--as", "system:node:n1", "--as-group", "team"};
  EXPECT_EQ(Run(kManifest, node).exit_code, 1);
  std::vector<std::string> kubelet = node;
  kubelet.insert(kubelet.end(), {"--as-group", "system:nodes"});
  const Finished run = Run(kManifest, kubelet);
  EXPECT_EQ(run.exit_code, 0) << run.error << run.output;
  const Finished two = Run(kManifest, {"--as", "n", "--as-group", "a", "b"});
  EXPECT_EQ(two.exit_code, 2) << "which is no group, but a word too many";
  const Finished nobody = Run(kManifest, {"--as-group", "system:nodes"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_THAT(nobody.error, HasSubstr("--as-group requires --as"));
}

TEST_F(CliMutate, WritesAllDocumentsAsTheyWouldBe) {
  const Finished run = Run(kManifest, {"--as", "alice", "-o", "yaml"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, StartsWith("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n---\n"
                                     "apiVersion: batch/v1\nkind: Job\n"));
  EXPECT_THAT(run.output, HasSubstr("backoffLimit: 0x2\n"));
  // Its own result is left alone.
  const Finished again = Run(run.output, {"--as", "alice", "-o", "yaml"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(again.output, run.output);
}

TEST_F(CliMutate, WritesPatchesForPrograms) {
  const Finished run = Run(R"({"apiVersion": "v1", "kind": "List", "items": [
      {"apiVersion": "v1", "kind": "ConfigMap"},
      {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team"}}]})",
                           {"--as", "alice", "-o", "patch"});
  EXPECT_EQ(run.exit_code, 1) << run.error;
  const auto line = nlohmann::json::parse(run.output);
  EXPECT_EQ(line["kind"], "Pod");
  EXPECT_EQ(line["namespace"], "team");
  EXPECT_EQ(line["name"], "p");
  EXPECT_EQ(line["patch"][0]["path"], "/metadata/annotations");
}

TEST_F(CliMutate, TellsWarningsAndDenialsWithTheirPlace) {
  const Finished run =
      Run("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {berth.dev/created-by: "
          "bob}\n"
          "---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: 5}\n",
          {"--as", "alice"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(
      run.error,
      "standard input:1: Pod a: warning: berth: berth.dev/created-by set to 'alice', the creator, "
      "instead of 'bob'\n"
      "standard input:7: Pod b: denied: berth: spec.containers: expected an array, got number\n");
  EXPECT_THAT(run.output, HasSubstr("\n+  annotations: {berth.dev/created-by: \"alice\", "));
}

// In a check, too, where nobody reads the words.
TEST_F(CliMutate, ExitsWith2WhereAPolicyDeniesAnObjectOrThePodsOfOne) {
  const std::string config = folder_.Write(
      "deny.yaml", std::string(kConfigHead) +
                       "admission:\n  policies: {guaranteedQos: {missingLimits: Deny}}\n");
  const std::string spec = "{containers: [{name: c}]}";
  const std::string lacks = "containers[0].resources.limits lacks cpu and memory; write";
  const struct {
    std::string manifest;
    std::string error;
  } cases[] = {
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: " + spec,
       "standard input:1: Pod a: denied: berth guaranteed-qos: spec." + lacks},
      {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: " +
           spec + "}}",
       "Deployment a: warning: berth, pods denied: spec.template.spec." + lacks},
      {"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {spec: "
       "{template: {spec: " +
           spec + "}}}}",
       "CronJob a: warning: berth, pods denied: spec.jobTemplate.spec.template.spec." + lacks},
      {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: 5",
       "Deployment a: warning: berth: not reviewed: spec: expected an object"},
  };
  for (const auto& test : cases) {
    const Finished run = RunWith(config, test.manifest, {});
    EXPECT_EQ(run.exit_code, 2) << run.error;
    EXPECT_THAT(run.error, HasSubstr(test.error));
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_EQ(RunWith(config, test.manifest, {"--mode", "warn"}).exit_code, 0);
  }
}

TEST_F(CliMutate, NamesWhatIsNotReviewedAndIsStrictAboutItWhenAsked) {
  const char* manifest =
      "apiVersion: v1\nkind: ConfigMap\n---\napiVersion: batch/v1beta1\nkind: CronJob\n"
      "metadata: {name: nightly}\n";
  const Finished run = Run(manifest, {});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.error,
            "standard input:4: CronJob nightly: not reviewed: CronJob of batch/v1beta1 is an old "
            "API version; write apiVersion: batch/v1\n");
  EXPECT_EQ(Run(manifest, {"--strict"}).exit_code, 2);
  EXPECT_EQ(Run("apiVersion: v1\nkind: ConfigMap\n", {"--strict"}).exit_code, 0);
}

// The template says how many pods there are, and each pod that is made of it gets the gate.
TEST_F(CliMutate, ShowsGangs) {
  const std::string config = folder_.Write(
      "gangs.yaml", std::string(kConfigHead) + "admission: {policies: {gangs: {mode: Enforce}}}\n");
  const Finished job = RunWith(config,
                               "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\n"
                               "  annotations: {berth.dev/gang: \"true\"}\nspec:\n"
                               "  parallelism: 4\n  completions: 4\n  template:\n    spec:\n"
                               "      containers: [{name: c}]\n",
                               {});
  EXPECT_EQ(job.exit_code, 1);
  EXPECT_THAT(job.output, HasSubstr("berth.dev/gang-size: \"4\""));
  EXPECT_THAT(job.error, HasSubstr("Job train: warning: berth: its 4 pods are a gang: they wait "
                                   "for each other (scheduling gate berth.dev/gang)"));
  const Finished pod = RunWith(config,
                               "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
                               "  annotations:\n    berth.dev/gang-name: g\n"
                               "    berth.dev/gang-size: \"2\"\n"
                               "spec: {containers: [{name: c}]}\n",
                               {});
  EXPECT_EQ(pod.exit_code, 1);
  EXPECT_THAT(pod.output, HasSubstr("schedulingGates: [{name: berth.dev/gang}]"));
}

TEST_F(CliMutate, TellsWhatIsWrongWithWhatItIsGiven) {
  const struct {
    const char* manifest;
    const char* error;
  } cases[] = {
      {"", "standard input: is empty"},
      {"a: [", "standard input:1: is not YAML"},
      {"a: 1\n", "standard input:1: has no apiVersion or no kind"},
  };
  for (const auto& test : cases) {
    const Finished run = Run(test.manifest, {});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_THAT(run.error, HasSubstr(test.error));
  }
  EXPECT_EQ(RunBerth({"mutate"}).exit_code, 2);
  EXPECT_EQ(RunBerth({"mutate", "-f", "-", "--mode", "off"}).exit_code, 2);
  EXPECT_THAT(RunBerth({"mutate", "-f", "/nonexistent"}).error, HasSubstr("/nonexistent: "));
}

}  // namespace
}  // namespace berth::tests
