#include "cli/cluster_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/api_reply.h"
#include "placement/explanation_hints.h"
#include "process/engine.h"
#include "tests/unit/kube/paged_server.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::cli {
namespace {

using testing::HasSubstr;

class LoadObjectsTest : public testing::Test {
 protected:
  absl::Status Load(const std::string& text) { return LoadObjects(text, "f", snapshot_); }

  /// What is told of objects that cannot be read, one line each.
  std::string Hints() const {
    std::string lines;
    for (const std::string& hint : placement::QuarantineHints(snapshot_.Read()))
      lines += hint + "\n";
    return lines;
  }

  const process::Engine engine_ = process::MakeEngine({});
  cluster::Snapshot snapshot_{{.catalog = engine_.catalog, .labels = {}}};
};

TEST_F(LoadObjectsTest, TakesNodesAndBoundPodsInAnyOrder) {
  const absl::Status loaded = Load(R"({"kind": "List", "items": [
    {"kind": "Pod", "metadata": {"name": "p", "namespace": "t", "uid": "u"},
     "spec": {"nodeName": "n", "containers": [
       {"resources": {"limits": {"nvidia.com/gpu": "2"}}}]}},
    {"kind": "Pod", "metadata": {"name": "q", "namespace": "t", "uid": "v"},
     "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "4"}}}]}},
    {"kind": "Service", "metadata": {"name": "s"}},
    {"kind": "Node", "metadata": {"name": "n"}, "status": {"capacity": {"nvidia.com/gpu": "8"}}}]})");
  ASSERT_TRUE(loaded.ok()) << loaded;
  const auto view = snapshot_.Read();
  const auto index = view.Find("n");
  ASSERT_TRUE(index);
  EXPECT_EQ(view.At(*index)->used.Get("nvidia.com/gpu"), 2);
}

TEST_F(LoadObjectsTest, WantsNodes) {
  for (const char* text :
       {R"({"kind": "List", "items": []})", R"({"kind": "PodList", "items": []})"}) {
    EXPECT_EQ(Load(text).message(),
              "f: has no nodes; write it with `kubectl get nodes,pods -A -o json`");
  }
}

TEST_F(LoadObjectsTest, TellsWhatStandsInThePlaceOfObjects) {
  const std::string advice = "; write it with `kubectl get nodes,pods -A -o json`";
  EXPECT_EQ(Load(R"({"kind": "Status", "apiVersion": "v1", "message": "a\nb"})").message(),
            "f: is a Status, an API server's answer in place of objects: a b" + advice);
  EXPECT_EQ(Load(R"({"kind": "List"})").message(), "f: is a \"List\" without items" + advice);
}

// As of a pipe whose writer was ended.
TEST_F(LoadObjectsTest, TellsThatATextEndsEarly) {
  EXPECT_EQ(Load(R"({"kind": "List", "items": [{"kind": "Node", "metadata": {"na)").message(),
            "f: the text is not JSON: it ends early, within an object or an array; write it with "
            "`kubectl get nodes,pods -A -o json`");
}

TEST_F(LoadObjectsTest, OneOddObjectDoesNotTakeTheOthersWithIt) {
  EXPECT_EQ(Hints(), "");
  const absl::Status loaded = Load(R"({"kind": "List", "items": [
    {"kind": "Node", "metadata": {"name": "odd"}, "status": {"capacity": {"cpu": "many"}}},
    {"kind": "Node", "metadata": {"name": "n"}, "status": {"capacity": {"nvidia.com/gpu": "8"}}},
    {"kind": "Pod", "metadata": {"namespace": "t", "name": "p"}, "spec": []}]})");
  ASSERT_TRUE(loaded.ok()) << loaded;
  EXPECT_TRUE(snapshot_.Read().Find("n"));
  const std::string told = Hints();
  EXPECT_THAT(told, HasSubstr("node odd cannot be read; it gets no pods until it can be: "
                              "items[0].status.capacity[\"cpu\"]: \"many\" is not a quantity"));
  EXPECT_THAT(told, HasSubstr("pod t/p cannot be read; it counts as last known: items[2].spec: "
                              "expected an object, got array\n"));
}

