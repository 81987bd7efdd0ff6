#include "cli/certs_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "certs/authority.h"
#include "certs/server_certificate.h"
#include "tests/unit/certs/fixtures.h"
#include "tests/unit/controller/fake_api.h"

namespace berth::cli {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr char kSecrets[] = "/api/v1/namespaces/ml/secrets/";

class CertsViewTest : public testing::Test {
 protected:
  CertsViewTest() {
    config_.servers = {{.secret = "a-tls"}};
    config_.webhooks = {"berth"};
    Put("berth-ca", certs::ToSecret(authority_));
    Put("a-tls", certs::MakeServer(authority_));
    PutWebhooks(certs::Bundle(authority_, certs::kNow));
  }

  void Put(const std::string& name, const certs::SecretData& data) {
    kube::ApiObject secret = kube::ApiObject::New("v1", "Secret", "ml", name);
    secret.SetSecretValue("tls.crt", data.certificates);
    secret.SetSecretValue("tls.key", data.key.Reveal());
    secret.SetSecretValue("ca.crt", data.authorities);
    api_.Put(kSecrets + name, Json::parse(secret.ToJson()));
  }

  void PutWebhooks(const std::string& bundle) {
    kube::ApiObject object =
        kube::ApiObject::Parse(R"({"webhooks":[{"name":"a"},{"name":"b"}]})").value();
    object.SetCaBundles(bundle);
    api_.Put(std::string(controller::kMutatingWebhooks) + "/berth", Json::parse(object.ToJson()));
  }

  CertsView Read() { return ReadCerts(config_, "ml", certs::kNow, client_).value(); }

  const certs::Authority authority_ = certs::MakeAuthority();
  controller::CertificatesConfig config_;
  controller::FakeApi api_;
  controller::ObjectClient client_{&api_};
};

TEST_F(CertsViewTest, TellsWhatThereIs) {
  const CertsView view = Read();
  EXPECT_TRUE(view.AllWell());
  const std::string name = authority_.issuer.certificate.subject();
  EXPECT_EQ(CertsText(view),
            "SECRET    SUBJECT            NAMES                              ISSUER"
            "             UNTIL                 LEFT   PROBLEM\n"
            "berth-ca  " +
                name + "  -                                  " + name +
                "  2036-11-18T00:00:00Z  3650d\n"
                "a-tls     localhost          DNS:localhost,IP:127.0.0.1,IP:::1  " +
                name +
                "  2027-02-19T00:00:00Z  90d\n"
                "MutatingWebhookConfiguration berth: 2 of 2 webhooks trust the authority\n");
  EXPECT_EQ(Json::parse(CertsJson(view)),
            Json({{"time", "2026-11-21T00:00:00Z"},
                  {"certificates",
                   {{{"secret", "berth-ca"},
                     {"subject", name},
                     {"issuer", name},
                     {"names", Json::array()},
                     {"notAfter", "2036-11-18T00:00:00Z"},
                     {"secondsLeft", 315360000},
                     {"problem", ""}},
                    {{"secret", "a-tls"},
                     {"subject", "localhost"},
                     {"issuer", name},
                     {"names", {"DNS:localhost", "IP:127.0.0.1", "IP:::1"}},
                     {"notAfter", "2027-02-19T00:00:00Z"},
                     {"secondsLeft", 7776000},
                     {"problem", ""}}}},
                  {"formers", Json::array()},
                  {"caBundles",
                   {{{"kind", "MutatingWebhookConfiguration"},
                     {"name", "berth"},
                     {"webhooks", 2},
                     {"matching", 2}}}}}));
}

// After a key has leaked there must be none.
TEST_F(CertsViewTest, NamesFormerAuthorities) {
  const certs::Authority next = certs::Rotate(authority_);
  Put("berth-ca", certs::ToSecret(next));
  const std::string former = authority_.issuer.certificate.subject();
  EXPECT_THAT(
      CertsText(Read()),
      HasSubstr("\n" + former + " is trusted, too, until it expires on 2036-11-18T00:00:00Z\n"));
  EXPECT_EQ(
      Json::parse(CertsJson(Read()))["formers"],
      Json::parse(R"([{"subject": ")" + former + R"(", "notAfter": "2036-11-18T00:00:00Z"}])"));
}

TEST_F(CertsViewTest, NeverHoldsAnythingOfAKey) {
  const std::string key = certs::ToSecret(authority_).key.Reveal();
  const std::string line = key.substr(key.find('\n') + 1, 40);
  EXPECT_THAT(CertsText(Read()) + CertsJson(Read()), Not(HasSubstr(line)));
}

TEST_F(CertsViewTest, TellsProblems) {
  const auto problem = [this](const certs::SecretData& data) {
    Put("a-tls", data);
    const CertsView view = Read();
    EXPECT_EQ(view.AllWell(), view.certificates[1].problem.empty());
    return view.certificates[1].problem;
  };
  const certs::SecretData good = certs::MakeServer(authority_);
  certs::SecretData other = good;
  EXPECT_EQ(problem(good), "");
  other.authorities = "";
  EXPECT_EQ(problem(other), "its ca.crt differs from the authority's");
  other.key = certs::KeyPem("x");
  EXPECT_THAT(problem(other), HasSubstr("tls.key holds no unencrypted PEM private key"));
  EXPECT_EQ(problem(certs::MakeServer(certs::MakeAuthority())), "is signed by another authority");
  EXPECT_EQ(problem(certs::MakeServer(authority_, certs::kNow - certs::kServerLife)),
            "has expired");
  EXPECT_EQ(problem(certs::MakeServer(authority_, certs::kNow - 80 * certs::kDay)), "is due");
}

TEST_F(CertsViewTest, TellsCertificatesOfClients) {
  config_.clients = {{.secret = "c-tls", .name = "c"}};
  const auto problem = [this](certs::Usage usage) {
    const auto data = certs::NewServerCertificate(authority_, certs::Localhost(),
                                                  certs::kServerLife, certs::kNow, usage);
    Put("c-tls", *data);
    return Read().certificates.at(2).problem;
  };
  EXPECT_EQ(problem(certs::Usage::kClient), "");
  EXPECT_EQ(problem(certs::Usage::kServer), "has the wrong extended key usage");
}

TEST_F(CertsViewTest, TellsWhatIsMissing) {
  api_.objects.clear();
  const CertsView view = Read();
  EXPECT_FALSE(view.AllWell());
  EXPECT_EQ(CertsText(view),
            "SECRET    SUBJECT  NAMES  ISSUER  UNTIL  LEFT  PROBLEM\n"
            "berth-ca  -        -      -       -      -     there is no such Secret\n"
            "a-tls     -        -      -       -      -     there is no such Secret\n");
}

TEST_F(CertsViewTest, TellsBundlesThatDiffer) {
  PutWebhooks("");
  const CertsView view = Read();
  EXPECT_FALSE(view.AllWell());
  EXPECT_THAT(CertsText(view), HasSubstr("berth: 0 of 2 webhooks trust"));
}

TEST_F(CertsViewTest, TellsWhyItCannotLook) {
  api_.failures = {{std::string("GET ") + kSecrets + "a-tls", 403}};
  EXPECT_TRUE(absl::IsPermissionDenied(ReadCerts(config_, "ml", certs::kNow, client_).status()));
}

}  // namespace
}  // namespace berth::cli
