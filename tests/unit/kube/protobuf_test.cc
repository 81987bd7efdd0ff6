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
  pb::ObjectList list = ListOf(MakeNode());
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
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf(MakePod())));
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
  EXPECT_EQ(pod.priority, -7);
  EXPECT_FALSE(pod.terminated);
}

TEST(DecodePageTest, AnEmptyListHasNoItems) {
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf()));
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_THAT(page->continue_token, IsEmpty());
}

TEST(DecodePageTest, SaysWhatItGotInstead) {
  EXPECT_THAT(Message(DecodePage<model::Node>("<html>").status()),
              HasSubstr("expected a NodeList in Kubernetes protobuf, got \"<html>\""));
  EXPECT_THAT(Message(DecodePage<model::Node>("").status()), HasSubstr("got \"\""));
  EXPECT_EQ(Message(DecodePage<model::Node>(Body("PodList", ListOf())).status()),
            "expected a NodeList, got a \"PodList\"");
  EXPECT_FALSE(DecodePage<model::Node>(std::string("k8s\0\xff\xff", 6)).ok());
}

pb::Node NamedNode(const std::string& name) {
  pb::Node node = MakeNode();
  node.mutable_metadata()->set_name(name);
  return node;
}

pb::Node OddNode() {
  pb::Node node = NamedNode("odd");
  (*node.mutable_status()->mutable_capacity())["cpu"].set_string("many");
  return node;
}

pb::Pod OddPod() {
  pb::Pod pod = MakePod();
  auto* resources = pod.mutable_spec()->mutable_containers(0)->mutable_resources();
  (*resources->mutable_limits())["nvidia.com/gpu"].set_string("-1");
  return pod;
}

std::vector<std::string> NamesOf(const std::vector<model::Node>& nodes) {
  std::vector<std::string> names;
  for (const model::Node& node : nodes) names.push_back(node.name);
  return names;
}

TEST(DecodePageTest, OneOddObjectDoesNotTakeTheOthersWithIt) {
  const pb::ObjectList nodes = ListOf(NamedNode("a"), OddNode(), NamedNode("b"));
  const auto page = DecodePage<model::Node>(Body("NodeList", nodes));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(NamesOf(page->items), ElementsAre("a", "b"));
  ASSERT_EQ(page->unreadable.size(), 1U);
  EXPECT_EQ(page->unreadable[0].kind, "Node");
  EXPECT_EQ(page->unreadable[0].name, "odd");
  EXPECT_THAT(page->unreadable[0].error,
              HasSubstr("Node[\"odd\"].status.capacity[\"cpu\"]: \"many\" is not a quantity"));
}

TEST(DecodePageTest, AnOddPodIsToldWithItsNamesAndItsUid) {
  const auto page = DecodePage<model::Pod>(Body("PodList", ListOf(OddPod())));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->items, IsEmpty());
  EXPECT_THAT(
      page->unreadable,
      ElementsAre(UnreadableObject{
          .kind = "Pod",
          .namespace_ = "team",
          .name = "train-0",
          .uid = "u-1",
          .error =
              "Pod[\"team\"][\"train-0\"].spec.containers[0].resources.limits[\"nvidia.com/gpu\"]: "
              "\"-1\" is negative; write 0 or more"}));
}

// Wherever the bytes of an object end: it is whole, or it is known by its whole name, or by none.
TEST(DecodePageTest, AnObjectThatBreaksOffIsKnownByItsNameOnceThatHasCome) {
  const std::string pod = MakePod().SerializeAsString();
  int named = 0;
  for (std::size_t size = 0; size < pod.size(); ++size) {
    pb::ObjectList list = ListOf(MakePod());
    list.add_items(pod.substr(0, size));
    const auto page = DecodePage<model::Pod>(Body("PodList", list));
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_EQ(page->items.size() + page->unreadable.size(), 2U);
    if (page->unreadable.empty()) continue;  // it ended between two fields
    const UnreadableObject& broken = page->unreadable[0];
    ASSERT_THAT(kube::FullNameOf(broken), ::testing::AnyOf("", "team/train-0")) << size;
    named += broken.name.empty() ? 0 : 1;
  }
  EXPECT_GT(named, static_cast<int>(pod.size() / 2));
}

TEST(DecodePageTest, BytesThatAreNoMessageHaveNoName) {
  pb::ObjectList list = ListOf(MakeNode());
  list.add_items("\xff\xff\xff");
  const auto page = DecodePage<model::Node>(Body("NodeList", list));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->items.size(), 1U);
  EXPECT_THAT(page->unreadable,
              ElementsAre(UnreadableObject{.kind = "Node",
                                           .namespace_ = "",
                                           .name = "",
                                           .uid = "",
                                           .error = "3 bytes do not decode as Node"}));
}

TEST(DecodePageTest, ANodeWithoutANameHasNoName) {
  pb::Node node = MakeNode();
  node.mutable_metadata()->clear_name();
  const auto page = DecodePage<model::Node>(Body("NodeList", ListOf(node)));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->unreadable.size(), 1U);
  EXPECT_EQ(page->unreadable[0].name, "");
  EXPECT_THAT(page->unreadable[0].error, HasSubstr("has no metadata.name"));
}

