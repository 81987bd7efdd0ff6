#include "controller/certificate_keeper.h"

#include <algorithm>

#include "certs/authority.h"
#include "certs/server_certificate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fake_api.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr hours kDay{24};
constexpr char kAuthority[] = "/api/v1/namespaces/ml/secrets/berth-ca";
constexpr char kAdmission[] = "/api/v1/namespaces/ml/secrets/admission-tls";
constexpr char kExtender[] = "/api/v1/namespaces/ml/secrets/extender-tls";
constexpr char kService[] = "/api/v1/namespaces/ml/services/admission";
constexpr char kOwnerPath[] = "/api/v1/namespaces/ml/configmaps/berth";
const std::string kMutating = std::string(kMutatingWebhooks) + "/berth";
const std::string kValidating = std::string(kValidatingWebhooks) + "/berth";

class Record final : public CertificateObserver {
 public:
  void OnEnds(const std::map<std::string, model::Time>& now) override { ends = now; }
  void OnUnreadable(const std::string& secret, const absl::Status& why) override {
    unreadable.push_back(secret + ": " + std::string(why.message()));
  }
  void OnCertificateError(const absl::Status& error) override {
    errors.push_back(std::string(error.message()));
  }

  std::map<std::string, model::Time> ends;
  std::vector<std::string> unreadable;
  std::vector<std::string> errors;
};

class CertificateKeeperTest : public ::testing::Test {
 protected:
  CertificateKeeperTest() {
    api_.Put(kService, {{"spec", {{"clusterIPs", {"10.96.0.7"}}}}});
    const Json webhooks{{{"name", "a"}, {"clientConfig", Json::object()}}, {{"name", "b"}}};
    api_.Put(kMutating, {{"webhooks", webhooks}});
    api_.Put(kValidating, {{"webhooks", webhooks}});
  }

  static CertificateSettings Settings() {
    return {.authority_secret = "berth-ca",
            .authority_life = 3650 * kDay,
            .server_life = 90 * kDay,
            .servers = {{.secret = "admission-tls", .service = "admission"},
                        {.secret = "extender-tls", .hosts = {"localhost", "127.0.0.1"}}},
            .webhooks = {"berth"}};
  }

  model::Time Now() const {
    return policies::scheduling::kNow + std::chrono::floor<seconds>(time_.now.time_since_epoch());
  }

  /// A keeper as it is after a start, for so long.
  void RunFor(milliseconds duration, const CertificateSettings& settings = Settings()) {
    const std::function<bool()> may_write = [this] { return leads_; };
    OwnerKeeper owner_keeper(
        {.namespace_name = "ml", .config_map = config_map_, .may_write = may_write}, &client_,
        &owner_, &writes_);
    CertificateKeeper keeper({.namespace_name = "ml",
                              .prefix = "berth.dev",
                              .may_write = may_write,
                              .now = [this] { return Now(); }},
                             settings, &client_, &owner_keeper, &owner_, &time_, &writes_,
                             &record_);
    time_.end = time_.now + duration;
    keeper.Run();
  }

  /// Everything is made, and nobody has heard of it.
  void Settle() {
    RunFor(seconds(20));
    api_.TakeWrites();
    writes_.written.clear();
    record_ = Record();
  }

  certs::SecretData Data(const char* path) const {
    const auto secret = api_.Get(path);
    if (!secret) return {};
    return {.certificates = secret->SecretValue("tls.crt"),
            .key = certs::KeyPem(secret->SecretValue("tls.key")),
            .authorities = secret->SecretValue("ca.crt")};
  }

  certs::Certificate ServerOf(const char* path) const {
    return certs::ReadServerCertificate(Data(path)).value();
  }

  certs::Authority AuthorityNow() const { return certs::ReadAuthority(Data(kAuthority)).value(); }

  void Change(const std::string& path, const Json& patch) {
    Json object = api_.objects.at(path);
    object.merge_patch(patch);
    api_.Put(path, object);
  }

  /// All Secrets and webhooks trust the authority, and all certificates come from it.
  void ExpectConsistent() const {
    const certs::Authority authority = AuthorityNow();
    const std::string bundle = certs::Bundle(authority, Now());
    for (const char* path : {kAdmission, kExtender}) {
      EXPECT_EQ(Data(path).authorities, bundle) << path;
      EXPECT_TRUE(ServerOf(path).IsSignedBy(authority.issuer.certificate)) << path;
    }
    EXPECT_EQ(Data(kAuthority).authorities, bundle);
    for (const std::string& path : {kMutating, kValidating}) {
      EXPECT_THAT(api_.Get(path)->CaBundles(), ElementsAre(bundle, bundle)) << path;
    }
  }

