// What CertificateKeeper does where it may not write, or cannot.

#include "gtest/gtest.h"
#include "tests/unit/controller/certificate_keeper_fixture.h"

namespace berth::controller {
namespace {

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
