#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "cluster/feed.h"
#include "controller/certificate_keeper.h"
#include "controller/lease_store.h"
#include "controller/owner_keeper.h"
#include "controller/patcher.h"
#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"
#include "tests/integration/fake_permissions.h"
#include "tests/integration/server_client.h"

// The certificates of `berth controller`, and `berth certs`, which looks at them and asks for more.

namespace berth::tests {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSecrets[] = "/api/v1/namespaces/ml/secrets/";
constexpr char kWebhooks[] =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/berth";
constexpr char kConfigMap[] = "/api/v1/namespaces/ml/configmaps/berth";

class CliCerts : public ::testing::Test {
 protected:
  CliCerts() {
    api_.objects().Put(kWebhooks, R"({"webhooks": [{"name": "a"}]})");
    api_.objects().Put("/api/v1/namespaces/ml/services/berth-admission",
                       R"({"spec": {"clusterIPs": ["10.96.0.7"]}})");
    PutConfigMap();
  }

  // As the chart has it.
  void PutConfigMap() {
    const Json map = {{"metadata", {{"name", "berth"}, {"uid", "u1"}}},
                      {"data", {{"config.yaml", std::string(kConfigHead) + Certificates()}}}};
    api_.objects().Put(kConfigMap, map.dump());
  }

  static std::string Certificates() {
    return "controller:\n  lease: {namespace: ml}\n  owner: berth\n"
           "  ownedLeases: [berth-scheduler]\n  certificates:\n    servers:\n"
           "    - {secret: berth-admission-tls, service: berth-admission}\n"
           "    - {secret: berth-extender-tls, hosts: [localhost, 127.0.0.1]}\n"
           "    webhooks: [berth]\n";
  }

  std::unique_ptr<ChildProcess> StartController() const {
    const std::string config =
        std::string(kConfigHead) + "kubernetes: {kubeconfig: '" + api_.WriteKubeconfig(folder_) +
        "'}\nmetrics: {listen: '127.0.0.1:0'}\nlog: {level: debug}\n" + Certificates();
    return std::make_unique<ChildProcess>(
        BerthWords({"controller", "--config", folder_.Write("berth.yaml", config)}));
  }

  Finished Certs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "certs");
    arguments.insert(arguments.end(),
                     {"--kubeconfig", api_.WriteKubeconfig(folder_), "--namespace", "ml"});
    return RunBerth(arguments);
  }

  std::string Value(const std::string& secret, const char* key) const {
    const auto reply = api_.objects().Get(kSecrets + secret);
    std::string decoded;
    if (reply.code != 200) return "";
    absl::Base64Unescape(Json::parse(reply.body)["data"].value(key, ""), &decoded);
    return decoded;
  }

  const TempDir folder_;
  mutable FakeApiServer api_{{.watch_list = false}};
};

TEST_F(CliCerts, AreMadeByTheController) {
  const auto berth = StartController();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kCreateObject, 3)) << berth->error();
  ASSERT_TRUE(berth->AwaitError("\"msg\":\"wrote a Secret\",\"object\":\"ml/berth-extender-tls\""))
      << berth->error();
  for (const char* secret : {"berth-ca", "berth-admission-tls", "berth-extender-tls"}) {
    EXPECT_THAT(Value(secret, "tls.crt"), HasSubstr("BEGIN CERTIFICATE")) << secret;
    const std::string key = Value(secret, "tls.key");
    ASSERT_THAT(key, HasSubstr("BEGIN PRIVATE KEY")) << secret;
    EXPECT_THAT(berth->error(), Not(HasSubstr(key.substr(30, 40)))) << secret;
    EXPECT_EQ(Value(secret, "ca.crt"), Value("berth-ca", "ca.crt")) << secret;
  }
  const Json webhooks = Json::parse(api_.objects().Get(kWebhooks).body);
  std::string bundle;
  absl::Base64Unescape(webhooks["webhooks"][0]["clientConfig"]["caBundle"].get<std::string>(),
                       &bundle);
  EXPECT_EQ(bundle, Value("berth-ca", "ca.crt"));

  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kGetObject, 20));  // a round without writes
  const std::string metrics = Get(ListenerPort(*berth, "metrics", "metrics"), "/metrics").body;
  EXPECT_THAT(metrics,
              HasSubstr("berth_controller_certificate_seconds_left{secret=\"berth-ca\"} "));
  EXPECT_THAT(metrics, HasSubstr("berth_controller_certificate_errors_total 0"));
  EXPECT_THAT(metrics,
              HasSubstr("berth_controller_writes_total{result=\"ok\",write=\"secret\"} 3"));
  EXPECT_THAT(metrics,
              HasSubstr("berth_controller_writes_total{result=\"ok\",write=\"ca_bundle\"} 1"));
  berth->Signal(SIGTERM);
  EXPECT_EQ(berth->Wait(), 0);
}

