#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"

// `berth board`: how it starts, whom it answers, and how it ends.

namespace berth::tests {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const FakeFault kForbidden{.kind = FakeFault::Kind::kStatus, .code = 403, .reason = "Forbidden"};

class CliBoard : public ::testing::Test {
 protected:
  void SetUp() override {
    model::Node node;
    node.name = "node-1";
    node.labels = {{"nvidia.com/gpu.product", "NVIDIA-A30"}};
    node.capacity.Set("nvidia.com/gpu", 6);
    node.allocatable.Set("nvidia.com/gpu", 6);
    api_.Put(node);
    model::Pod pod;
    pod.namespace_ = "ml";
    pod.name = "train";
    pod.uid = "1";
    pod.node_name = "node-1";
    pod.requests.Set("nvidia.com/gpu", 4);
    api_.Put(pod);
  }

  std::vector<std::string> Words(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"board", "--kubeconfig", api_.WriteKubeconfig(folder_)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Reads the port and the token from the address that the board prints.
  void ReadAddress(ChildProcess& berth) {
    const std::string before = "http://127.0.0.1:";
    ASSERT_TRUE(berth.AwaitOutput("\n")) << berth.error();
    const std::string& address = berth.output();
    ASSERT_TRUE(address.starts_with(before)) << address;
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(before.size())));
    const std::size_t mark = address.find('#');
    ASSERT_NE(mark, std::string::npos);
    token_ = address.substr(mark + 1, address.size() - mark - 2);
  }

  std::string Host() const { return "127.0.0.1:" + std::to_string(port_); }

  ServerReply Ask(const std::string& target, const std::string& host,
                  const std::string& fields) const {
    RawClient client(port_);
    client.Send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "\r\n");
    return client.ReadReply();
  }
  std::string TokenField() const { return "Authorization: Bearer " + token_ + "\r\n"; }

  // The answer once the cluster is drawn.
  Json AwaitState() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    Json state;
    do {
      state = Json::parse(Ask("/api/state", Host(), TokenField()).body, nullptr, false);
    } while (state["picture"]["revision"] == 0 && std::chrono::steady_clock::now() < deadline);
    return state;
  }

  // What is wrong with the board's view of the API server, once anything is.
  Json AwaitTrouble() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    Json health;
    do {
      health = Json::parse(Ask("/api/state", Host(), TokenField()).body)["health"];
    } while (health["trouble"] == "" && std::chrono::steady_clock::now() < deadline);
    return health;
  }

  const TempDir folder_;
  FakeApiServer api_;
  std::uint16_t port_ = 0;
  std::string token_;
};

TEST_F(CliBoard, ShowsTheClusterToWhoeverHasItsAddressAndToNobodyElse) {
  ChildProcess berth(BerthWords(Words()));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  EXPECT_EQ(Ask("/", Host(), "").status, 200) << "the page has no secrets";
  EXPECT_EQ(Ask("/api/state", Host(), "").status, 401);
  EXPECT_EQ(Ask("/api/events", Host(), "").status, 401);
  EXPECT_EQ(Ask("/api/state", "evil.example", TokenField()).status, 421);
  EXPECT_EQ(Ask("/api/state", Host(), TokenField() + "Origin: http://evil.example\r\n").status,
            403);

  const Json state = AwaitState();
  EXPECT_EQ(state["picture"]["nodes"]["name"], Json::array({"node-1"}));
  EXPECT_EQ(state["picture"]["pools"][0]["held"], 4);
  EXPECT_EQ(state["picture"]["pools"][0]["free"], 2);

  const Json node = Json::parse(Ask("/api/node?name=node-1", Host(), TokenField()).body);
  EXPECT_EQ(node["pods"][0]["name"], "train");
  EXPECT_EQ(node["verdict"]["fits"], true);
  const Json pod = Json::parse(Ask("/api/pod?namespace=ml&name=train", Host(), TokenField()).body);
  EXPECT_EQ(pod["node"], "node-1");
  EXPECT_EQ(Ask("/api/pod?namespace=ml&name=other", Host(), TokenField()).status, 404);

  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), IsEmpty());
}

TEST_F(CliBoard, TellsChangesAsEvents) {
  ChildProcess berth(BerthWords(Words()));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  RawClient client(port_);
  client.Send("GET /api/events HTTP/1.1\r\nHost: " + Host() + "\r\n" + TokenField() + "\r\n");
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("text/event-stream"));
  EXPECT_THAT(client.ReadUntil("node-1"), HasSubstr("event: change"));
  model::Node node;
  node.name = "node-2";
  api_.Put(node);
  EXPECT_THAT(client.ReadUntil("node-2"), HasSubstr("event: change"));
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliBoard, ANodeWithoutDevicesTellsItsConditions) {
  model::Node node;
  node.name = "cpu-1";
  node.conditions = {{.type = "MemoryPressure", .status = model::ConditionStatus::kTrue}};
  api_.Put(node);
  ChildProcess berth(BerthWords(Words()));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  AwaitState();
  const Json told = Json::parse(Ask("/api/node?name=cpu-1", Host(), TokenField()).body);
  EXPECT_EQ(told["conditions"][0]["type"], "MemoryPressure");
  EXPECT_FALSE(told.contains("verdict"));
}

