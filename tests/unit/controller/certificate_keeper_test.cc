#include "controller/certificate_keeper.h"

#include "gtest/gtest.h"
#include "tests/unit/controller/certificate_keeper_fixture.h"

namespace berth::controller {
namespace {

TEST_F(CertificateKeeperTest, MakesEverythingOutOfNothing) {
  RunFor(seconds(3));
  ExpectConsistent();
  EXPECT_THAT(ServerOf(kAdmission).names().dns, Contains("admission.ml.svc"));
  EXPECT_THAT(ServerOf(kAdmission).names().addresses, ElementsAre("10.96.0.7"));
  EXPECT_THAT(certs::Texts(ServerOf(kExtender).names()),
              ElementsAre("DNS:localhost", "IP:127.0.0.1"));
  EXPECT_EQ(ServerOf(kExtender).not_after() - ServerOf(kExtender).not_before(),
            90 * kDay + hours(1));
  const Json& secret = api_.objects.at(kExtender);
  EXPECT_EQ(secret["type"], "kubernetes.io/tls");
  EXPECT_EQ(secret["kind"], "Secret");
  EXPECT_EQ(secret["metadata"]["namespace"], "ml");
  EXPECT_THAT(api_.TakeWrites(),
              ElementsAre("POST /api/v1/namespaces/ml/secrets", "PUT " + kMutating,
                          "POST /api/v1/namespaces/ml/secrets",
                          "POST /api/v1/namespaces/ml/secrets", "PUT " + kValidating));
  EXPECT_THAT(record_.errors, IsEmpty());
  EXPECT_THAT(record_.ends,
              UnorderedElementsAre(Key("berth-ca"), Key("admission-tls"), Key("extender-tls")));
}

// What lets a client in is made, followed and renewed as a server's certificate is.
TEST_F(CertificateKeeperTest, MakesCertificatesOfClients) {
  constexpr char kClient[] = "/api/v1/namespaces/ml/secrets/scheduler-tls";
  CertificateSettings settings = Settings();
  settings.servers.push_back(
      {.secret = "scheduler-tls", .hosts = {"scheduler"}, .usage = certs::Usage::kClient});
  RunFor(seconds(3), settings);
  EXPECT_TRUE(ServerOf(kClient).IsFor(certs::Usage::kClient));
  EXPECT_FALSE(ServerOf(kClient).IsFor(certs::Usage::kServer));
  EXPECT_FALSE(ServerOf(kExtender).IsFor(certs::Usage::kClient));
  EXPECT_THAT(certs::Texts(ServerOf(kClient).names()), ElementsAre("DNS:scheduler"));
  EXPECT_TRUE(ServerOf(kClient).IsSignedBy(AuthorityNow().issuer.certificate));
  EXPECT_EQ(Data(kClient).authorities, Data(kExtender).authorities);
  writes_.written.clear();
  RunFor(seconds(30), settings);
  EXPECT_THAT(writes_.written, IsEmpty());
}

TEST_F(CertificateKeeperTest, LooksEveryTenSecondsAndWritesNothingThatIsAsItShouldBe) {
  Settle();
  RunFor(seconds(60));
  EXPECT_THAT(api_.requests, SizeIs(6 * 6));
  EXPECT_THAT(api_.TakeWrites(), IsEmpty());
}

TEST_F(CertificateKeeperTest, RenewsWhenItIsTime) {
  CertificateSettings settings = Settings();
  settings.server_life = seconds(12);
  settings.authority_life = hours(1);
  std::vector<model::Time> renewed;
  api_.after = [&] {
    if (api_.requests.back() == std::string("PUT ") + kExtender) renewed.push_back(Now());
  };
  RunFor(seconds(60), settings);
  ASSERT_GE(renewed.size(), 6u);
  for (std::size_t i = 1; i < renewed.size(); ++i) {
    EXPECT_EQ(renewed[i] - renewed[i - 1], seconds(8));
  }
  ExpectConsistent();
}

TEST_F(CertificateKeeperTest, RotatesTheAuthorityStepByStep) {
  Settle();
  const certs::Authority former = AuthorityNow();
  Change(kAuthority, {{"metadata", {{"annotations", {{"berth.dev/renew", "now"}}}}}});
  RunFor(seconds(12));
  EXPECT_THAT(
      writes_.written,
      ElementsAre(
          "secret ml/berth-ca new certificate, because the previous one is to be renewed on "
          "request",
          "bundle berth trusted authorities", "secret ml/admission-tls trusted authorities",
          "secret ml/extender-tls trusted authorities", "bundle berth trusted authorities",
          HasSubstr("admission-tls new certificate, because the previous one is signed by "),
          HasSubstr("extender-tls new certificate, because the previous one is signed by ")));
  ExpectConsistent();
  EXPECT_THAT(AuthorityNow().formers, ElementsAre(former.issuer.certificate));
  EXPECT_EQ(api_.Get(kAuthority)->Annotation("berth.dev/renewed"), "now");
  // Who trusts the former alone finds the way to it.
  EXPECT_THAT(*certs::ParseCertificates(Data(kExtender).certificates), SizeIs(2));

  writes_.written.clear();
  RunFor(seconds(60));
  EXPECT_THAT(writes_.written, IsEmpty());
}

TEST_F(CertificateKeeperTest, RenewsAServerOnceForEachTimeThatItIsAsked) {
  Settle();
  for (const char* time : {"2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"}) {
    const certs::Certificate before = ServerOf(kExtender);
    Change(kExtender, {{"metadata", {{"annotations", {{"berth.dev/renew", time}}}}}});
    RunFor(seconds(30));
    EXPECT_THAT(writes_.written, ElementsAre(HasSubstr("extender-tls")));
    EXPECT_FALSE(ServerOf(kExtender) == before);
    EXPECT_EQ(api_.Get(kExtender)->Annotation("berth.dev/renewed"), time);
    writes_.written.clear();
  }
}

TEST_F(CertificateKeeperTest, MakesADeletedCertificateAgain) {
  Settle();
  const std::string bundle = Data(kExtender).authorities;
  api_.objects.erase(kExtender);
  RunFor(seconds(1));
  EXPECT_EQ(Data(kExtender).authorities, bundle);
  ExpectConsistent();
}

TEST_F(CertificateKeeperTest, TrustsAnAuthorityThatWasDeleted) {
  Settle();
  const certs::Certificate former = AuthorityNow().issuer.certificate;
  api_.objects.erase(kAuthority);
  RunFor(seconds(5));
  EXPECT_THAT(AuthorityNow().formers, ElementsAre(former));
  ExpectConsistent();
}

TEST_F(CertificateKeeperTest, MendsWhatSomebodyHasTamperedWith) {
  Settle();
  Json mutating = api_.objects[kMutating];
  mutating["webhooks"][1]["clientConfig"]["caBundle"] = "Z2FyYmFnZQ==";
  api_.Put(kMutating, mutating);
  Change(kAdmission, {{"data", {{"ca.crt", nullptr}}}});
  RunFor(seconds(1));
  ExpectConsistent();
  EXPECT_THAT(api_.TakeWrites(), ElementsAre("PUT " + kMutating, std::string("PUT ") + kAdmission));
}

TEST_F(CertificateKeeperTest, ReplacesWhatItCannotReadAndNamesItAlone) {
  Settle();
  Change(kExtender,
         {{"data", {{"tls.key", "c2VjcmV0"}}}, {"metadata", {{"labels", {{"a", "b"}}}}}});
  RunFor(seconds(1));
  ExpectConsistent();
  EXPECT_EQ(api_.objects.at(kExtender)["metadata"]["labels"]["a"], "b");
  ASSERT_THAT(record_.unreadable, SizeIs(1));
  EXPECT_THAT(record_.unreadable[0],
              StartsWith("extender-tls: tls.key holds no unencrypted PEM private key"));
  EXPECT_THAT(record_.unreadable[0], Not(HasSubstr("c2Vj")));
  EXPECT_THAT(writes_.written, Each(Not(HasSubstr("PRIVATE"))));
}

TEST_F(CertificateKeeperTest, ReplacesAnAuthorityThatItCannotReadAndNamesItAlone) {
  Settle();
  Change(kAuthority, {{"data", {{"tls.key", "c2VjcmV0"}}}});
  RunFor(seconds(5));
  ExpectConsistent();
  ASSERT_THAT(record_.unreadable, SizeIs(1));
  EXPECT_THAT(record_.unreadable[0], StartsWith("berth-ca: tls.key"));
}

TEST_F(CertificateKeeperTest, TakesInTheAddressesOfAServiceThatAppears) {
  const Json service = api_.objects.at(kService);
  api_.objects.erase(kService);
  Settle();
  EXPECT_THAT(ServerOf(kAdmission).names().addresses, IsEmpty());
  api_.Put(kService, service);
  RunFor(seconds(1));
  EXPECT_THAT(ServerOf(kAdmission).names().addresses, ElementsAre("10.96.0.7"));
  EXPECT_THAT(writes_.written, ElementsAre(HasSubstr("is for other names")));
}

TEST_F(CertificateKeeperTest, MakesAnewWhatIsFromTheFuture) {
  Settle();
  const auto from_tomorrow = certs::NewServerCertificate(
      AuthorityNow(), ServerOf(kExtender).names(), 90 * kDay, Now() + kDay);
  kube::ApiObject secret = *api_.Get(kExtender);
  secret.SetSecretValue("tls.crt", from_tomorrow->certificates);
  secret.SetSecretValue("tls.key", from_tomorrow->key.Reveal());
  api_.Put(kExtender, Json::parse(secret.ToJson()));
  RunFor(seconds(1));
  EXPECT_THAT(writes_.written, ElementsAre(HasSubstr("is not valid yet")));
  EXPECT_LE(ServerOf(kExtender).not_before(), Now() - hours(1));
}

}  // namespace
}  // namespace berth::controller