// Everything that it asks for is in the roles, and nothing is there that it never asks for.
TEST_F(CliCerts, NeedTheRightsOfTheRole) {
  api_.leases().Put("ml/berth-scheduler", R"({"metadata": {"name": "berth-scheduler"}})");
  api_.objects().Put("/apis/coordination.k8s.io/v1/namespaces/ml/leases/berth-scheduler",
                     R"({"metadata": {"name": "berth-scheduler"}})");
  api_.objects().Put("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/berth",
                     R"({"webhooks": [{"name": "a"}]})");
  const auto berth = StartController();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kCreateObject, 3)) << berth->error();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kPatchObject, 1)) << berth->error();
  for (const FakeRequest request :
       {FakeRequest::kListNodes, FakeRequest::kWatchNodes, FakeRequest::kListPods,
        FakeRequest::kWatchPods, FakeRequest::kListPending, FakeRequest::kWatchPending}) {
    ASSERT_TRUE(api_.AwaitCount(request, 1)) << berth->error();
  }
  const Finished asked = Certs({"renew", "berth-extender-tls"});
  EXPECT_EQ(asked.exit_code, 0) << asked.error;
  ASSERT_TRUE(berth->AwaitError("is to be renewed on request")) << berth->error();
  std::set<std::string> granted = Words(cluster::kFeedPermissions);
  for (const std::span<const kube::Permission> permissions :
       {std::span<const kube::Permission>(controller::kLeasePermissions),
        std::span<const kube::Permission>(controller::kSecretPermissions),
        std::span<const kube::Permission>(controller::kServicePermissions),
        std::span<const kube::Permission>(controller::kWebhookPermissions),
        std::span<const kube::Permission>(controller::kOwnerPermissions),
        std::span<const kube::Permission>(controller::kOwnedLeasePermissions)}) {
    granted.merge(Words(permissions));
  }
  granted.insert("patch secrets");  // of who calls `berth certs renew`
  EXPECT_EQ(Needed(api_), granted);
}

TEST_F(CliCerts, AreShownAndRenewed) {
  Finished shown = Certs({"show"});
  EXPECT_EQ(shown.exit_code, 1) << shown.error;
  EXPECT_THAT(shown.output, HasSubstr("there is no such Secret"));

  const auto berth = StartController();
  ASSERT_TRUE(api_.AwaitCount(FakeRequest::kCreateObject, 3)) << berth->error();
  ASSERT_TRUE(berth->AwaitError("\"object\":\"ml/berth-extender-tls\"")) << berth->error();
  shown = Certs({"show"});
  EXPECT_EQ(shown.exit_code, 0) << shown.output << shown.error;
  EXPECT_THAT(shown.output, HasSubstr("DNS:berth-admission.ml.svc"));
  EXPECT_THAT(shown.output, HasSubstr("IP:10.96.0.7"));
  EXPECT_THAT(shown.output, HasSubstr("berth: 1 of 1 webhooks trust the authority"));

  const std::string before = Value("berth-extender-tls", "tls.crt");
  const std::string other = Value("berth-admission-tls", "tls.crt");
  const Finished asked = Certs({"renew", "berth-extender-tls"});
  EXPECT_EQ(asked.output,
            "ml/berth-extender-tls: requested a new certificate from the controller\n");
  ASSERT_TRUE(berth->AwaitError("is to be renewed on request")) << berth->error();
  EXPECT_NE(Value("berth-extender-tls", "tls.crt"), before);
  EXPECT_EQ(Value("berth-admission-tls", "tls.crt"), other);
  const Json json = Json::parse(Certs({"show", "-o", "json"}).output);
  EXPECT_EQ(json["certificates"].size(), 3u);
  EXPECT_EQ(json["caBundles"][0]["matching"], 1);
}

TEST_F(CliCerts, SayWhatIsMissing) {
  const Finished unknown = Certs({"renew", "berth-extender"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error, HasSubstr("is not a Secret of controller.certificates"));
  EXPECT_EQ(Certs({}).exit_code, 2);

  const Finished release = Certs({"show", "--release", "mine"});
  EXPECT_EQ(release.exit_code, 1);
  EXPECT_THAT(release.error, HasSubstr("there is no ConfigMap mine-berth in namespace ml; give "
                                       "--namespace and --release"));
  const Finished none = Certs({"show", "--config", folder_.Write("b.yaml", kConfigHead)});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.error, HasSubstr("the controller makes no certificates"));
  const Finished broken =
      Certs({"show", "--config",
             folder_.Write("c.yaml", std::string(kConfigHead) + "controller: {owner: A}\n")});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.error, HasSubstr("c.yaml:3: controller.owner"));
}

}  // namespace
}  // namespace berth::tests
