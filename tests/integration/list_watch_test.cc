// Feed, list-and-watch and HTTP client against an API server that comes and goes.
#include "kube/kubeconfig.h"
#include "tests/integration/fake_permissions.h"
#include "tests/integration/list_watch_fixture.h"

namespace berth::cluster {
namespace {

TEST_F(ListWatchTest, ListsInPagesThenWatches) {
  StartBoth();
  ExpectContents(AtFirst());
  EXPECT_TRUE(snapshot_.Synced());
  EXPECT_EQ(server_->Count(FakeRequest::kListNodes), 3);
  EXPECT_TRUE(snapshot_.LastHeard(Kind::kPods).has_value());
  EXPECT_GT(snapshot_.Read().ResourceVersion(Kind::kPods), 0U);
  const std::uint64_t listed = snapshot_.Read().ResourceVersion(Kind::kNodes);
  EXPECT_GT(listed, 0U);
  ExpectAlive();
  EXPECT_EQ(nodes_.listed(), std::vector<std::size_t>{5});
  EXPECT_GT(snapshot_.Read().ResourceVersion(Kind::kNodes), listed);
  EXPECT_TRUE(nodes_.errors().empty());
  EXPECT_EQ(server_->connections(), 2) << "one connection for each kind";
}

TEST_F(ListWatchTest, AsksAsClientGoDoes) {
  StartBoth();
  EXPECT_EQ(server_->Targets(FakeRequest::kListPods).front(),
            "/api/v1/pods?limit=2&fieldSelector=spec.nodeName%21%3D%2Cstatus.phase%21%3DSucceeded"
            "%2Cstatus.phase%21%3DFailed");
  const std::string watch = server_->Targets(FakeRequest::kWatchNodes).front();
  EXPECT_NE(watch.find("allowWatchBookmarks=true"), std::string::npos) << watch;
  const std::size_t at = watch.find("timeoutSeconds=");
  ASSERT_NE(at, std::string::npos) << watch;
  const int timeout = std::stoi(watch.substr(at + 15));
  EXPECT_GE(timeout, 300);
  EXPECT_LE(timeout, 600);
}

TEST_F(ListWatchTest, AsksForExactlyWhatItsRoleGrants) {
  StartBoth();
  EXPECT_EQ(berth::tests::Needed(*server_), berth::tests::Words(kFeedPermissions));
}

TEST_F(ListWatchTest, AnEmptyClusterIsInSyncToo) {
  server_ = std::make_unique<FakeApiServer>();
  StartFeed();
  EXPECT_TRUE(Await([&] { return snapshot_.Synced(); }));
  EXPECT_TRUE(Have().empty());
}

TEST_F(ListWatchTest, BytesMayComeOneByOne) {
  StartServer({.split_bytes = true});
  StartFeed();
  ExpectContents(AtFirst());
  ExpectAlive();
}

TEST_F(ListWatchTest, AClientCertificateHoldsForSeveralConnections) {
  StartServer({.require_client_certificate = true});
  StartFeed();
  ASSERT_TRUE(AwaitWatches());
  server_->DropConnections();
  EXPECT_TRUE(server_->AwaitCount(FakeRequest::kWatchNodes, 2));
  EXPECT_TRUE(server_->AwaitCount(FakeRequest::kWatchPods, 2));
  ExpectAlive();
  EXPECT_GE(server_->connections(), 4);
}

TEST_F(ListWatchTest, WithoutAClientCertificateNothingIsListedAndTheErrorSaysWhy) {
  StartServer({.require_client_certificate = true});
  kube::ApiConfig config = server_->Config();
  config.client_certificate = {};
  config.client_key = {};
  StartFeed(config);
  ASSERT_TRUE(Await([&] { return !nodes_.errors().empty(); }));
  EXPECT_NE(nodes_.errors()[0].find("certificate required"), std::string::npos)
      << nodes_.errors()[0];
  EXPECT_FALSE(snapshot_.Synced());
}

TEST_F(ListWatchTest, AKubeconfigFileWorksAsWell) {
  StartServer({.require_client_certificate = true, .token = "secret"});
  const berth::tests::TempDir folder;
  const auto config = kube::LoadKubeconfig(server_->WriteKubeconfig(folder));
  ASSERT_TRUE(config.ok()) << config.status();
  StartFeed(*config);
  ExpectContents(AtFirst());
}

TEST_F(ListWatchTest, ATokenThatRotatesIsReadAgain) {
  StartServer({.token = "first"});
  const berth::tests::TempDir folder;
  kube::ApiConfig config = server_->Config();
  config.token = kube::TextSource::File(folder.Write("token", "first\n"));
  StartFeed(config);
  ASSERT_TRUE(AwaitWatches());
  server_->SetToken("second");
  server_->EndWatches();
  ASSERT_TRUE(Await([&] {
    const std::vector<std::string> errors = nodes_.errors();
    return !errors.empty() && errors.back().find("401 Unauthorized") != std::string::npos;
  }));
  folder.Write("token", "second\n");
  ExpectAlive();
}

TEST_F(ListWatchTest, AServerOfAnotherAuthorityIsNotSpokenTo) {
  StartServer();
  kube::ApiConfig config = server_->Config();
  config.certificate_authority =
      kube::TextSource::Text(berth::tests::TestCa("another").certificate());
  StartFeed(config);
  ASSERT_TRUE(Await([&] { return !nodes_.errors().empty(); }));
  EXPECT_NE(nodes_.errors()[0].find("certificate"), std::string::npos) << nodes_.errors()[0];
  EXPECT_EQ(server_->Count(FakeRequest::kListNodes), 0);
}

TEST_F(ListWatchTest, AServerOfAnotherNameIsNotSpokenTo) {
  StartServer();
  kube::ApiConfig config = server_->Config();
  config.tls_server_name = "kubernetes.default.svc";
  StartFeed(config);
  ASSERT_TRUE(Await([&] { return !nodes_.errors().empty(); }));
  EXPECT_NE(nodes_.errors()[0].find("ostname mismatch"), std::string::npos) << nodes_.errors()[0];
  EXPECT_EQ(server_->Count(FakeRequest::kListNodes), 0);
}

TEST_F(ListWatchTest, AWatchThatEndsIsGoneOnWith) {
  StartBoth();
  server_->EndWatches();
  ExpectAlive();
  EXPECT_EQ(nodes_.listed().size(), 1u);
  EXPECT_TRUE(Await([&] { return nodes_.Ends(kube::WatchEnd::kServer) >= 1; }));
}

TEST_F(ListWatchTest, WhatHappenedWhileTheConnectionWasLostIsNotLost) {
  StartBoth();
  server_->Pause();
  server_->Put(MakeNode("meanwhile", 2));
  server_->Delete(MakePod("p4", "n0"));
  ASSERT_TRUE(Await([&] { return nodes_.waits().size() > 0 && pods_.waits().size() > 0; }));
  EXPECT_EQ(Have(), AtFirst()) << "the last snapshot serves";
  server_->Resume();
  EXPECT_TRUE(Await([&] { return Have()["meanwhile"] == "0/2" && Have()["n0"] == "4/8"; }));
  EXPECT_EQ(nodes_.listed().size(), 1u) << "watched on from where it was";
}

TEST_F(ListWatchTest, AnExpiredVersionIsListedAnew) {
  StartBoth();
  server_->Pause();
  server_->Put(MakeNode("meanwhile", 2));
  server_->Delete(MakeNode("n3"));
  server_->Delete(MakePod("p4", "n0"));
  server_->Compact();
  server_->Resume();
  ExpectContents(
      {{"meanwhile", "0/2"}, {"n0", "4/8"}, {"n1", "0/8"}, {"n2", "0/8"}, {"n4", "0/8"}});
  EXPECT_EQ(nodes_.Ends(kube::WatchEnd::kExpired), 1);
}

// Or a watch of something that seldom changes would expire between two changes.
TEST_F(ListWatchTest, ABookmarkMovesTheVersionOn) {
  StartBoth();
  server_->Put(MakePod("other", "n1"));  // raises the version for all kinds
  server_->Compact();
  const auto heard = snapshot_.LastHeard(Kind::kNodes);
  server_->Bookmark();
  EXPECT_TRUE(Await([&] { return snapshot_.LastHeard(Kind::kNodes) > heard; }));
  server_->EndWatches();
  ASSERT_TRUE(server_->AwaitCount(FakeRequest::kWatchNodes, 2));
  const std::vector<std::string> watches = server_->Targets(FakeRequest::kWatchNodes);
  const auto version = [](const std::string& target) {
    return std::stoi(target.substr(target.find("resourceVersion=") + 16));
  };
  EXPECT_GT(version(watches[1]), version(watches[0]));
}

TEST_F(ListWatchTest, AWatchThatStallsIsGivenUp) {
  stall_ = milliseconds(200);
  StartServer();
  server_->Fail(FakeRequest::kWatchNodes, {.kind = FaultKind::kSilentBody});
  StartFeed();
  ASSERT_TRUE(server_->AwaitCount(FakeRequest::kWatchNodes, 2));
  EXPECT_GE(nodes_.Ends(kube::WatchEnd::kStalled), 1);
  ExpectAlive();
}

TEST_F(ListWatchTest, ManyChangesInManyTroublesEndWithTheTruth) {
  StartBoth();
  for (int round = 0; round < 40; ++round) {
    const std::string name = std::to_string(round % 7);
    server_->Put(MakeNode("n" + name, 8 + round % 3));
    server_->Put(MakePod("q" + name, "n" + name, 1 + round % 4));
    if (round % 5 == 1) server_->Delete(MakePod("q" + name, "n" + name));
    if (round % 11 == 3) server_->DropConnections();
    if (round % 13 == 4) server_->EndWatches();
    if (round % 17 == 5) server_->Compact();
    std::this_thread::yield();
  }
  Contents want;
  want["n0"] = Text(5 + 1 + 35 % 4, 8 + 35 % 3);
  for (int i = 1; i < 7; ++i) {
    const int last = i < 5 ? 35 + i : 28 + i;
    want["n" + std::to_string(i)] = Text(last % 5 == 1 ? 0 : 1 + last % 4, 8 + last % 3);
  }
  ExpectContents(want);
}

}  // namespace
}  // namespace berth::cluster
