#include "extender/wire.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace berth::extender {
namespace {

using nlohmann::json;
using testing::Values;

TEST(ArgsReader, ReadsWhatKubeSchedulerSends) {
  ArgsReader reader;
  const auto args = reader.Read(R"({
    "Pod": {
      "metadata": {"name": "train", "namespace": "team", "uid": "u-1",
                   "annotations": {"berth.dev/accelerators": "A100"}},
      "spec": {"containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "2"}}}]}},
    "Nodes": null,
    "NodeNames": ["node-a", "node-b"]})");
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->pod.name, "train");
  EXPECT_EQ(args->pod.uid, "u-1");
  EXPECT_EQ(args->pod.requests.Get("nvidia.com/gpu"), 2);
  EXPECT_EQ(args->node_names, (std::vector<std::string_view>{"node-a", "node-b"}));
}

TEST(ArgsReader, NoNamesAreNoError) {
  ArgsReader reader;
  const auto args = reader.Read(R"({"Pod": {}, "NodeNames": []})");
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_TRUE(args->node_names.empty());
}

struct BadBody {
  std::string name;
  std::string body;
  std::string says;
};

class ArgsReaderRefuses : public testing::TestWithParam<BadBody> {};

TEST_P(ArgsReaderRefuses, WithASentence) {
  ArgsReader reader;
  const auto args = reader.Read(GetParam().body);
  ASSERT_FALSE(args.ok());
  EXPECT_NE(args.status().message().find(GetParam().says), std::string::npos) << args.status();
  // And the reader is none the worse for it.
  EXPECT_TRUE(reader.Read(R"({"Pod": {}, "NodeNames": ["n"]})").ok());
}

std::string Nested(int depth) {
  return R"({"Pod": {"x": )" + std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']') + R"(}, "NodeNames": []})";
}

INSTANTIATE_TEST_SUITE_P(
    All, ArgsReaderRefuses,
    Values(BadBody{"Empty", "", "empty"}, BadBody{"NotJson", "hello", "JSON"},
           BadBody{"Truncated", R"({"Pod": {}, "NodeNames": ["n")", "JSON"},
           BadBody{"Array", "[]", "ExtenderArgs"}, BadBody{"NoPod", R"({"NodeNames": []})", "Pod"},
           BadBody{"PodIsNull", R"({"Pod": null, "NodeNames": []})", "Pod"},
           BadBody{"PodIsText", R"({"Pod": "p", "NodeNames": []})", "Pod"},
           BadBody{"FullNodesOnly", R"({"Pod": {}, "Nodes": {"items": []}, "NodeNames": null})",
                   "nodeCacheCapable: true"},
           BadBody{"NamesAreAnObject", R"({"Pod": {}, "NodeNames": {}})", "NodeNames"},
           BadBody{"NameIsANumber", R"({"Pod": {}, "NodeNames": ["a", 1]})", "NodeNames[1]"},
           BadBody{"BadQuantity",
                   R"({"Pod": {"spec": {"containers": [
                     {"resources": {"requests": {"nvidia.com/gpu": "1e3Ki"}}}]}}, "NodeNames": []})",
                   "Pod.spec.containers[0].resources.requests"},
           BadBody{"TooDeep", Nested(70), "64"}, BadBody{"FarTooDeep", Nested(400'000), "64"}),
    [](const auto& param) { return param.param.name; });

TEST(FilterReply, KeepsOrderAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(FilterReply({.node_names = {"b", "a"}}), R"({"NodeNames":["b","a"]})");
}

TEST(FilterReply, NoNodesIsAnEmptyListAndNotNull) {
  const json reply = json::parse(
      FilterReply({.failed = {{"a", "full"}, {"b", "full"}}, .unresolvable = {{"c", "broken"}}}));
  EXPECT_EQ(reply, json::parse(R"({"NodeNames": [], "FailedNodes": {"a": "full", "b": "full"},
                                   "FailedAndUnresolvableNodes": {"c": "broken"}})"));
}

TEST(Replies, EscapeWhateverWasAsked) {
  const std::string odd = "a\"b\\c\n\x01\xc3\xa9";
  EXPECT_EQ(json::parse(FilterReply({.node_names = {odd}}))["NodeNames"][0], odd);
  EXPECT_EQ(json::parse(FilterErrorReply(odd))["Error"], odd);
  const std::vector<std::string_view> names = {odd};
  EXPECT_EQ(json::parse(PrioritizeReply(names, std::vector<std::int64_t>{3}))[0]["Host"], odd);
}

TEST(Replies, StayJsonWhereTheTextIsNotUtf8) {
  EXPECT_TRUE(json::accept(FilterErrorReply("bad \xff byte")));
}

TEST(PrioritizeReply, IsABareList) {
  const std::vector<std::string_view> names = {"a", "b"};
  EXPECT_EQ(PrioritizeReply(names, std::vector<std::int64_t>{10, 0}),
            R"([{"Host":"a","Score":10},{"Host":"b","Score":0}])");
  EXPECT_EQ(PrioritizeReply({}, {}), "[]");
}

}  // namespace
}  // namespace berth::extender
