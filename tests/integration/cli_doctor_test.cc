#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"

// `berth doctor` and `berth stanza` as people run them: usage, exit codes, streams.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> With(const std::string& command, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), command);
  return arguments;
}

TEST(CliDoctor, RefusesWhatIsOfNoUse) {
  const TempDir folder;
  const FakeApiServer api;
  const std::string kubeconfig = api.WriteKubeconfig(folder);
  const std::string config = folder.Write("berth.yaml", kConfigHead);
  const std::string pod = folder.Write("pod.yaml", "kind: Pod\n");
  const struct {
    std::vector<std::string> arguments;
    std::string error;
  } cases[] = {
      {{"--only", "wieght"}, "--only: there is no check wieght; did you mean weight?"},
      {{"--skip", "webhoook"}, "--skip: there is no check webhoook; did you mean webhook?"},
      {{"--only", "webhook", "--skip", "webhook"}, "--skip leaves no check"},
      {{"-o", "yaml"}, "--output"},
      {{"--ca-file", "ca.crt"}, "--extender"},
      {{"--extender", "https://h", "--cert", "a"}, "--key"},
      {{"--kubeconfig", "/nonexistent"}, "/nonexistent"},
      {{"--kubeconfig", kubeconfig, "--config", "/nonexistent"}, "/nonexistent: cannot be read"},
      {{"--kubeconfig", kubeconfig, "--config", pod}, "pod.yaml"},
      {{"--kubeconfig", kubeconfig, "--config", config, "--scheduler-config", pod},
       "pod.yaml: is no KubeSchedulerConfiguration, but a \"Pod\""},
      {{"--kubeconfig", kubeconfig, "--config", config, "--only", "extender", "--extender", "h:1"},
       "--extender: no https:// in front"},
  };
  for (const auto& test : cases) {
    const Finished run = RunBerth(With("doctor", test.arguments));
    EXPECT_EQ(run.exit_code, 2) << test.error;
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_THAT(run.error, HasSubstr(test.error));
  }
}

TEST(CliDoctor, WithoutAnApiServerCannotLook) {
  const TempDir folder;
  FakeApiServer api;
  const std::string kubeconfig = api.WriteKubeconfig(folder);
  api.Pause();
  const Finished run = RunBerth({"doctor", "--kubeconfig", kubeconfig});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, IsEmpty());
  EXPECT_THAT(run.error, HasSubstr("berth doctor: GET /version: "));
}

TEST(CliDoctor, SaysWhatIsNotThere) {
  const TempDir folder;
  const FakeApiServer api;
  const std::string kubeconfig = api.WriteKubeconfig(folder);
  const Finished lacking = RunBerth({"doctor", "--kubeconfig", kubeconfig});
  EXPECT_EQ(lacking.exit_code, 2);
  EXPECT_THAT(lacking.error, HasSubstr("there is no ConfigMap berth in namespace berth-system"));
  const std::string config = folder.Write(
      "berth.yaml", std::string(kConfigHead) +
                        "controller: {lease: {namespace: berth-system}, certificates: {servers: "
                        "[{secret: s, service: berth-admission}], webhooks: [berth]}}\n");
  const Finished run = RunBerth({"doctor", "--kubeconfig", kubeconfig, "--config", config, "--only",
                                 "registered,weight,webhook-scope", "-o", "json"});
  EXPECT_EQ(run.exit_code, 1) << "no webhook is a problem";
  EXPECT_THAT(run.output, HasSubstr("give --scheduler-config FILE"));
  EXPECT_THAT(run.output, HasSubstr("there is no MutatingWebhookConfiguration berth"));
  EXPECT_THAT(run.error, IsEmpty());
}

// A ConfigMap of the chart, as the API has it.
void PutConfigMap(FakeApiServer& api, const std::string& name, const std::string& yaml) {
  const nlohmann::json map = {{"data", {{"config.yaml", yaml}}}};
  api.objects().Put("/api/v1/namespaces/berth-system/configmaps/" + name, map.dump());
}

