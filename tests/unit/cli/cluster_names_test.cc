#include "cli/cluster_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/page_limit.h"
#include "tests/unit/kube/scripted_transport.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kPodList[] =
    R"({"items":[{"metadata":{"name":"b","namespace":"ml",)"
    R"("annotations":{"berth.dev/gang-name":"train"}}},{"metadata":{"name":"a","namespace":"ml"}},)"
    R"({"metadata":{"name":"c","namespace":"ml","annotations":{"berth.dev/gang-name":"train"}}}]})";

TEST(ClusterNames, AreReadFromOnePageOfMetadata) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = kPodList}};
  EXPECT_THAT(NamesIn(transport, Candidates::kPods, "ml"), ElementsAre("a", "b", "c"));
  ASSERT_THAT(transport.requests, testing::SizeIs(1));
  EXPECT_EQ(transport.requests[0].target, "/api/v1/namespaces/ml/pods?limit=500");
  EXPECT_THAT(transport.requests[0].accept, HasSubstr("as=PartialObjectMetadataList"));
}

TEST(ClusterNames, OfFewerObjectsAreReadWhereTheyAreLarge) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = std::string(kube::PageLimit::kMaxPageBytes + 1, ' ')},
                       {.body = kPodList}};
  EXPECT_THAT(NamesIn(transport, Candidates::kPods, "ml"), ElementsAre("a", "b", "c"));
  ASSERT_THAT(transport.requests, testing::SizeIs(2));
  EXPECT_EQ(transport.requests[1].target, "/api/v1/namespaces/ml/pods?limit=125");
}

TEST(ClusterNames, OfGangsAreThoseOfTheirPods) {
  kube::ScriptedTransport transport;
  transport.replies = {{.body = kPodList}, {.body = kPodList}};
  EXPECT_THAT(NamesIn(transport, Candidates::kGangs, "ml"), ElementsAre("train"));
  EXPECT_THAT(NamesIn(transport, Candidates::kGangsAnywhere, "ml"), ElementsAre("ml/train"));
  EXPECT_THAT(transport.requests[1].target, StartsWith("/api/v1/pods?"));
}

TEST(ClusterNames, AreNoneWhereNothingCanBeRead) {
  kube::ScriptedTransport transport;
  transport.replies = {{.status = 403, .body = "{}"},
                       {.body = "no JSON"},
                       {.error = absl::UnavailableError("away")}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(NamesIn(transport, Candidates::kNodes, ""), IsEmpty());
  }
}

// It would get into the path of the request.
TEST(ClusterNames, AreNoneWhereNoNamespaceCanBe) {
  kube::ScriptedTransport transport;
  EXPECT_THAT(NamesIn(transport, Candidates::kPods, "ml/pods/a"), IsEmpty());
  EXPECT_THAT(transport.requests, IsEmpty());
}

TEST(ClusterNames, OfFilesAreLeftToTheShell) {
  EXPECT_THAT(NamesFor(Candidates::kFiles, {.kubeconfig = "/nonexistent"}), IsEmpty());
  EXPECT_THAT(NamesFor(Candidates::kNone, {.kubeconfig = "/nonexistent"}), IsEmpty());
  EXPECT_THAT(NamesFor(Candidates::kPods, {.kubeconfig = "/nonexistent"}), IsEmpty());
}

}  // namespace
}  // namespace berth::cli
