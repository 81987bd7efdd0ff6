#pragma once

#include <algorithm>

#include "certs/authority.h"
#include "certs/server_certificate.h"
#include "controller/certificate_keeper.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/controller/fake_api.h"
#include "tests/unit/controller/fixtures.h"
#include "tests/unit/controller/limited_time.h"

namespace berth::controller {

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

inline constexpr hours kDay{24};
inline constexpr char kAuthority[] = "/api/v1/namespaces/ml/secrets/berth-ca";
inline constexpr char kAdmission[] = "/api/v1/namespaces/ml/secrets/admission-tls";
inline constexpr char kExtender[] = "/api/v1/namespaces/ml/secrets/extender-tls";
inline constexpr char kService[] = "/api/v1/namespaces/ml/services/admission";
inline constexpr char kOwnerPath[] = "/api/v1/namespaces/ml/configmaps/berth";
inline const std::string kMutating = std::string(kMutatingWebhooks) + "/berth";
inline const std::string kValidating = std::string(kValidatingWebhooks) + "/berth";

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

}  // namespace berth::controller
