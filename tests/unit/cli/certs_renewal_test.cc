#include "cli/certs_renewal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kube/scripted_transport.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr model::Time kRenewedAt{model::Duration{1'800'000'000}};

controller::CertificatesConfig Config() {
  controller::CertificatesConfig config;
  config.servers = {{.secret = "a-tls"}, {.secret = "b-tls"}};
  return config;
}

TEST(SecretsToRenew, AreThoseOfAllServersUnlessSomeAreNamed) {
  EXPECT_THAT(*SecretsToRenew(Config(), {}, false), ElementsAre("a-tls", "b-tls"));
  EXPECT_THAT(*SecretsToRenew(Config(), {"b-tls"}, false), ElementsAre("b-tls"));
  EXPECT_THAT(*SecretsToRenew(Config(), {}, true), ElementsAre("berth-ca"));
  EXPECT_THAT(*SecretsToRenew(Config(), {"berth-ca"}, false), ElementsAre("berth-ca"));
  EXPECT_THAT(*SecretsToRenew(Config(), {"a-tls"}, true), ElementsAre("a-tls", "berth-ca"));
}

TEST(SecretsToRenew, AreThoseOfClientsToo) {
  controller::CertificatesConfig config = Config();
  config.clients = {{.secret = "c-tls", .name = "c"}};
  EXPECT_THAT(*SecretsToRenew(config, {}, false), ElementsAre("a-tls", "b-tls", "c-tls"));
  EXPECT_THAT(*SecretsToRenew(config, {"c-tls"}, false), ElementsAre("c-tls"));
}

TEST(SecretsToRenew, RefusesOthers) {
  const auto other = SecretsToRenew(Config(), {"a-tlss"}, false);
  EXPECT_TRUE(absl::IsInvalidArgument(other.status()));
  EXPECT_EQ(std::string(other.status().message()),
            "a-tlss: is not a Secret of controller.certificates; did you mean a-tls?; there are "
            "berth-ca, a-tls, b-tls");
  EXPECT_THAT(std::string(SecretsToRenew({}, {}, true).status().message()),
              HasSubstr("the controller makes no certificates"));
}

TEST(AskForRenewal, AnnotatesTheSecretAndNothingElse) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = "{}"}};
  controller::ObjectClient client(&transport);
  EXPECT_TRUE(AskForRenewal("ml", "a-tls", "berth.dev", kRenewedAt, client).ok());
  EXPECT_EQ(transport.requests[0].method, kube::HttpMethod::kPatch);
  EXPECT_EQ(transport.requests[0].target, "/api/v1/namespaces/ml/secrets/a-tls");
  EXPECT_EQ(transport.requests[0].body,
            R"({"metadata":{"annotations":{"berth.dev/renew":"2027-01-15T08:00:00Z"}}})");
}

TEST(AskForRenewal, SaysWhatToDoWithoutTheSecret) {
  kube::ScriptedTransport transport;
  transport.replies = {{.status = 404}, {.status = 403}};
  controller::ObjectClient client(&transport);
  EXPECT_EQ(std::string(AskForRenewal("ml", "a-tls", "berth.dev", kRenewedAt, client).message()),
            "there is no Secret a-tls in namespace ml; the controller makes what is missing by "
            "itself: look at its log if it does not");
  EXPECT_TRUE(
      absl::IsPermissionDenied(AskForRenewal("ml", "a-tls", "berth.dev", kRenewedAt, client)));
}

}  // namespace
}  // namespace berth::cli