TEST_F(LoadObjectsTest, TellsTheFirstOfManyThatCannotBeRead) {
  std::string items = R"({"kind": "Node", "metadata": {}})";
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    items += R"(,{"kind": "Node", "metadata": {"name": ")" + std::string(name) +
             R"("}, "status": {"capacity": {"cpu": "many"}}})";
  }
  ASSERT_TRUE(Load(R"({"kind": "List", "items": [)" + items + "]}").ok());
  const std::string told = Hints();
  EXPECT_THAT(told, testing::StartsWith("not even the names of 1 node can be read\nnode a "));
  EXPECT_THAT(told, testing::EndsWith("2 more nodes cannot be read\n"));
}

TEST_F(LoadObjectsTest, NamesTheFileInErrors) {
  for (const char* text : {"", "nodes: []", "[]", "{\"kind\": \"List\", \"items\": [5]}"}) {
    const absl::Status loaded = Load(text);
    EXPECT_EQ(loaded.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(loaded.message()), testing::StartsWith("f: ")) << text;
  }
  EXPECT_EQ(LoadObjectsFile("/nonexistent.json", snapshot_).message(),
            "/nonexistent.json: cannot be read: No such file or directory");
}

/// The node gpu-7, or a page of pods on that node of which each has 1.5 MiB.
std::string ClusterPage(const std::string& path, std::size_t first, std::size_t end,
                        const std::string& continue_token) {
  kube::pb::ObjectList list;
  list.mutable_metadata()->set_continue_(continue_token);
  if (path == "/api/v1/nodes") {
    list.add_items(kube::MakeNode().SerializeAsString());
    return kube::Body("NodeList", list);
  }
  for (std::size_t i = first; i < end; ++i) {
    kube::pb::Pod pod = kube::MakePod();
    pod.mutable_metadata()->set_name("train-" + std::to_string(i));
    pod.mutable_metadata()->set_uid("u-" + std::to_string(i));
    (*pod.mutable_metadata()->mutable_annotations())["large"] = std::string(3 << 19, 'x');
    list.add_items(pod.SerializeAsString());
  }
  return kube::Body("PodList", list);
}

TEST_F(LoadObjectsTest, APageOfLargePodsIsAskedForInSmallerPieces) {
  kube::PagedServer server({{"/api/v1/nodes", 1}, {"/api/v1/pods", 20}}, kube::kProtobufType,
                           ClusterPage);
  const absl::Status loaded = LoadCluster(server, snapshot_);
  ASSERT_TRUE(loaded.ok()) << loaded;
  EXPECT_THAT(server.asked,
              testing::ElementsAre("0+500", "0+500", "0+125", "0+31", "0+7", "7+7", "14+7"));
  EXPECT_EQ(Hints(), "");
  const auto view = snapshot_.Read();
  const auto index = view.Find("gpu-7");
  ASSERT_TRUE(index);
  EXPECT_EQ(view.At(*index)->used.Get("nvidia.com/gpu"), 40);
}

TEST_F(LoadObjectsTest, OneObjectThatIsTooLargeIsAnError) {
  kube::PagedServer server = kube::ServerOfTooLargeObjects("/api/v1/nodes", kube::kProtobufType);
  const absl::Status loaded = LoadCluster(server, snapshot_);
  EXPECT_TRUE(absl::IsDataLoss(loaded)) << loaded;
  EXPECT_EQ(loaded.message(), "the reply has over 268435456 bytes");
  EXPECT_THAT(server.asked, testing::ElementsAre("0+500", "0+125", "0+31", "0+7", "0+1"));
}

}  // namespace
}  // namespace berth::cli