  FakeApi api_;
  ObjectClient client_{&api_};
  Owner owner_;
  LimitedTime time_;
  WriteRecord writes_;
  Record record_;
  std::string config_map_;
  bool leads_ = true;
};

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
      ElementsAre("secret ml/berth-ca new certificate, as the former renewal was asked for",
                  "bundle berth trusted authorities", "secret ml/admission-tls trusted authorities",
                  "secret ml/extender-tls trusted authorities", "bundle berth trusted authorities",
                  HasSubstr("admission-tls new certificate, as the former is signed by "),
                  HasSubstr("extender-tls new certificate, as the former is signed by ")));
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
  EXPECT_THAT(record_.unreadable[0], StartsWith("extender-tls: tls.key holds no PEM private key"));
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

TEST_F(CertificateKeeperTest, AsksForNothingWithoutTheRightToWrite) {
  leads_ = false;
  record_.ends["berth-ca"] = Now();
  RunFor(seconds(30));
  EXPECT_THAT(api_.requests, IsEmpty());
  EXPECT_THAT(record_.ends, IsEmpty());
}

TEST_F(CertificateKeeperTest, StopsInTheMiddleWhenItLosesTheRight) {
  api_.after = [this] { leads_ = !api_.requests.back().starts_with("PUT"); };
  RunFor(seconds(3));
  EXPECT_THAT(api_.TakeWrites(), SizeIs(2));  // the authority, and one webhook
  EXPECT_FALSE(api_.Get(kExtender).has_value());
}

TEST_F(CertificateKeeperTest, AsksForNothingWithoutServers) {
  RunFor(seconds(30), {});
  EXPECT_THAT(api_.requests, IsEmpty());
}

TEST_F(CertificateKeeperTest, TriesAgainWhereSomebodyElseWroteFirst) {
  Settle();
  Change(kExtender, {{"data", {{"tls.crt", nullptr}}}});
  bool raced = false;
  api_.after = [&] {
    const bool read = api_.requests.back() == std::string("GET ") + kExtender;
    if (read && !std::exchange(raced, true)) Change(kExtender, {{"type", "Opaque"}});
  };
  RunFor(seconds(3));
  ASSERT_THAT(writes_.statuses, Not(IsEmpty()));
  EXPECT_TRUE(absl::IsAborted(writes_.statuses[writes_.statuses.size() - 2]));
  EXPECT_TRUE(writes_.statuses.back().ok());
  EXPECT_EQ(api_.objects.at(kExtender)["type"], "Opaque");
  ExpectConsistent();
}

TEST_F(CertificateKeeperTest, AFailureHoldsUpNothingElse) {
  Settle();
  api_.failures = {{"PUT " + kMutating, 403}, {std::string("GET ") + kAdmission, 500}};
  api_.objects.erase(kExtender);
  for (const std::string& path : {kMutating, kValidating}) {
    Change(path, {{"webhooks", {{{"name", "a"}}}}});
  }
  RunFor(seconds(3));
  EXPECT_TRUE(ServerOf(kExtender).IsSignedBy(AuthorityNow().issuer.certificate));
  EXPECT_THAT(api_.Get(kMutating)->CaBundles(), ElementsAre(""));
  EXPECT_THAT(record_.errors, Contains(HasSubstr("500")));
  EXPECT_TRUE(absl::IsPermissionDenied(writes_.statuses.at(writes_.statuses.size() - 2)));
}

TEST_F(CertificateKeeperTest, WebhooksThatJudgeAreTrustedOnceThoseThatChangeAre) {
  Settle();
  for (const std::string& path : {kMutating, kValidating}) {
    Change(path, {{"webhooks", {{{"name", "a"}}}}});
  }
  api_.failures = {{"PUT " + kMutating, 403}};
  RunFor(seconds(3));
  EXPECT_THAT(api_.Get(kValidating)->CaBundles(), ElementsAre(""));
  api_.failures.clear();
  RunFor(milliseconds(900));
  EXPECT_THAT(api_.Get(kMutating)->CaBundles(), Each(HasSubstr("CERTIFICATE")));
  EXPECT_THAT(api_.Get(kValidating)->CaBundles(), ElementsAre(""));
  RunFor(milliseconds(900));
  EXPECT_THAT(api_.Get(kValidating)->CaBundles(), Each(HasSubstr("CERTIFICATE")));
}