// It could be the last of them that excludes the node.
TEST(DecodePageTest, ANodeOfMoreThanBerthReadsIsUnreadable) {
  const auto error_of = [](const pb::Node& node) -> std::string {
    const auto page = DecodePage<model::Node>(Body("NodeList", ListOf(node)));
    if (!page.ok() || page->unreadable.empty()) return "";
    EXPECT_EQ(page->unreadable[0].name, "gpu-7");
    return page->unreadable[0].error;
  };
  pb::Node node = MakeNode();
  while (node.status().conditions_size() < 256) node.mutable_status()->add_conditions();
  while (node.spec().taints_size() < 256) node.mutable_spec()->add_taints();
  EXPECT_EQ(error_of(node), "");
  node.mutable_status()->mutable_conditions(7)->set_type(std::string(16 * 1024, 'x'));
  EXPECT_EQ(error_of(node),
            "Node[\"gpu-7\"].status.conditions: has more than the 16384 bytes of types that Berth "
            "reads");
  node.mutable_spec()->add_taints();
  node.mutable_status()->clear_conditions();
  EXPECT_EQ(error_of(node),
            "Node[\"gpu-7\"].spec.taints: has more than the 256 taints that Berth reads");
  node.mutable_spec()->clear_taints();
  for (int i = 0; i < 100'000; ++i) node.mutable_status()->add_conditions()->set_type("x");
  EXPECT_EQ(error_of(node),
            "Node[\"gpu-7\"].status.conditions: has more than the 256 conditions that Berth reads");
}

// kube-apiserver does not validate the times of conditions.
TEST(DecodePageTest, AnOddTimeIsNoTime) {
  pb::Node node = MakeNode();
  pb::NodeCondition* condition = node.mutable_status()->mutable_conditions(0);
  // 0001-01-01T00:00:00+09:00
  condition->mutable_last_transition_time()->set_seconds(-62'135'629'200);
  condition->mutable_last_heartbeat_time()->set_seconds(253'402'300'800);
  const auto page = DecodePage<model::Node>(Body("NodeList", ListOf(node)));
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->unreadable, IsEmpty());
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_THAT(
      page->items[0].conditions,
      ElementsAre(model::Condition{.type = "GPUIsLost", .status = model::ConditionStatus::kTrue}));

  pb::Pod pod = MakePod();
  pod.mutable_metadata()->mutable_creation_timestamp()->set_seconds(-62'135'629'200);
  const auto pods = DecodePage<model::Pod>(Body("PodList", ListOf(pod)));
  ASSERT_TRUE(pods.ok()) << pods.status();
  ASSERT_EQ(pods->items.size(), 1U);
  EXPECT_EQ(pods->items[0].created, model::kNoTime);
}

// Go's encoder writes whatever bytes a string has.
TEST(DecodePageTest, StringsNeedNotBeUtf8) {
  pb::Node node = MakeNode();
  (*node.mutable_metadata()->mutable_labels())["\xff"] = "\xc3\x28";
  node.mutable_status()->mutable_conditions(0)->set_status("\xfe");
  const auto page = DecodePage<model::Node>(Body("NodeList", ListOf(node)));
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->items.size(), 1U);
  EXPECT_EQ(page->items[0].conditions[0].status, model::ConditionStatus::kUnknown);
}

TEST(DecodePageTest, AnEmptyQuantityIsZero) {
  pb::Node node = MakeNode();
  (*node.mutable_status()->mutable_capacity())["pods"];
  const auto page = DecodePage<model::Node>(Body("NodeList", ListOf(node)));
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

TEST(DecodeWatchEventTest, AnOddObjectIsToldWithItsVersion) {
  for (const std::string_view type : {"ADDED", "MODIFIED"}) {
    const auto event = DecodeWatchEvent<model::Pod>(Event(type, Body("Pod", OddPod())));
    ASSERT_TRUE(event.ok()) << event.status();
    EXPECT_EQ(event->resource_version, "43");
    EXPECT_FALSE(event->object.has_value());
    ASSERT_TRUE(event->unreadable.has_value());
    EXPECT_EQ(kube::FullNameOf(*event->unreadable), "team/train-0");
  }
}

TEST(DecodeWatchEventTest, WhatIsDeletedNeedNotBeReadable) {
  const auto event = DecodeWatchEvent<model::Pod>(Event("DELETED", Body("Pod", OddPod())));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEventType::kDeleted);
  EXPECT_EQ(event->resource_version, "43");
  ASSERT_TRUE(event->object.has_value());
  EXPECT_EQ(*event->object, (model::Pod{.namespace_ = "team", .name = "train-0", .uid = "u-1"}));
}

TEST(DecodeWatchEventTest, AnObjectThatBreaksOffMovesTheWatchOn) {
  std::string bytes = MakeNode().SerializeAsString();
  bytes.pop_back();
  pb::Unknown unknown;
  unknown.mutable_type_meta()->set_kind("Node");
  unknown.set_raw(bytes);
  const auto event = DecodeWatchEvent<model::Node>(
      Event("MODIFIED", std::string("k8s\0", 4) + unknown.SerializeAsString()));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->resource_version, "42");
  ASSERT_TRUE(event->unreadable.has_value());
  EXPECT_EQ(event->unreadable->name, "gpu-7");
  EXPECT_THAT(event->unreadable->error, HasSubstr("do not decode as Node"));
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
