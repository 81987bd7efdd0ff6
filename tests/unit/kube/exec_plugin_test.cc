#include "kube/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "kube/exec_credentials.h"
#include "kube/kubeconfig.h"
#include "tests/integration/test_pki.h"

namespace berth::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kV1[] = "client.authentication.k8s.io/v1";
constexpr model::Time kMorning{model::Duration(1'780'315'200)};  // 2026-06-01T12:00:00Z

bool Never() { return false; }

std::string Answer(const std::string& status, const std::string& version = kV1) {
  return R"({"kind": "ExecCredential", "apiVersion": ")" + version + R"(", "status": )" + status +
         "}";
}

class ExecPluginTest : public ::testing::Test {
 protected:
  /// A script of sh; returns its path.
  std::string Script(const std::string& text) {
    std::string path = folder_.Write("plugin", "#!/bin/sh\n" + text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  /// One that says this, and counts how often it is run.
  std::string Says(const std::string& answer) {
    folder_.Write("answer", answer);
    return Script("echo run >>" + In("runs") + "\ncat " + In("answer") + "\n");
  }

  std::size_t Runs() const {
    std::ifstream file(In("runs"));
    std::size_t runs = 0;
    for (std::string line; std::getline(file, line);) ++runs;
    return runs;
  }

  std::string In(const std::string& name) const { return (folder_.path() / name).string(); }

  std::string ContentOf(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(In(name)).rdbuf();
    return text.str();
  }

  absl::StatusOr<ApiConfig> Find(const std::string& cluster, const std::string& exec) const {
    const std::string path =
        folder_.Write("config",
                      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
                      "clusters: [{name: k, cluster: {server: 'https://10.0.0.1:6443'" +
                          cluster + "}}]\nusers: [{name: u, user: {exec: {apiVersion: " + kV1 +
                          ", " + exec + "}}}]\n");
    return FindApiConfig(path, [](const std::string&) { return ""; });
  }

  const berth::tests::TempDir folder_;
};

TEST_F(ExecPluginTest, SaysWhatItWrites) {
  const auto said = RunExecPlugin({.command = Script("echo \"$1 $NAME\"; cat"),
                                   .arguments = {"get-token"},
                                   .environment = {{"NAME", "berth"}}},
                                  Never);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(*said, "get-token berth\n") << "and there is no input";
}

TEST_F(ExecPluginTest, ItsVariablesReplaceThoseThatAreThere) {
  const auto said = RunExecPlugin({.command = Script("echo \"$HOME\""),
                                   .arguments = {},
                                   .environment = {{"HOME", "/elsewhere"}}},
                                  Never);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(*said, "/elsewhere\n");
}

TEST_F(ExecPluginTest, IsLookedForByItsName) {
  const auto said = RunExecPlugin({.command = "echo", .arguments = {"here"}}, Never);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(*said, "here\n");
}

TEST_F(ExecPluginTest, WhereItIsMissingTheHintIsGiven) {
  const absl::Status status =
      RunExecPlugin({.command = "berth-no-such-plugin", .install_hint = "brew install it"}, Never)
          .status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("berth-no-such-plugin"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("is not there; install it"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("\nbrew install it"));
}

TEST_F(ExecPluginTest, FailuresAreTold) {
  EXPECT_THAT(std::string(RunExecPlugin({.command = Script("exit 3")}, Never).status().message()),
              HasSubstr("failed with exit code 3"));
  EXPECT_THAT(
      std::string(RunExecPlugin({.command = Script("kill -9 $$")}, Never).status().message()),
      HasSubstr("ended by signal 9"));
  EXPECT_THAT(
      std::string(
          RunExecPlugin({.command = folder_.Write("no-program", "")}, Never).status().message()),
      HasSubstr("cannot be run: Permission denied"));
  EXPECT_THAT(std::string(RunExecPlugin({.command = Script("yes")}, Never).status().message()),
              HasSubstr("wrote more than"));
}

TEST_F(ExecPluginTest, IsKilledOnceItIsStopped) {
  int asked = 0;
  const auto after_some = [&asked] { return ++asked > 2; };
  const absl::Status status =
      RunExecPlugin({.command = Script("exec sleep 1000")}, after_some).status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

TEST(ExecCredentialTest, HasATokenOrACertificate) {
  const auto token = ReadExecCredential(
      Answer(R"({"token": "t", "expirationTimestamp": "2026-06-01T12:00:00Z"})"), kV1);
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(*token, (ExecCredential{.token = "t", .expires = kMorning}));
  const auto certificate =
      ReadExecCredential(Answer(R"({"clientCertificateData": "c", "clientKeyData": "k"})"), kV1);
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  EXPECT_EQ(*certificate, (ExecCredential{.client_certificate = "c", .client_key = "k"}));
}

TEST(ExecCredentialTest, ErrorsSayWhatIsWrongAndNotTheSecret) {
  const std::map<std::string, std::string> cases = {
      {"secret", "is no JSON"},
      {"", "is no JSON"},
      {"[]", "expected an object"},
      {Answer("{}"), "has neither status.token nor"},
      {Answer("null"), "has neither status.token nor"},
      {Answer(R"({"token": 1})"), "status.token: expected a string"},
      {Answer(R"({"clientKeyData": "secret"})"), "has only one of"},
      {Answer(R"({"token": "secret", "expirationTimestamp": "soon"})"), "no time in RFC 3339"},
      {Answer(R"({"token": "secret"})", "client.authentication.k8s.io/v1beta1"),
       "\"ExecCredential\" of \"client.authentication.k8s.io/v1beta1\""},
      {R"({"kind": "Token", "status": {"token": "secret"}})", "is \"Token\" of \"\""},
      {R"({"kind": "To\nken", "status": {"token": "secret"}})", R"(is "To\nken" of "")"},
  };
  for (const auto& [json, part] : cases) {
    const absl::Status status = ReadExecCredential(json, kV1).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(part)) << json;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret"))) << json;
  }
}

// The sentence goes to a terminal, and a plugin may write 1 MiB.
TEST(ExecCredentialTest, ErrorsHaveOnlyTheBeginningOfWhatItCallsItself) {
  const std::string name(1 << 19, 'x');
  for (const std::string& json :
       {Answer(R"({"token": "t"})", name), R"({"kind": ")" + name + "\"}",
        R"({"kind": ")" + name + R"(", "apiVersion": ")" + name + "\"}"}) {
    const std::string message(ReadExecCredential(json, kV1).status().message());
    EXPECT_THAT(message, HasSubstr("\"xxx"));
    EXPECT_THAT(message, HasSubstr("xxx...\""));
    EXPECT_THAT(message, HasSubstr("the kubeconfig says ExecCredential of \"" + std::string(kV1)));
    EXPECT_LT(message.size(), 500U);
  }
}

TEST_F(ExecPluginTest, IsAskedOnceUntilTheCredentialExpires) {
  model::Time now = kMorning - std::chrono::hours(1);
  ExecCredentials credentials(
      {.command = Says(Answer(R"({"token": "t", "expirationTimestamp": "2026-06-01T12:00:00Z"})")),
       .api_version = kV1},
      [&now] { return now; });
  EXPECT_EQ(Runs(), 0U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(credentials.Get(Never)->token, "t");
  EXPECT_EQ(Runs(), 1U);
  now = kMorning;
  EXPECT_EQ(credentials.Get(Never)->token, "t");
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecPluginTest, IsAskedAgainForWhatTheServerRefused) {
  ExecCredentials credentials({.command = Says(Answer(R"({"token": "old"})")), .api_version = kV1});
  const auto old = credentials.Get(Never);
  ASSERT_TRUE(old.ok()) << old.status();
  folder_.Write("answer", Answer(R"({"token": "new"})"));
  EXPECT_EQ(credentials.Get(Never)->token, "old");
  credentials.Refuse(*old);
  EXPECT_EQ(credentials.Get(Never)->token, "new");
  credentials.Refuse(*old);
  EXPECT_EQ(credentials.Get(Never)->token, "new") << "another connection had the old one";
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecPluginTest, AnAnswerThatCannotBeUsedIsBlamedOnIt) {
  const std::string command = Says(Answer("{}"));
  ExecCredentials credentials({.command = command, .api_version = kV1});
  const absl::Status status = credentials.Get(Never).status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("exec plugin " + command + ": its answer has neither"));
}

TEST_F(ExecPluginTest, ThreadsShareItsAnswer) {
  ExecCredentials credentials({.command = Says(Answer(R"({"token": "t"})")), .api_version = kV1});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(credentials.Get(Never)->token, "t"); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(ExecPluginTest, IsRunAsTheKubeconfigSays) {
  Script("echo \"$*\" >" + In("arguments") + "\necho \"$KUBERNETES_EXEC_INFO\" >" + In("info") +
         "\necho \"$CLUSTER\" >" + In("variable") + "\necho '" + Answer(R"({"token": "t"})") + "'");
  const auto config =
      Find("",
           "command: ./plugin, args: [eks, get-token], interactiveMode: IfAvailable, "
           "env: [{name: CLUSTER, value: east}]");
  ASSERT_TRUE(config.ok()) << config.status();
  const auto credential = config->exec->Get(Never);
  ASSERT_TRUE(credential.ok()) << credential.status();
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(ContentOf("arguments"), "eks get-token\n");
  EXPECT_EQ(ContentOf("variable"), "east\n");
  EXPECT_EQ(nlohmann::json::parse(ContentOf("info")), nlohmann::json::parse(R"({
    "kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
    "spec": {"interactive": false}})"));
}

TEST_F(ExecPluginTest, IsToldOfTheClusterIfItWantsToKnow) {
  const berth::tests::TestCa ca;
  folder_.Write("ca.crt", ca.certificate());
  Script("echo \"$KUBERNETES_EXEC_INFO\" >" + In("info") + "\necho '" +
         Answer(R"({"token": "t"})") + "'");
  const auto config = Find(
      ", certificate-authority: ca.crt, tls-server-name: k8s, extensions: [{name: other}, "
      "{name: client.authentication.k8s.io/exec, extension: {audience: a, depth: 3, "
      "quoted: '3', on: true, list: [1.5]}}]",
      "command: ./plugin, provideClusterInfo: true");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_TRUE(config->exec->Get(Never).ok());
  const auto cluster = nlohmann::json::parse(ContentOf("info"))["spec"]["cluster"];
  EXPECT_EQ(cluster["server"], "https://10.0.0.1:6443");
  EXPECT_EQ(cluster["tls-server-name"], "k8s");
  EXPECT_FALSE(cluster["certificate-authority-data"].get<std::string>().empty());
  EXPECT_EQ(cluster["config"], nlohmann::json::parse(R"({
    "audience": "a", "depth": 3, "quoted": "3", "on": true, "list": [1.5]})"));
}

}  // namespace
}  // namespace berth::kube
