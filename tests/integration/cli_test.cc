#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "server/http.h"
#include "server/listener.h"
#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"

// The binary as people run it: exit codes, and what goes to which stream.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kGpuPod =
    "kind: Pod\nmetadata: {name: train}\nspec: {containers: [{resources: {limits: "
    "{nvidia.com/gpu: 1}}}]}\n";

std::string Golden(const std::string& name) { return "tests/golden/explain/" + name; }

TEST(Cli, WithoutArgumentsPrintsHelp) {
  const Finished run = RunBerth({});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* command : {"extender", "explain", "capacity", "config", "version"}) {
    EXPECT_THAT(run.output, HasSubstr(command));
  }
  EXPECT_THAT(run.error, IsEmpty());
}

TEST(Cli, HelpIsNoMistake) {
  for (const char* command : {"extender", "explain", "capacity", "config", "version"}) {
    const Finished run = RunBerth({command, "--help"});
    EXPECT_EQ(run.exit_code, 0) << command;
    EXPECT_THAT(run.output, HasSubstr("Usage")) << command;
  }
}

TEST(Cli, WrongUsageIsTwo) {
  const std::vector<std::vector<std::string>> cases = {
      {"frobnicate"},
      {"--frobnicate"},
      {"extender"},
      {"config"},
      {"config", "validate"},
      {"version", "-o", "xml"},
      {"explain"},
      {"explain", "pod", "-f", "file"},
      {"explain", "-n", "team", "-f", "file"},
      {"explain", "pod", "--objects", "file"},
      {"explain", "-f", "file", "--objects", "file", "--kubeconfig", "file"},
      {"explain", "-f", "file", "--objects", "file"},
      {"explain", "-f", "file", "-o", "xml"},
      {"explain", "-f", "file", "--watch"},
      {"explain", "pod", "--watch", "-o", "json"},
      {"gangs", "-n", "ml", "-A"},
      {"completion"},
      {"man"},
  };
  for (const auto& arguments : cases) {
    const Finished run = RunBerth(arguments);
    EXPECT_EQ(run.exit_code, 2) << ::testing::PrintToString(arguments);
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_FALSE(run.error.empty());
  }
}

TEST(Cli, TellsItsVersion) {
  EXPECT_THAT(RunBerth({"version"}).output, StartsWith("berth 0."));
  const auto version = nlohmann::json::parse(RunBerth({"version", "-o", "json"}).output);
  for (const char* field : {"version", "revision", "compiler"}) {
    EXPECT_FALSE(version.at(field).get<std::string>().empty()) << field;
  }
}

TEST(CliConfig, ShowsWhatFrameworksStandFor) {
  const Finished frameworks = RunBerth({"config", "frameworks"});
  EXPECT_EQ(frameworks.exit_code, 0);
  EXPECT_THAT(frameworks.output,
              HasSubstr("\nmpi-operator:\n  controllers:\n  - {user: "
                        "\"system:serviceaccount:mpi-operator:mpi-operator\", owner: MPIJob}\n"));
}

TEST(CliConfig, ShowsWhatProfilesStandFor) {
  const Finished profiles = RunBerth({"config", "profiles"});
  EXPECT_EQ(profiles.exit_code, 0);
  EXPECT_THAT(profiles.output,
              HasSubstr("\npfn:\n  - {type: GPUIsLost, effect: Exclude, recovery: 10m}\n"));
}

TEST(CliConfig, DefaultsLackCertificatesAlone) {
  const Finished defaults = RunBerth({"config", "defaults"});
  EXPECT_EQ(defaults.exit_code, 0);
  const Finished validated = RunBerth({"config", "validate", "-"}, defaults.output);
  EXPECT_EQ(validated.exit_code, 0);
  EXPECT_THAT(validated.output, HasSubstr("extender on :8443 (no certificate), "
                                          "admission on :9443 (no certificate)"));
  const TempDir folder;
  const std::string file = folder.Write("berth.yaml", defaults.output);
  const Finished admission = RunBerth({"admission", "--config", file});
  EXPECT_EQ(admission.exit_code, 2);
  EXPECT_THAT(admission.error,
              HasSubstr("berth admission: admission.tls: has no certFile and keyFile; write the "
                        "names of two PEM files, or for plain HTTP on a loopback address "
                        "admission.insecureLoopback: true"));
}

