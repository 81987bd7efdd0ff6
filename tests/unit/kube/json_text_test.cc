#include "kube/json_text.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace berth::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Members = std::vector<std::pair<std::string, std::string>>;

struct Walk {
  bool whole = false;
  Members members;
};

Walk MembersOf(std::string_view text) {
  Walk walk;
  walk.whole = JsonText(text).ForEachMember([&walk](const JsonText& key, const JsonText& value) {
    walk.members.emplace_back(key.text(), value.text());
    return true;
  });
  return walk;
}

TEST(JsonTextTest, FindsMembersByBracketsAndQuotes) {
  const Walk walk =
      MembersOf(R"( { "a" : [1, {"b": "]}"}] , "c\"":"\\", "d":-1.5e3,"e":{}, "a": null } )");
  EXPECT_TRUE(walk.whole);
  EXPECT_THAT(walk.members,
              ElementsAre(Pair("\"a\"", R"([1, {"b": "]}"}])"), Pair(R"("c\"")", R"("\\")"),
                          Pair("\"d\"", "-1.5e3"), Pair("\"e\"", "{}"), Pair("\"a\"", "null")));
  EXPECT_TRUE(MembersOf("{}").whole);
}

TEST(JsonTextTest, TellsWhatDoesNotGoTogether) {
  for (const char* text :
       {"", "[]", "{", R"({"a"})", R"({"a":})", R"({"a":1,})", R"({"a" 1})", R"({"a":1 "b":2})",
        R"({"a":1}})", R"({"a":1} x)", R"({a:1})", R"({"a":[})", R"({"a":"b)", "{,}"}) {
    EXPECT_FALSE(MembersOf(text).whole) << text;
  }
}

TEST(JsonTextTest, TellsWhatEndsEarly) {
  for (const char* text : {"{", " [1, 2", R"({"a": {"b": 1})", R"({"a": "}])", R"(["\"])"}) {
    EXPECT_TRUE(EndsEarly(text)) << text;
  }
  for (const char* text : {"", "\"a", "{}", " [1, 2] ", "{]", "}{", R"({"a": "\\"} x)", "tru"}) {
    EXPECT_FALSE(EndsEarly(text)) << text;
  }
}

TEST(JsonTextTest, VisitsWhatWasBegunInATextThatIsCutOff) {
  const Walk walk = MembersOf(R"({"a": 1, "request": {"uid": "u", "object": {"x)");
  EXPECT_FALSE(walk.whole);
  EXPECT_THAT(walk.members, ElementsAre(Pair("\"a\"", "1"),
                                        Pair("\"request\"", R"({"uid": "u", "object": {"x)")));
}

TEST(JsonTextTest, FindsItems) {
  std::vector<std::string> items;
  const auto add = [&items](const JsonText& item) {
    items.emplace_back(item.text());
    return true;
  };
  EXPECT_TRUE(JsonText(R"([ {"a":[1]} ,"b,", 3])").ForEachItem(add));
  EXPECT_THAT(items, ElementsAre(R"({"a":[1]})", R"("b,")", "3"));
  items.clear();
  EXPECT_TRUE(JsonText("[]").ForEachItem(add));
  EXPECT_THAT(items, IsEmpty());
  for (const char* text : {"{}", "[1,]", "[1 2]", "[1", "[,]"}) {
    EXPECT_FALSE(JsonText(text).ForEachItem(add)) << text;
  }
}

TEST(JsonTextTest, FindsAMemberHoweverItIsEscaped) {
  const JsonText object(R"({"x": {"Pod": 0}, "\u0050od": "p", "Pod": "q", "Nodes": null})");
  EXPECT_EQ(object.Member("Pod")->text(), "\"p\"");
  EXPECT_FALSE(object.Member("Nodes"));
  EXPECT_FALSE(object.Member("Po"));
  for (const char* text : {R"("\u0051od")", R"("\u005")", R"("\n")", R"("Pods")", "Pod", "\""}) {
    EXPECT_FALSE(JsonText(text).Spells("Pod")) << text;
  }
}

TEST(JsonTextTest, KnowsStringsWithoutEscapes) {
  EXPECT_EQ(JsonText(R"( "a b" )").PlainString(), "a b");
  EXPECT_EQ(JsonText(R"("")").PlainString(), "");
  for (const char* text : {R"("a\n")", R"("a)", "\"", "1", "", "null"}) {
    EXPECT_FALSE(JsonText(text).PlainString()) << text;
  }
}

TEST(JsonTextTest, LeavesOutMembersAtAnyDepth) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {R"({"a": 1})", R"({"a": 1})"},
      {R"({"gone": [{"x": "}]"}], "a": 1})", R"({"gone": null, "a": 1})"},
      {R"([{"b": {"gone" : {}}}, {"gone":"x"}])", R"([{"b": {"gone" : null}}, {"gone":null}])"},
      {R"({"g\u006fne":7})", R"({"g\u006fne":null})"},
      {R"({"a": "gone", "gone2": 1})", R"({"a": "gone", "gone2": 1})"},
      {R"(["gone", {"a": "\"gone\": 1"}])", R"(["gone", {"a": "\"gone\": 1"}])"},
      {R"({"gone":[1)", R"({"gone":null)"},
      {R"({"gone":)", R"({"gone":null)"},
      {R"({"gone)", R"({"gone)"},
      {"", ""},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(WithoutMembers(test.text, "gone"), test.expected) << test.text;
  }
}

TEST(JsonTextTest, CountsValues) {
  constexpr std::size_t kAll = 1'000;
  EXPECT_EQ(CountValues("1", kAll), 1U);
  EXPECT_EQ(CountValues(R"("a,[{")", kAll), 1U);
  EXPECT_EQ(CountValues(R"({"a": [1, 2], "b\",": {}})", kAll), 5U) << "with the object itself";
  std::string many = "[";
  for (int i = 0; i < 500; ++i) many += "{},";
  EXPECT_EQ(CountValues(many + "{}]", 2'000), 502U);
  EXPECT_EQ(CountValues(many + "{}]", 10), 11U) << "enough is enough";
}

}  // namespace
}  // namespace berth::kube