TEST(CliDoctor, JudgesWhatTheChartHasInstalled) {
  const TempDir folder;
  FakeApiServer api;
  const std::string kubeconfig = api.WriteKubeconfig(folder);
  PutConfigMap(api, "berth",
               std::string(kConfigHead) + "accelerators: [{name: X, resource: a.b/c}]\n");
  const std::string scheduler =
      "kind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\nextenders:\n"
      "- {urlPrefix: 'https://localhost:8443', filterVerb: filter, prioritizeVerb: prioritize,\n"
      "   preemptVerb: preempt, weight: 31, managedResources: [{name: a.b/c}]}\n";
  PutConfigMap(api, "berth-scheduler", scheduler);
  const std::string checks = "registered,sampling,weight,managed-resources";
  const Finished well = RunBerth({"doctor", "--kubeconfig", kubeconfig, "--only", checks});
  EXPECT_EQ(well.exit_code, 0) << well.error;
  EXPECT_THAT(well.output, HasSubstr("ok       weight: weight is 31\n"));
  EXPECT_THAT(well.output, HasSubstr("\n4 ok\n"));
  const std::string light = folder.Write("scheduler.yaml", scheduler + "  # of one's own\n");
  const Finished own = RunBerth(
      {"doctor", "--kubeconfig", kubeconfig, "--only", "node-cache", "--scheduler-config", light});
  EXPECT_EQ(own.exit_code, 1);
  EXPECT_THAT(own.output, HasSubstr("problem  node-cache: nodeCacheCapable is false"));
}

TEST(CliDoctor, PrintsTheRolesOfTheChecksAlone) {
  const Finished all = RunBerth({"doctor", "--rbac", "-n", "gpu"});
  EXPECT_EQ(all.exit_code, 0);
  for (const char* part : {"kind: ClusterRole\n", "  namespace: \"gpu\"\n", "resources: [secrets]",
                           "resources: [nodes]", "  namespace: \"default\"\n"}) {
    EXPECT_THAT(all.output, HasSubstr(part));
  }
  const Finished one = RunBerth({"doctor", "--rbac", "--only", "labels"});
  EXPECT_THAT(one.output, HasSubstr("resources: [nodes]"));
  EXPECT_THAT(one.output, Not(HasSubstr("secrets")));
}

std::string Base64Line(const std::string& output) {
  const std::size_t begin = output.find("caData: ");
  return output.substr(begin, output.find('\n', begin) - begin);
}

TEST(CliStanza, NeedsNoClusterWhenAllIsGiven) {
  const TempDir folder;
  const TestCa ca;
  const std::string config = folder.Write(
      "berth.yaml", std::string(kConfigHead) + "accelerators: [{name: X, resource: a.b/c}]\n");
  const std::string ca_file = folder.Write("ca.crt", ca.certificate());
  const Finished run = RunBerth(
      {"stanza", "--url", "https://10.96.0.7:443", "--ca-file", ca_file, "--config", config});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("- urlPrefix: https://10.96.0.7:443\n"));
  EXPECT_THAT(run.output, HasSubstr("  - {name: a.b/c, ignoredByScheduler: false}\n"));
  EXPECT_GT(Base64Line(run.output).size(), 100U);
}

TEST(CliStanza, SaysWhatIsMissingOrWrong) {
  const TempDir folder;
  const FakeApiServer api;
  const std::string kubeconfig = api.WriteKubeconfig(folder);
  const std::string config = folder.Write("berth.yaml", kConfigHead);
  const std::string no_pem = folder.Write("no.pem", "x");
  const std::string wary =
      folder.Write("wary.yaml", std::string(kConfigHead) +
                                    "extender: {tls: {certFile: /c, keyFile: /k, "
                                    "clientCAFile: /ca}}\n");
  const std::string url = "https://10.96.0.7:443";
  const struct {
    std::vector<std::string> arguments;
    int exit_code;
    std::string error;
  } cases[] = {
      {{"--kubeconfig", kubeconfig}, 1, "there is no ConfigMap berth in namespace berth-system"},
      {{"--kubeconfig", kubeconfig, "--config", config},
       1,
       "there is no Service berth-extender in namespace berth-system: is the chart installed with "
       "scheduler.enabled=false"},
      {{"--kubeconfig", kubeconfig, "--config", config, "--url", url},
       1,
       "Secret berth-system/berth-extender-tls has no ca.crt yet"},
      {{"--config", config, "--url", url, "--ca-file", no_pem}, 2, "holds no PEM certificate"},
      {{"--config", config, "--url", url, "--ca-file", "/nonexistent"},
       2,
       "--ca-file: /nonexistent: cannot be read"},
      {{"--config", wary, "--url", url, "--ca-file", no_pem},
       1,
       "the extender requires client certificates (extender.tls.clientCAFile)"},
      {{"--cert", "/c"}, 2, "--key"},
      {{"--url", "10.96.0.7"}, 2, "--url: no https:// in front"},
      {{"--kubeconfig", "/nonexistent"}, 2, "/nonexistent"},
  };
  for (const auto& test : cases) {
    const Finished run = RunBerth(With("stanza", test.arguments));
    EXPECT_EQ(run.exit_code, test.exit_code) << test.error;
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_THAT(run.error, HasSubstr(test.error));
  }
}

}  // namespace
}  // namespace berth::tests