TEST(CliConfig, ValidateSumsUpOrTellsPathAndLine) {
  const TempDir folder;
  const std::string good = folder.Write(
      "good.yaml", std::string(kConfigHead) + "extender: {tls: {certFile: /c, keyFile: /k}}\n");
  for (const auto& words : std::vector<std::vector<std::string>>{{good}, {"--config", good}}) {
    std::vector<std::string> arguments = {"config", "validate"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Finished run = RunBerth(arguments);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.output, StartsWith(good + " is valid: extender on :8443 (TLS)"));
  }
  const std::string bad = folder.Write("bad.yaml", std::string(kConfigHead) + "helth: {}\n");
  const Finished run = RunBerth({"config", "validate", bad});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, IsEmpty());
  EXPECT_THAT(run.error,
              HasSubstr(bad + ":3: helth: there is no such field; did you mean health?\n"));
}

TEST(CliExplain, ReadsEitherFileFromStandardInput) {
  const Finished run =
      RunBerth({"explain", "-f", "-", "--objects", Golden("objects.json")}, kGpuPod);
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("Pod train asks for 1 nvidia.com/gpu\n7 fit; "));
}

TEST(CliExplain, RefusesFilesThatAreOfNoUse) {
  const TempDir folder;
  const std::string pod = folder.Write("pod.yaml", kGpuPod);
  const std::string objects = Golden("objects.json");
  const std::string config = folder.Write("config.yaml", std::string(kConfigHead) + "log: 1\n");
  const struct {
    std::vector<std::string> arguments;
    std::string error;
  } cases[] = {
      {{"-f", "/nonexistent", "--objects", objects}, "/nonexistent: cannot be read"},
      {{"-f", pod, "--objects", "/nonexistent"}, "/nonexistent: cannot be read"},
      {{"-f", folder.Write("a", "a: ["), "--objects", objects}, "is not YAML"},
      {{"-f", folder.Write("b", "kind: Secret"), "--objects", objects}, "has neither a pod"},
      {{"-f", pod, "--objects", folder.Write("c", "nodes")}, "/c: "},
      {{"-f", pod, "--objects", folder.Write("d", "{\"kind\":\"List\",\"items\":[]}")},
       "has no nodes"},
      {{"-f", pod, "--objects", objects, "--node", "a100-9"}, "there is no node a100-9; did you"},
      {{"-f", pod, "--objects", objects, "--config", config}, "config.yaml:3: log: must be a map"},
      {{"-f", pod, "--objects", objects, "--now", "noon"}, "--now: "},
      {{"-f", pod, "--kubeconfig", "/nonexistent"}, "/nonexistent"},
      {{"-f", pod}, "name a kubeconfig file"},
  };
  for (const auto& test : cases) {
    std::vector<std::string> arguments = {"explain"};
    arguments.insert(arguments.end(), test.arguments.begin(), test.arguments.end());
    const Finished run = RunBerth(arguments);
    EXPECT_EQ(run.exit_code, 2) << test.error;
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_THAT(run.error, HasSubstr(test.error));
  }
}

TEST(CliExplain, FollowsTheConfiguration) {
  const TempDir folder;
  const std::string config =
      folder.Write("config.yaml", std::string(kConfigHead) +
                                      "extender: {insecureLoopback: true, listen: 'localhost:0'}\n"
                                      "health: {conditions: [{type: Ready, effect: Exclude}]}\n");
  const Finished run = RunBerth(
      {"explain", "-f", "-", "--objects", Golden("objects.json"), "--config", config}, kGpuPod);
  EXPECT_EQ(run.exit_code, 1) << run.error;
  EXPECT_THAT(run.output, HasSubstr("0 fit; 9 Ready since "));
}

model::Node GpuNode(const std::string& name) {
  model::Node node;
  node.name = name;
  node.capacity.Set("nvidia.com/gpu", 8);
  node.allocatable.Set("nvidia.com/gpu", 8);
  return node;
}

TEST(CliExplain, AsksTheApiServerOnce) {
  FakeApiServer server;
  const TempDir folder;
  for (int i = 0; i < 3; ++i) server.Put(GpuNode("node-" + std::to_string(i)));
  model::Pod bound{.namespace_ = "team", .name = "busy", .uid = "u", .node_name = "node-1"};
  bound.requests.Set("nvidia.com/gpu", 5);
  server.Put(bound);
  const std::string kubeconfig = server.WriteKubeconfig(folder);
  const Finished run = RunBerth({"explain", "-f", "-", "--kubeconfig", kubeconfig}, kGpuPod);
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("3 fit\n"));
  EXPECT_THAT(run.output, HasSubstr("3/8"));
  EXPECT_EQ(server.Count(FakeRequest::kWatchNodes), 0);
  EXPECT_EQ(RunBerth({"explain", "-f", "-"}, kGpuPod, {"KUBECONFIG=" + kubeconfig}).exit_code, 0);
}

