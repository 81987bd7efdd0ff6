#include "kube/protobuf.h"

#include <chrono>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(DecodePageTest, ReadsNodes) {
  pb::NodeList list;
  *list.add_items() = MakeNode();
  list.mutable_metadata()->set_resource_version("100");
  list.mutable_metadata()->set_continue_("more");
  const auto page = DecodePage<model::Node>(Body("NodeList", list));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->resource_version, "100");
  EXPECT_EQ(page->continue_token, "more");
  ASSERT_EQ(page->items.size(), 1U);
  const model::Node& node = page->items[0];
  EXPECT_EQ(node.name, "gpu-7");
  EXPECT_THAT(node.labels, ElementsAre(Pair("nvidia.com/gpu.product", "NVIDIA-A30")));
  EXPECT_THAT(node.taints, ElementsAre(model::Taint{"dedicated", "team-a", "PreferNoSchedule"}));
  EXPECT_EQ(node.capacity.Get("cpu"), 80'000);
  EXPECT_EQ(node.allocatable.Get("nvidia.com/gpu"), 6);
  ASSERT_EQ(node.conditions.size(), 1U);
  EXPECT_EQ(node.conditions[0].type, "GPUIsLost");
  EXPECT_EQ(node.conditions[0].status, model::ConditionStatus::kTrue);
  EXPECT_EQ(node.conditions[0].last_transition, model::Time(std::chrono::seconds(1'700'000'000)));
  EXPECT_EQ(node.conditions[0].last_heartbeat, model::kNoTime);
}

TEST(DecodePageTest, ReadsPods) {
  pb::PodList list;
  *list.add_items() = MakePod();
  const auto page = DecodePage<model::Pod>(Body("PodList", list));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->items.size(), 1U);
  const model::Pod& pod = page->items[0];
  EXPECT_EQ(pod.namespace_, "team");
  EXPECT_EQ(pod.name, "train-0");
  EXPECT_EQ(pod.uid, "u-1");
  EXPECT_EQ(pod.node_name, "gpu-7");
  EXPECT_THAT(pod.annotations, ElementsAre(Pair("berth.dev/accelerators", "A100,V100")));
  EXPECT_THAT(pod.tolerations, ElementsAre(model::Toleration{"dedicated", "Exists", "", ""}));
  EXPECT_EQ(pod.requests.Get("cpu"), 1500);
  EXPECT_EQ(pod.requests.Get("nvidia.com/gpu"), 2);
  EXPECT_FALSE(pod.terminated);
}

TEST(DecodePageTest, AnEmptyListHasNoItems) {
  const auto page = DecodePage<model::Pod>(Body("PodList", pb::PodList()));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_THAT(page->continue_token, IsEmpty());
}

TEST(DecodePageTest, SaysWhatItGotInstead) {
  EXPECT_THAT(Message(DecodePage<model::Node>("<html>").status()),
              HasSubstr("expected a NodeList in Kubernetes protobuf, got \"<html>\""));
  EXPECT_THAT(Message(DecodePage<model::Node>("").status()), HasSubstr("got \"\""));
  EXPECT_EQ(Message(DecodePage<model::Node>(Body("PodList", pb::PodList())).status()),
            "expected a NodeList, got a \"PodList\"");
  EXPECT_FALSE(DecodePage<model::Node>(std::string("k8s\0\xff\xff", 6)).ok());
}

TEST(DecodePageTest, NamesTheFieldThatIsWrong) {
  pb::NodeList nodes;
  *nodes.add_items() = MakeNode();
  (*nodes.mutable_items(0)->mutable_status()->mutable_capacity())["cpu"].set_string("many");
  EXPECT_THAT(Message(DecodePage<model::Node>(Body("NodeList", nodes)).status()),
              HasSubstr("Node[\"gpu-7\"].status.capacity[\"cpu\"]: \"many\" is not a quantity"));

  pb::PodList pods;
  *pods.add_items() = MakePod();
  auto* resources =
      pods.mutable_items(0)->mutable_spec()->mutable_containers(0)->mutable_resources();
  (*resources->mutable_limits())["nvidia.com/gpu"].set_string("-1");
  EXPECT_EQ(Message(DecodePage<model::Pod>(Body("PodList", pods)).status()),
            "Pod[\"team\"][\"train-0\"].spec.containers[0].resources.limits[\"nvidia.com/gpu\"]: "
            "\"-1\" is negative; write 0 or more");
}

TEST(DecodePageTest, RefusesANodeWithoutAName) {
  pb::NodeList list;
  *list.add_items() = MakeNode();
  list.mutable_items(0)->mutable_metadata()->clear_name();
  EXPECT_THAT(Message(DecodePage<model::Node>(Body("NodeList", list)).status()),
              HasSubstr("has no metadata.name"));
}

TEST(DecodePageTest, AnEmptyQuantityIsZero) {
  pb::NodeList list;
  *list.add_items() = MakeNode();
  (*list.mutable_items(0)->mutable_status()->mutable_capacity())["pods"];
  const auto page = DecodePage<model::Node>(Body("NodeList", list));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_TRUE(page->items[0].capacity.Has("pods"));
  EXPECT_EQ(page->items[0].capacity.Get("pods"), 0);
}

TEST(DecodeWatchEventTest, ReadsEveryTypeWithAnObject) {
  const std::string body = Body("Pod", MakePod());
  const std::pair<std::string_view, WatchEventType> types[] = {
      {"ADDED", WatchEventType::kAdded},
      {"MODIFIED", WatchEventType::kModified},
      {"DELETED", WatchEventType::kDeleted}};
  for (const auto& [text, type] : types) {
    const auto event = DecodeWatchEvent<model::Pod>(Event(text, body));
    ASSERT_TRUE(event.ok()) << event.status();
    EXPECT_EQ(event->type, type);
    EXPECT_EQ(event->resource_version, "43");
    ASSERT_TRUE(event->object.has_value());
    EXPECT_EQ(event->object->name, "train-0");
  }
}

TEST(DecodeWatchEventTest, ABookmarkHasOnlyAVersion) {
  pb::Node node;
  node.mutable_metadata()->set_resource_version("77");
  const auto event = DecodeWatchEvent<model::Node>(Event("BOOKMARK", Body("Node", node)));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kBookmark);
  EXPECT_EQ(event->resource_version, "77");
  EXPECT_FALSE(event->object.has_value());
}

pb::Status Gone() {
  pb::Status status;
  status.set_code(410);
  status.set_reason("Expired");
  status.set_message("too old resource version");
  status.mutable_details()->set_retry_after_seconds(3);
  return status;
}

TEST(DecodeWatchEventTest, AnErrorHasAStatus) {
  const auto event = DecodeWatchEvent<model::Node>(Event("ERROR", Body("Status", Gone())));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kError);
  EXPECT_EQ(event->status.code, 410);
  EXPECT_EQ(event->status.reason, "Expired");
  EXPECT_EQ(event->status.message, "too old resource version");
  EXPECT_EQ(event->status.retry_after, std::chrono::seconds(3));
}

TEST(DecodeWatchEventTest, RefusesWhatIsNoEvent) {
  EXPECT_EQ(Message(DecodeWatchEvent<model::Node>("").status()),
            "\"\" is not the type of a watch event");
  EXPECT_THAT(Message(DecodeWatchEvent<model::Node>(Event("SYNC", "")).status()),
              HasSubstr("\"SYNC\""));
  EXPECT_FALSE(DecodeWatchEvent<model::Node>("\xff\xff\xff").ok());
  EXPECT_FALSE(DecodeWatchEvent<model::Node>(Event("ADDED", "")).ok());
  EXPECT_FALSE(DecodeWatchEvent<model::Node>(Event("ADDED", Body("Pod", MakePod()))).ok());
}

TEST(DecodeStatusTest, ReadsTheBodyOfAnErrorReply) {
  const auto status = DecodeStatus(Body("Status", Gone()));
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(status->code, 410);
  EXPECT_FALSE(DecodeStatus("{\"kind\":\"Status\"}").ok());
}

}  // namespace
}  // namespace berth::kube