TEST_F(CertificateKeeperTest, RenewsByTheFormerAuthorityWhereTheNextOneCannotBeWritten) {
  Settle();
  const certs::Certificate former = AuthorityNow().issuer.certificate;
  Change(kAuthority, {{"metadata", {{"annotations", {{"berth.dev/renew", "now"}}}}}});
  api_.failures = {{std::string("PUT ") + kAuthority, 422}};  // it is immutable, say
  api_.objects.erase(kExtender);
  RunFor(seconds(3));
  EXPECT_TRUE(AuthorityNow().issuer.certificate == former);
  ExpectConsistent();
}

TEST_F(CertificateKeeperTest, MakesNoAuthorityWhileASecretMayKnowTheFormer) {
  api_.failures = {{std::string("GET ") + kAdmission, 500}};
  RunFor(seconds(3));
  EXPECT_THAT(api_.TakeWrites(), IsEmpty());
}

// What the API server says while it is away is no reason to make a new authority.
TEST_F(CertificateKeeperTest, WritesNothingWhileTheApiServerTalksNonsense) {
  Settle();
  for (const int code : {400, 401, 403, 422, 429, 500, 503}) {
    api_.failures = {{std::string("GET ") + kAuthority, code}};
    RunFor(seconds(5));
    EXPECT_THAT(api_.TakeWrites(), IsEmpty()) << code;
  }
}

// The interval between two looks is 10 s, and a server that cannot read its certificate waits.
TEST_F(CertificateKeeperTest, LooksAgainSoonForWhatItCouldNotRead) {
  Settle();
  const std::string get = std::string("GET ") + kAdmission;
  api_.failures = {{get, 503}};
  RunFor(seconds(5));
  EXPECT_GE(std::count(api_.requests.begin(), api_.requests.end(), get), 3);
}

TEST_F(CertificateKeeperTest, AFailureAfterASuccessIsTriedAgainAsSoonAsTheFirst) {
  Settle();
  const std::string get = std::string("GET ") + kAdmission;
  const model::Time back = Now() + std::chrono::minutes(10);
  const model::Time away_again = back + std::chrono::minutes(2);
  std::vector<model::Time> tries;
  api_.failures = {{get, 503}};
  api_.after = [&] {
    api_.failures.clear();
    if (Now() < back || Now() >= away_again) api_.failures = {{get, 503}};
    if (Now() >= away_again && api_.requests.back() == get) tries.push_back(Now());
  };
  RunFor(std::chrono::minutes(13));
  ASSERT_GE(tries.size(), 4U);
  EXPECT_LE(tries[3] - tries[0], seconds(5));
}

TEST_F(CertificateKeeperTest, GivesSecretsTheirOwner) {
  Settle();
  config_map_ = "berth";
  api_.Put(kOwnerPath, {{"metadata", {{"name", "berth"}, {"uid", "u1"}}}});
  RunFor(seconds(3));
  const kube::OwnerReference owner{"v1", "ConfigMap", "berth", "u1"};
  for (const char* path : {kAuthority, kAdmission, kExtender}) {
    EXPECT_TRUE(api_.Get(path)->HasOwner(owner)) << path;
  }
  ExpectConsistent();
  EXPECT_THAT(api_.TakeWrites(), SizeIs(3));
  EXPECT_EQ(owner_.Get(), owner);

  // The release was installed again.
  api_.Put(kOwnerPath, {{"metadata", {{"name", "berth"}, {"uid", "u2"}}}});
  RunFor(seconds(3));
  EXPECT_TRUE(api_.Get(kAuthority)->HasOwner({"v1", "ConfigMap", "berth", "u2"}));
  EXPECT_FALSE(api_.Get(kAuthority)->HasOwner(owner));
}

TEST_F(CertificateKeeperTest, NewSecretsHaveTheirOwnerFromTheStart) {
  config_map_ = "berth";
  api_.Put(kOwnerPath, {{"metadata", {{"name", "berth"}, {"uid", "u1"}}}});
  RunFor(seconds(3));
  EXPECT_TRUE(api_.Get(kExtender)->HasOwner({"v1", "ConfigMap", "berth", "u1"}));
  EXPECT_THAT(api_.TakeWrites(), SizeIs(5));
}

}  // namespace
}  // namespace berth::controller
