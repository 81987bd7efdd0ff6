#include "model/gang.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/avoid.h"

namespace berth::model {
namespace {

using ::testing::HasSubstr;

const GangNames kNames("berth.dev");

// The gang of a pod with these annotations, by their names without the prefix.
absl::StatusOr<std::optional<Gang>> Read(StringMap annotations) {
  for (auto& entry : annotations) entry.first = "berth.dev/" + entry.first;
  Normalize(annotations);
  return GangOf(annotations, kNames);
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST(GangNames, FollowThePrefix) {
  const GangNames names("example.com");
  EXPECT_EQ(names.gate, "example.com/gang");
  EXPECT_EQ(names.name, "example.com/gang-name");
  EXPECT_EQ(names.size, "example.com/gang-size");
  EXPECT_EQ(names.topology, "example.com/gang-topology");
  EXPECT_EQ(names.models, "example.com/gang-models");
  EXPECT_EQ(names.preflight, "example.com/gang-preflight");
  EXPECT_EQ(names.eviction, "example.com/gang-eviction");
}

TEST(Gang, IsWhatTheAnnotationsSay) {
  const auto gang = Read({{"gang-name", "train-7"}, {"gang-size", "16"}});
  ASSERT_TRUE(gang.ok()) << gang.status();
  EXPECT_EQ(*gang, (Gang{.name = "train-7", .size = 16}));

  const auto all = Read({{"gang-models", " any"},
                         {"gang-name", " train "},
                         {"gang-preflight", "false "},
                         {"gang-size", "1\n"},
                         {"gang-topology", "topology.kubernetes.io/rack "}});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(*all, (Gang{.name = "train",
                        .size = 1,
                        .topology = "topology.kubernetes.io/rack",
                        .any_models = true,
                        .preflight = false}));
}

TEST(GangEviction, IsWhatTheAnnotationSays) {
  const Time noon = *TimeFromRfc3339("2026-01-31T12:00:00Z");
  const auto read = [noon](const std::string& text, std::chrono::seconds age) {
    return GangEvictionOf({{"berth.dev/gang-eviction", text}}, noon - age, kNames);
  };
  const GangEviction eviction{.began = noon, .pods = 16};
  EXPECT_EQ(GangEvictionText(eviction), "2026-01-31T12:00:00Z pods=16");
  EXPECT_EQ(read(GangEvictionText(eviction), std::chrono::seconds(1)), eviction);
  for (const char* text : {"", "soon", "soon pods=16", "2026-01-31T12:00:00Z",
                           "2026-01-31T12:00:00Z pods=", "2026-01-31T12:00:00Z pods=0"}) {
    EXPECT_EQ(read(text, std::chrono::seconds(1)), std::nullopt) << text;
  }
  EXPECT_EQ(GangEvictionOf({}, noon, kNames), std::nullopt);
  // The pod was made from a copy of one that said so.
  EXPECT_EQ(read(GangEvictionText(eviction), std::chrono::seconds(0)), std::nullopt);
}

// Clocks may differ a little. What begins much later somebody else has written.
TEST(GangEviction, GoesOnForTenMinutes) {
  const Time noon = *TimeFromRfc3339("2026-01-31T12:00:00Z");
  const GangEviction eviction{.began = noon, .pods = 16};
  EXPECT_TRUE(eviction.GoesOnAt(noon));
  EXPECT_TRUE(eviction.GoesOnAt(noon + std::chrono::seconds(599)));
  EXPECT_FALSE(eviction.GoesOnAt(noon + std::chrono::seconds(600)));
  EXPECT_TRUE(eviction.GoesOnAt(noon - std::chrono::seconds(60)));
  EXPECT_FALSE(eviction.GoesOnAt(noon - std::chrono::seconds(61)));
}

TEST(Gang, IsNoneWithoutNameAndSize) {
  const std::vector<StringMap> cases = {{}, {{"gang", "true"}}, {{"gang-models", "any"}}};
  for (const StringMap& annotations : cases) {
    const auto gang = Read(annotations);
    ASSERT_TRUE(gang.ok()) << gang.status();
    EXPECT_EQ(*gang, std::nullopt);
  }
}

TEST(Gang, BadAnnotationsAreNamedWithWhatToWriteInstead) {
  const std::vector<std::pair<StringMap, std::string>> cases = {
      {{{"gang-size", "4"}},
       "berth.dev/gang-name is missing although berth.dev/gang-size is there; write one name on "
       "all pods of the gang"},
      {{{"gang-name", "a"}},
       "berth.dev/gang-size is missing although berth.dev/gang-name is there; write the number of "
       "pods of the gang"},
      {{{"gang-name", "a"}, {"gang-size", "0"}},
       "berth.dev/gang-size 0 is not a whole number above 0; write the number of pods"},
      {{{"gang-name", "-a"}, {"gang-size", "2"}}, "berth.dev/gang-name '-a' is not a name; write"},
      {{{"gang-name", ""}, {"gang-size", "2"}}, "berth.dev/gang-name '' is not a name; write"},
      {{{"gang-name", "a"}, {"gang-size", "2"}, {"gang-topology", "same rack"}},
       "berth.dev/gang-topology 'same rack' is not the name of a label; write the label of nodes"},
      {{{"gang-name", "a"}, {"gang-size", "2"}, {"gang-models", "mixed"}},
       "berth.dev/gang-models 'mixed' is not known; write any"},
      {{{"gang-name", "a"}, {"gang-preflight", "yes"}, {"gang-size", "2"}},
       "berth.dev/gang-preflight 'yes' is not known; write true or false"}};
  for (const auto& [annotations, sentence] : cases) {
    const auto gang = Read(annotations);
    ASSERT_FALSE(gang.ok()) << sentence;
    EXPECT_EQ(gang.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(MessageOf(gang.status()), HasSubstr(sentence));
  }
}

TEST(Gang, SizesAreWholeNumbersUpToALimit) {
  for (const auto& [text, size] :
       {std::pair("1", 1), std::pair(" 16 ", 16), std::pair("0064", 64), std::pair("4096", 4096)}) {
    const auto parsed = ParseGangSize(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, size);
  }
  for (const char* text : {"", "-1", "+4", "1.5", "4e2", "four", "0x10", "4 4", "0", "000"}) {
    EXPECT_THAT(MessageOf(ParseGangSize(text).status()), HasSubstr("is not a whole number above 0"))
        << text;
  }
  for (const char* text : {"4097", "99999999999999999999999"}) {
    EXPECT_THAT(MessageOf(ParseGangSize(text).status()),
                HasSubstr("is more than 4096, the most pods of a gang"))
        << text;
  }
  const std::string endless(200'000, '9');
  EXPECT_LT(ParseGangSize(endless).status().message().size(), 200);
}

TEST(Gang, NamesAreThoseOfObjectsAndValuesOfLabels) {
  for (const std::string& name : {std::string("a"), std::string("Team_1.run-2"),
                                  std::string("train.example.com"), std::string(253, 'x')}) {
    EXPECT_TRUE(IsGangName(name)) << name;
  }
  for (const std::string& name :
       {std::string(), std::string("a/b"), std::string(".a"), std::string("a-"),
        std::string("two words"), std::string("\xc3\xa4"), std::string(254, 'x')}) {
    EXPECT_FALSE(IsGangName(name)) << name;
  }
}

TEST(Gang, NamesAPodGroupAsObjectsAreNamed) {
  EXPECT_EQ(PodGroupNameOf("train-7f9c2e1a"), "berth-train-7f9c2e1a");
  const std::vector<std::string> names = {
      "train.1", "train-1", "train_1", "Train-1", std::string(253, 'x'), std::string(252, 'x')};
  std::set<std::string> groups;
  for (const std::string& name : names) {
    const std::string group = PodGroupNameOf(name);
    EXPECT_LE(group.size(), 253U) << group;
    EXPECT_THAT(group, testing::MatchesRegex("[a-z0-9][-a-z0-9]*[a-z0-9]"));
    groups.insert(group);
  }
  EXPECT_EQ(groups.size(), names.size());
}

TEST(Gang, ItsGateIsTheOnlyOneOnceNobodyElseHoldsThePodBack) {
  EXPECT_TRUE(IsOnlyGate({"berth.dev/gang"}, kNames.gate));
  EXPECT_FALSE(IsOnlyGate({"berth.dev/gang", "example.com/quota"}, kNames.gate));
  EXPECT_FALSE(IsOnlyGate({"example.com/quota"}, kNames.gate));
  EXPECT_FALSE(IsOnlyGate({}, kNames.gate));
}

}  // namespace
}  // namespace berth::model
