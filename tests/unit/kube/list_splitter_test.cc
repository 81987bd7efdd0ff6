#include "kube/list_splitter.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What became of a body that came in pieces.
struct Cut {
  std::vector<std::string> items;
  absl::Status status;
  std::string resource_version;
  std::string continue_token;
};

Cut CutUp(const std::vector<std::string_view>& pieces) {
  ListSplitter splitter("NodeList");
  Cut cut;
  for (const std::string_view piece : pieces) {
    splitter.Append(piece);
    while (cut.status.ok()) {
      const auto item = splitter.Next();
      cut.status = item.status();
      if (!item.ok() || !item->has_value()) break;
      cut.items.emplace_back(**item);
    }
  }
  if (cut.status.ok()) cut.status = splitter.CheckEnd();
  cut.resource_version = splitter.resource_version();
  cut.continue_token = splitter.continue_token();
  return cut;
}

std::string Message(const Cut& cut) { return std::string(cut.status.message()); }

pb::ObjectList Three() {
  pb::ObjectList list;
  list.mutable_metadata()->set_resource_version("100");
  list.mutable_metadata()->set_continue_("more");
  for (const char* item : {"first", "", "the third"}) list.add_items(item);
  return list;
}

TEST(ListSplitter, ABodyMayBeCutAnywhere) {
  const std::string body = Body("NodeList", Three());
  const std::string_view view = body;
  for (std::size_t at = 0; at <= body.size(); ++at) {
    const Cut cut = CutUp({view.substr(0, at), view.substr(at)});
    ASSERT_TRUE(cut.status.ok()) << at << ": " << cut.status;
    ASSERT_THAT(cut.items, ElementsAre("first", "", "the third")) << at;
    EXPECT_EQ(cut.resource_version, "100");
    EXPECT_EQ(cut.continue_token, "more");
  }
}

TEST(ListSplitter, ABodyMayComeByteByByte) {
  const std::string body = Body("NodeList", Three());
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < body.size(); ++at) bytes.emplace_back(&body[at], 1);
  EXPECT_THAT(CutUp(bytes).items, ElementsAre("first", "", "the third"));
}

TEST(ListSplitter, WhatBreaksOffIsNoList) {
  const std::string body = Body("NodeList", Three());
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Cut cut = CutUp({std::string_view(body).substr(0, size)});
    EXPECT_TRUE(absl::IsDataLoss(cut.status)) << size;
  }
}

TEST(ListSplitter, AnItemIsThereOnceItsLastByteHasCome) {
  const std::string body = Body("NodeList", Three());
  const std::size_t end = body.find("first") + 5;
  EXPECT_THAT(CutUp({std::string_view(body).substr(0, end - 1)}).items, IsEmpty());
  EXPECT_THAT(CutUp({std::string_view(body).substr(0, end)}).items, ElementsAre("first"));
}

TEST(ListSplitter, FieldsThatItDoesNotKnowAreSkipped) {
  pb::Unknown unknown;
  unknown.mutable_type_meta()->set_kind("NodeList");
  unknown.set_raw(Three().SerializeAsString() + "\x1a\x02xx");
  const std::string body =
      std::string(kBodyPrefix) + unknown.SerializeAsString() + std::string("\x22\x01y", 3);
  const Cut cut = CutUp({body});
  EXPECT_TRUE(cut.status.ok()) << cut.status;
  EXPECT_EQ(cut.items.size(), 3U);
}

TEST(ListSplitter, AnotherKindIsTold) {
  EXPECT_EQ(Message(CutUp({Body("PodList", Three())})), "expected a NodeList, got a \"PodList\"");
  EXPECT_THAT(Message(CutUp({"<html>"})), HasSubstr("got \"<html>\""));
  EXPECT_THAT(Message(CutUp({"k8", "x"})), HasSubstr("got \"k8x\""));
}

TEST(ListSplitter, LengthsThatCannotBeAreRefusedAtOnce) {
  const std::string front = std::string(kBodyPrefix) + "\x0a\x0a\x12\x08NodeList";
  for (const std::string_view rest : {
           std::string_view("\x12\x04\x12\x05", 4),  // an item ends after its list
           std::string_view("\x12\xff\xff\xff\x7f\x12\xff\xff\xff\x7e", 10),  // 265 MB
           std::string_view("\x08\x01", 2),                                   // a number
       }) {
    const Cut cut = CutUp({front, rest, std::string_view("12345678901234567890")});
    EXPECT_EQ(Message(cut), "a NodeList is malformed or breaks off");
    EXPECT_THAT(cut.items, IsEmpty());
  }
}

}  // namespace
}  // namespace berth::kube