TEST(CliExplain, ExplainsAPodOfTheCluster) {
  FakeApiServer server;
  const TempDir folder;
  server.Put(GpuNode("node-1"));
  model::Pod pod{.namespace_ = "team", .name = "busy", .uid = "u", .node_name = "node-1"};
  pod.requests.Set("nvidia.com/gpu", 5);
  server.Put(pod);
  const Finished run =
      RunBerth({"explain", "busy", "-n", "team", "--kubeconfig", server.WriteKubeconfig(folder)});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("Pod team/busy asks for 5 nvidia.com/gpu"));
  EXPECT_THAT(run.output, HasSubstr("- the pod is bound to node-1 already"));
  EXPECT_THAT(server.Targets(FakeRequest::kListPods).front(),
              HasSubstr("fieldSelector=metadata.namespace%3Dteam%2Cmetadata.name%3Dbusy"));
}

TEST(CliExplain, FailsWhereTheApiServerRefuses) {
  FakeApiServer server;
  const TempDir folder;
  const std::string kubeconfig = server.WriteKubeconfig(folder);
  const std::vector<std::string> arguments = {"explain", "-f", "-", "--kubeconfig", kubeconfig};
  EXPECT_THAT(RunBerth(arguments, kGpuPod).error, HasSubstr("the cluster has no nodes"));
  server.Fail(FakeRequest::kListNodes, {.code = 403, .reason = "Forbidden"});
  const Finished refused = RunBerth(arguments, kGpuPod);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error, HasSubstr("berth explain: GET /api/v1/nodes: 403 Forbidden"));
  server.Pause();
  const Finished away = RunBerth(arguments, kGpuPod);
  EXPECT_EQ(away.exit_code, 1);
  EXPECT_THAT(away.error, HasSubstr("127.0.0.1"));
}

TEST(CliCapacity, CountsAClusterThatHasNoNodes) {
  FakeApiServer server;
  const TempDir folder;
  for (const char* command : {"capacity", "who"}) {
    const Finished run =
        RunBerth({command, "--kubeconfig", server.WriteKubeconfig(folder), "-o", "json"});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    EXPECT_TRUE(nlohmann::json::accept(run.output)) << run.output;
  }
}

TEST(CliWho, TellsWhoHoldsDevices) {
  FakeApiServer server;
  const TempDir folder;
  server.Put(GpuNode("node-1"));
  model::Pod bound{.namespace_ = "nlp", .name = "bert", .uid = "u", .node_name = "node-1"};
  bound.annotations = {{"berth.dev/created-by", "alice"}};
  bound.requests.Set("nvidia.com/gpu", 5);
  server.Put(bound);
  const std::string kubeconfig = server.WriteKubeconfig(folder);
  const Finished run = RunBerth({"who", "--kubeconfig", kubeconfig});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output,
              HasSubstr("\nalice    nlp        -            nvidia.com/gpu  5        1"));
  const Finished other = RunBerth({"who", "--kubeconfig", kubeconfig, "-n", "vision"});
  EXPECT_EQ(other.exit_code, 0) << other.error;
  EXPECT_THAT(other.output, Not(HasSubstr("alice")));
  const Finished away = RunBerth(
      {"who", "--kubeconfig", kubeconfig, "--prometheus", "http://127.0.0.1:1", "-o", "json"});
  EXPECT_EQ(away.exit_code, 1);
  EXPECT_THAT(away.error, HasSubstr("berth who: Prometheus at http://127.0.0.1:1: "));
  EXPECT_EQ(nlohmann::json::parse(away.output)["holders"][0]["devices"], 5)
      << "who holds what is known all the same";
}

TEST(CliWho, ReadsObjects) {
  const Finished run = RunBerth({"who", "--objects", Golden("objects.json"), "--by", "namespace"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.output, HasSubstr("(unknown)"));
}

TEST(CliWho, HasTheOutputsOfTheOtherCommands) {
  const auto who = [](const std::string& output) {
    const Finished run = RunBerth({"who", "--objects", Golden("objects.json"), "-o", output});
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return run.output;
  };
  EXPECT_THAT(who("wide"), HasSubstr("CREATOR  "));
  EXPECT_FALSE(nlohmann::json::parse(who("json"))["holders"].empty());
  EXPECT_THAT(who("yaml"), HasSubstr("\nholders:\n"));
}

TEST(CliIdle, NeedsMeasurements) {
  const Finished run = RunBerth({"idle"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.error, HasSubstr("give the address of Prometheus by --prometheus"));
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"idle", "--prometheus", "prometheus:9090"},
           {"idle", "--prometheus", "http://127.0.0.1:1", "--window", "2"},
           {"idle", "--prometheus", "http://127.0.0.1:1", "--below", "much"},
           {"idle", "--prometheus", "http://127.0.0.1:1", "--below", "200%"}}) {
    EXPECT_EQ(RunBerth(wrong).exit_code, 2) << wrong.back();
  }
}

