#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/integration/cli_fixture.h"
#include "tests/integration/fake_apiserver.h"

// `berth explain --watch` where the API server refuses a part of what it needs.

namespace berth::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// It would try again for ever.
TEST(CliExplainWatch, SaysWhichRightIsMissing) {
  FakeApiServer server;
  const TempDir folder;
  const std::string kubeconfig = server.WriteKubeconfig(folder);
  for (const auto request : {FakeRequest::kListNodes, FakeRequest::kWatchNodes,
                             FakeRequest::kListPods, FakeRequest::kWatchPods}) {
    server.FailNoMore();
    server.FailAlways(request, {.code = 403, .reason = "Forbidden"});
    const Finished run = RunBerth({"explain", "train", "--watch", "--kubeconfig", kubeconfig});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.error, HasSubstr("explain --watch needs the rights to list and watch "));
    EXPECT_THAT(run.error, HasSubstr("403"));
  }
}

// The pod itself can still be read, so what is said of nodes must not look as if it were new.
TEST(CliExplainWatch, SaysThatNodesCannotBeWatchedAnyMoreAndThatTheyCanAgain) {
  FakeApiServer server;
  const TempDir folder;
  server.objects().Put("/api/v1/namespaces/team/pods/train",
                       R"({"metadata": {"namespace": "team", "name": "train", "uid": "u"},
                           "spec": {"containers": [{"name": "main"}]},
                           "status": {"phase": "Pending"}})");
  ChildProcess berth(BerthWords({"explain", "train", "-n", "team", "--watch", "--kubeconfig",
                                 server.WriteKubeconfig(folder)}));
  ASSERT_TRUE(berth.AwaitOutput("no node is nominated")) << berth.output() << berth.error();
  server.FailAlways(FakeRequest::kWatchNodes, {.code = 403, .reason = "Forbidden"});
  server.EndWatches();
  EXPECT_TRUE(berth.AwaitOutput("  nodes cannot be watched, trying again: GET /api/v1/nodes"))
      << berth.output();
  server.FailNoMore();
  EXPECT_TRUE(berth.AwaitOutput("  nodes are watched again\n")) << berth.output();
  EXPECT_THAT(berth.output(), Not(HasSubstr("pods cannot be watched")));
  EXPECT_THAT(berth.output(), Not(HasSubstr("no answer")));
  berth.Signal(SIGINT);
  EXPECT_EQ(berth.Wait(), 130);
}

}  // namespace
}  // namespace berth::tests