TEST_F(CliBoard, FindsThePodsOfOneOwner) {
  model::Pod pod;
  pod.namespace_ = "ml-dev";
  pod.name = "try";
  pod.uid = "2";
  pod.node_name = "node-1";
  pod.requests.Set("nvidia.com/gpu", 1);
  api_.Put(pod);
  ChildProcess berth(BerthWords(Words()));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  AwaitState();
  const auto total = [&](const std::string& query) {
    return Json::parse(Ask("/api/search?" + query, Host(), TokenField()).body)["total"];
  };
  EXPECT_EQ(total("text=ml"), 2);
  EXPECT_EQ(total("owner=ml"), 1);
}

TEST_F(CliBoard, SaysWhichRightIsMissing) {
  const struct {
    FakeRequest request;
    const char* right;
    const char* refused;
  } cases[] = {{FakeRequest::kListNodes, "list and watch nodes", "may not list them"},
               {FakeRequest::kWatchNodes, "list and watch nodes", "may not watch them"},
               {FakeRequest::kListPods, "list and watch pods", "may not list them"},
               {FakeRequest::kWatchPods, "list and watch pods", "may not watch them"}};
  for (const auto& test : cases) {
    api_.FailNoMore();
    api_.FailAlways(test.request, kForbidden);
    const Finished run = RunBerth(Words());
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.error, HasSubstr(test.right));
    EXPECT_THAT(run.error, HasSubstr(test.refused));
    const bool could_narrow = std::string(test.right).ends_with("pods");
    EXPECT_EQ(run.error.find("show the pods of one namespace with -n") != std::string::npos,
              could_narrow)
        << run.error;
    EXPECT_THAT(run.output, IsEmpty());
  }
}

// A role may be taken away while the board runs, and the API server does answer then.
TEST_F(CliBoard, TellsThatItMayNotWatchAnyMore) {
  ChildProcess berth(BerthWords(Words()));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  EXPECT_EQ(AwaitState()["health"]["denied"], false);
  api_.FailAlways(FakeRequest::kWatchPods, kForbidden);
  api_.EndWatches();
  const Json health = AwaitTrouble();
  EXPECT_EQ(health["denied"], true);
  EXPECT_THAT(health["trouble"].get<std::string>(), HasSubstr("/api/v1/pods: 403"));
}

TEST_F(CliBoard, TellsThatTheServerDoesNotAnswer) {
  ChildProcess berth(BerthWords(Words()));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  AwaitState();
  api_.Pause();
  EXPECT_EQ(AwaitTrouble()["denied"], false);
}

// SIGINT and SIGTERM wait until the rights are known, so that must not take long.
TEST_F(CliBoard, EndsSoonIfTheServerIsSilent) {
  api_.FailAlways(FakeRequest::kListNodes, {.kind = FakeFault::Kind::kSilence});
  ChildProcess berth(BerthWords(Words()));
  EXPECT_EQ(berth.Wait(), 1) << "it waits for at most 20 seconds";
  EXPECT_THAT(berth.output(), IsEmpty());
  EXPECT_THAT(berth.error(), HasSubstr("board"));
}

// Kubelet's probes come from outside the pod, and so may anybody's requests.
TEST_F(CliBoard, ProbesTellNothingOfTheCluster) {
  ChildProcess berth(BerthWords(Words({"--probes", "127.0.0.1:0"})));
  ASSERT_NO_FATAL_FAILURE(ReadAddress(berth));
  AwaitState();
  const std::uint16_t probes = ListenerPort(berth, "probes", "probes");
  const auto status = [&](const std::string& target) {
    RawClient client(probes);
    client.Send("GET " + target + " HTTP/1.1\r\nHost: 10.0.0.1\r\n" + TokenField() + "\r\n");
    return client.ReadReply().status;
  };
  EXPECT_EQ(status("/livez"), 200);
  EXPECT_EQ(status("/readyz"), 200);
  EXPECT_EQ(status("/"), 404);
  EXPECT_EQ(status("/api/state"), 404);
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
}

TEST_F(CliBoard, PrintsTheRolesThatItNeeds) {
  const Finished all = RunBerth({"board", "--rbac"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.output, HasSubstr("name: berth-board"));
  EXPECT_THAT(all.output, HasSubstr("pods"));
  EXPECT_THAT(all.output, Not(HasSubstr("kind: Role\n")));
  const Finished one = RunBerth({"board", "--rbac", "-n", "ml"});
  EXPECT_THAT(one.output, HasSubstr("kind: Role\n"));
  EXPECT_THAT(one.output, HasSubstr("namespace: \"ml\""));
}

TEST_F(CliBoard, RejectsWhatIsNoPortOrNamespace) {
  for (const auto& [option, value] :
       {std::pair{"--port", "65536"}, {"--port", "x"}, {"-n", "No Name"}, {"--probes", "x"}}) {
    const Finished run = RunBerth(Words({option, value}));
    EXPECT_EQ(run.exit_code, 2) << option << ' ' << value;
    EXPECT_THAT(run.error, HasSubstr(option));
  }
}

}  // namespace
}  // namespace berth::tests