server::HttpResponse Measured(std::int64_t value) {
  return {.body = R"({"status":"success","data":{"resultType":"vector","result":[{"metric":)"
                  R"({"namespace":"nlp","pod":"bert","UUID":"GPU-1"},"value":[1,")" +
                  std::to_string(value) + R"("]}]}})"};
}

// What `berth idle` says of a pod that used nothing in the window, if Prometheus answers `last_use`
// to the query for the last use, and the API server so to a request for the pod.
Finished IdlePodWith(const server::HttpResponse& last_use, model::Time created, int get_pod = 404) {
  FakeApiServer api;
  const TempDir folder;
  api.FailAlways(FakeRequest::kGetObject, {.code = get_pod, .reason = "Refused"});
  api.Put(GpuNode("node-1"));
  model::Pod bound{.namespace_ = "nlp", .name = "bert", .uid = "u", .node_name = "node-1"};
  bound.created = created;
  bound.requests.Set("nvidia.com/gpu", 1);
  api.Put(bound);
  const auto answer = [&last_use](const server::HttpRequest& request) {
    if (request.target.find("timestamp") != std::string_view::npos) return last_use;
    return Measured(request.target.find("count_over_time") == std::string_view::npos ? 0 : 120);
  };
  const auto prometheus =
      server::Listener::Start({.address = "127.0.0.1:0", .threads = 1},
                              {{.method = "GET", .path = "/api/v1/query", .handle = answer}});
  if (!prometheus.ok()) return {.error = std::string(prometheus.status().message())};
  return RunBerth({"idle", "--kubeconfig", api.WriteKubeconfig(folder), "--prometheus",
                   "http://127.0.0.1:" + std::to_string((*prometheus)->port()), "-o", "json"});
}

model::Time ThreeHoursAgo() {
  return std::chrono::floor<model::Duration>(std::chrono::system_clock::now()) -
         std::chrono::hours(3);
}

TEST(CliIdle, TellsWhatIsIdleAlsoIfTheLastUseIsNotKnown) {
  const Finished run = IdlePodWith({.status = 503, .body = "too many queries"}, ThreeHoursAgo());
  ASSERT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.error, StartsWith("UNUSED is empty, because the last use is not known: "));
  EXPECT_THAT(run.error, HasSubstr("too many queries"));
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["pods"][0]["use"], "idle");
  EXPECT_FALSE(json["pods"][0].contains("lastUsed"));
  EXPECT_EQ(json["hints"].size(), 1U);
}

TEST(CliIdle, TellsWhatIsIdleAlsoToThoseWhoMayNotReadSinglePods) {
  const model::Time created = ThreeHoursAgo();
  const Finished run = IdlePodWith(Measured(created.time_since_epoch().count()), created, 403);
  ASSERT_EQ(run.exit_code, 0) << run.error;
  EXPECT_THAT(run.error, StartsWith("WORKLOAD is not known for every pod: "));
  const auto json = nlohmann::json::parse(run.output);
  EXPECT_EQ(json["pods"][0]["use"], "idle");
  EXPECT_EQ(json["hints"].size(), 1U);
}

// The pod of a StatefulSet has the name of the one before it, of which the ten minutes have a part.
TEST(CliIdle, TakesNoUseOfAnEarlierPodForOneOfThePodOfItsName) {
  const model::Time created = ThreeHoursAgo();
  for (const int minutes : {9, 10}) {
    const model::Time used = created + std::chrono::minutes(minutes);
    const Finished run = IdlePodWith(Measured(used.time_since_epoch().count()), created);
    ASSERT_EQ(run.exit_code, 0) << run.error;
    const auto pod = nlohmann::json::parse(run.output)["pods"][0];
    EXPECT_EQ(pod["use"], "idle");
    EXPECT_EQ(pod.contains("lastUsed"), minutes == 10) << minutes;
  }
}

}  // namespace
}  // namespace berth::tests
