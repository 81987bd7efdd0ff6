#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"

// `berth explain --server` and `berth capacity --server` against a `berth extender`.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPod =
    "kind: Job\nmetadata: {name: train}\nspec: {template: {spec: {containers: [{resources: "
    "{limits: {nvidia.com/gpu: 2}}}]}}}\n";

class CliServer : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"node-1", "node-2"}) {
      model::Node node;
      node.name = name;
      node.labels = {{"nvidia.com/gpu.product", "NVIDIA-A30"}};
      node.capacity.Set("nvidia.com/gpu", 6);
      node.allocatable.Set("nvidia.com/gpu", 6);
      api_.Put(node);
    }
  }

  // The words that run an extender with `tls` as its grpc.tls.
  std::vector<std::string> Words(const std::string& tls = "") {
    const std::string text =
        std::string(kConfigHead) + "kubernetes: {kubeconfig: '" + api_.WriteKubeconfig(folder_) +
        "'}\nextender: {listen: '127.0.0.1:0', insecureLoopback: true}\n" +
        "metrics: {listen: '127.0.0.1:0'}\ngrpc: {listen: '127.0.0.1:0'" + tls + "}\n";
    return BerthWords({"extender", "--config", folder_.Write("berth.yaml", text)});
  }

  // Where it serves gRPC; empty: it does not.
  static std::string AddressOf(ChildProcess& berth) {
    const std::string before = "\"listener\":\"grpc\",\"address\":\"";
    if (!berth.AwaitError(before + "127.0.0.1:")) return "";
    const std::size_t begin = berth.error().find(before) + before.size();
    return berth.error().substr(begin, berth.error().find('"', begin) - begin);
  }

  static bool AwaitReady(ChildProcess& berth) {
    return berth.AwaitError("\"msg\":\"listed\",\"kind\":\"nodes\"") &&
           berth.AwaitError("\"msg\":\"listed\",\"kind\":\"pods\"");
  }

  std::string Pem(const std::string& name, const std::string& text) const {
    return folder_.Write(name, text);
  }

  const TempDir folder_;
  const TestCa ca_;
  FakeApiServer api_;
};

TEST_F(CliServer, AnswersAsTheCommandsDoByThemselves) {
  ChildProcess berth(Words());
  const std::string server = AddressOf(berth);
  ASSERT_TRUE(AwaitReady(berth)) << berth.error();
  const std::string kubeconfig = api_.WriteKubeconfig(folder_);
  const std::vector<std::vector<std::string>> commands = {
      {"explain", "-f", "-"},
      {"explain", "-f", "-", "--node", "node-2"},
      {"capacity"},
  };
  for (const auto& words : commands) {
    std::vector<std::string> asking = words;
    asking.insert(asking.end(), {"--server", server});
    std::vector<std::string> alone = words;
    alone.insert(alone.end(), {"--kubeconfig", kubeconfig});
    const Finished asked = RunBerth(asking, kPod);
    const Finished computed = RunBerth(alone, kPod);
    EXPECT_EQ(asked.exit_code, 0) << asked.error;
    EXPECT_EQ(asked.output, computed.output);
    EXPECT_THAT(asked.output, HasSubstr("A30"));
    EXPECT_THAT(asked.error, IsEmpty());
  }
  const auto capacity =
      nlohmann::json::parse(RunBerth({"capacity", "--server", server, "-o", "json"}).output);
  EXPECT_EQ(capacity["accelerators"][2]["total"], 12);
  berth.Signal(SIGTERM);
  EXPECT_EQ(berth.Wait(), 0);
  EXPECT_THAT(berth.error(), HasSubstr("\"answeredAll\":true"));
}

TEST_F(CliServer, AnswersOverMutualTlsToItsOwnClients) {
  const PemPair server = ca_.Issue({.names = {"DNS:berth.example"}});
  const PemPair client = ca_.Issue({.use = LeafUse::kClient});
  const std::string ca = Pem("grpc-ca.crt", ca_.certificate());
  ChildProcess berth(Words(", tls: {certFile: '" + Pem("grpc.crt", server.certificate) +
                           "', keyFile: '" + Pem("grpc.key", server.key) + "', clientCAFile: '" +
                           ca + "'}"));
  const std::string address = AddressOf(berth);
  ASSERT_TRUE(AwaitReady(berth)) << berth.error();
  const std::vector<std::string> asking = {"capacity", "--server", address};
  std::vector<std::string> with_tls = asking;
  with_tls.insert(with_tls.end(), {"--ca", ca, "--cert", Pem("person.crt", client.certificate),
                                   "--key", Pem("person.key", client.key)});
  std::vector<std::string> with_name = with_tls;
  with_name.insert(with_name.end(), {"--tls-server-name", "berth.example"});
  const Finished good = RunBerth(with_name);
  EXPECT_EQ(good.exit_code, 0) << good.error;

  const Finished wrong_name = RunBerth(with_tls);
  EXPECT_EQ(wrong_name.exit_code, 1);
  EXPECT_THAT(wrong_name.error, HasSubstr("give --tls-server-name"));
  const Finished plain = RunBerth(asking);
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_THAT(plain.error, HasSubstr("give --cert, --key and --ca"));
  for (const Finished& refused : {wrong_name, plain}) {
    EXPECT_THAT(refused.output, IsEmpty());
    EXPECT_THAT(refused.error, HasSubstr("berth capacity: " + address + " cannot be reached"));
  }
}

TEST_F(CliServer, SaysWhenItIsNotReady) {
  api_.Pause();
  ChildProcess berth(Words());
  const std::string server = AddressOf(berth);
  const Finished run = RunBerth({"explain", "-f", "-", "--server", server}, kPod);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.error, HasSubstr("nodes and pods are not listed yet; try again"));
}

TEST_F(CliServer, SaysWhatToGiveInstead) {
  const std::string file = Pem("pod.yaml", kPod);
  const struct {
    std::vector<std::string> words;
    int exit_code;
    const char* error;
  } cases[] = {
      {{"explain", "train", "-n", "team", "--server", "localhost:1"},
       2,
       "kubectl get pod train -n team -o json | berth explain -f - --server localhost:1"},
      {{"explain", "-f", file, "--server", "berth.example:1"}, 2, "is not a loopback address"},
      {{"capacity", "--server", "localhost:1", "--ca", "/ca"}, 2, "give all three"},
      {{"capacity", "--server", "localhost:1", "--ca", "/no", "--cert", "/no", "--key", "/no"},
       2,
       "--ca /no: "},
      {{"capacity", "--server", "localhost:1", "--objects", file}, 2, "--objects"},
      {{"capacity", "--ca", "/ca"}, 2, "--server"},
      {{"explain", "-f", file, "--server", "127.0.0.1:1"}, 1, "is grpc.listen set there?"},
  };
  for (const auto& test : cases) {
    const Finished run = RunBerth(test.words);
    EXPECT_EQ(run.exit_code, test.exit_code) << ::testing::PrintToString(test.words);
    EXPECT_THAT(run.error, HasSubstr(test.error));
    EXPECT_THAT(run.output, IsEmpty());
  }
}

}  // namespace
}  // namespace berth::tests
