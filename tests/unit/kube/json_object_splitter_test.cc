#include "kube/json_object_splitter.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What became of a text that came in pieces.
struct CutObjects {
  std::vector<std::string> texts;
  std::vector<std::string> kinds;
  std::size_t too_large = 0;
  std::string continue_token;
  absl::Status status;
};

CutObjects CutUpObjects(const std::vector<std::string_view>& pieces,
                        std::size_t most = kMaxObject) {
  JsonObjectSplitter splitter(most);
  CutObjects cut;
  for (const std::string_view piece : pieces) {
    splitter.Append(piece);
    while (cut.status.ok()) {
      const auto object = splitter.Next();
      cut.status = object.status();
      if (!object.ok() || !object->has_value()) break;
      cut.texts.emplace_back((*object)->text);
      cut.kinds.emplace_back(std::string((*object)->list_api_version) + "/" +
                             std::string((*object)->list_kind));
      cut.too_large += (*object)->too_large ? 1 : 0;
    }
  }
  if (cut.status.ok()) cut.status = splitter.CheckEnd();
  cut.continue_token = splitter.continue_token();
  return cut;
}

// As kubectl writes it: the kind comes behind the items.
constexpr const char* kList = R"({
    "apiVersion": "v1",
    "items": [
        {"kind": "Node", "metadata": {"name": "a"}},
        {"kind": "Pod", "spec": {"items": [{"x": "}]\"{"}, [1, 2]]}}
    ],
    "kind": "List", "metadata": {"items": [{"no": "object"}]}
}
)";

TEST(JsonObjectSplitter, ATextMayBeCutAnywhere) {
  const std::string text = std::string(kList) + R"({"kind": "Pod", "metadata": {"name": "\\"}})";
  const std::string_view view = text;
  const CutObjects whole = CutUpObjects({view});
  EXPECT_THAT(whole.texts,
              ElementsAre(R"({"kind": "Node", "metadata": {"name": "a"}})",
                          R"({"kind": "Pod", "spec": {"items": [{"x": "}]\"{"}, [1, 2]]}})",
                          R"({"kind": "Pod", "metadata": {"name": "\\"}})"));
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const CutObjects cut = CutUpObjects({view.substr(0, at), view.substr(at)});
    ASSERT_TRUE(cut.status.ok()) << at << ": " << cut.status;
    ASSERT_EQ(cut.texts, whole.texts) << at;
  }
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < text.size(); ++at) bytes.push_back(view.substr(at, 1));
  EXPECT_EQ(CutUpObjects(bytes).texts, whole.texts);
}

TEST(JsonObjectSplitter, TellsWhatAListSaysOfItsItems) {
  const CutObjects cut =
      CutUpObjects({R"({"kind":"JobList","apiVersion":"batch/v1","metadata":{"continue":"more"},)"
                    R"("items":[{"metadata":{"name":"a"}}]})"});
  EXPECT_THAT(cut.kinds, ElementsAre("batch/v1/Job"));
  EXPECT_EQ(cut.continue_token, "more");
  EXPECT_THAT(CutUpObjects({kList}).kinds, ElementsAre("/", "/"));
}

TEST(JsonObjectSplitter, TellsItemsFromDocuments) {
  JsonObjectSplitter splitter;
  splitter.Append(R"({"kind": "List", "items": [{"a": 1}]} {"b": 2} {"items": [{"c": 3}]})");
  for (const bool is_item : {true, false, true}) {
    const auto object = splitter.Next();
    ASSERT_TRUE(object.ok() && object->has_value());
    EXPECT_EQ((*object)->is_item, is_item) << (*object)->text;
  }
}

TEST(JsonObjectSplitter, TakesEmptyListsAndNoText) {
  EXPECT_TRUE(CutUpObjects({R"({"items": [], "kind": "List"})", "\n \t"}).status.ok());
  EXPECT_THAT(CutUpObjects({R"({"items": [null, 5, "x"], "kind": "List"})"}).texts, IsEmpty());
  EXPECT_TRUE(CutUpObjects({" \n"}).status.ok());
}

TEST(JsonObjectSplitter, DropsWhatIsTooLargeAndGoesOn) {
  const std::string large = R"({"x": ")" + std::string(5000, 'x') + "\"}";
  const std::string text = R"({"items": [)" + large + R"(, {"y": 1}]})" + large + R"({"z": 1})";
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size(); at += 100) {
    pieces.push_back(std::string_view(text).substr(at, 100));
  }
  for (const auto& way : {pieces, std::vector<std::string_view>{text}}) {
    const CutObjects cut = CutUpObjects(way, 1000);
    EXPECT_TRUE(cut.status.ok()) << cut.status;
    EXPECT_EQ(cut.too_large, 2U);
    EXPECT_THAT(cut.texts, ElementsAre("", R"({"y": 1})", "", R"({"z": 1})"));
  }
}

TEST(JsonObjectSplitter, RefusesOtherTextsInASentence) {
  EXPECT_THAT(
      std::string(CutUpObjects({"apiVersion: v1\n"}).status.message()),
      HasSubstr("expected API objects, as kubectl get -o json writes them, got \"apiVersi"));
  EXPECT_FALSE(CutUpObjects({R"([{"kind": "Pod"}])"}).status.ok());
  const CutObjects garbage = CutUpObjects({std::string(kList) + "error: timeout"});
  EXPECT_FALSE(garbage.status.ok());
  EXPECT_THAT(garbage.texts, SizeIs(2));
}

TEST(JsonObjectSplitter, TellsThatATextBreaksOff) {
  const std::string text = kList;
  const CutObjects cut = CutUpObjects({std::string_view(text).substr(0, text.size() / 2)});
  EXPECT_EQ(cut.status.message(), "the text breaks off within an object");
  EXPECT_THAT(cut.texts, SizeIs(1));
}

}  // namespace
}  // namespace berth::kube
