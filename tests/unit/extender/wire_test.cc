#include "extender/wire.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
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

// What kube-scheduler sends is read in a shorter way than other texts that mean the same.
class ArgsReaderReads : public testing::TestWithParam<std::string> {};

TEST_P(ArgsReaderReads, TheSameHoweverItIsWritten) {
  ArgsReader reader;
  const auto args = reader.Read(GetParam());
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->pod.name, "p");
  EXPECT_EQ(args->node_names, (std::vector<std::string_view>{"n-a", "\xc3\xa9", "n-a"}));
  EXPECT_EQ(json::parse(FilterReply(*args, {.node_names = args->node_names})),
            json::parse(R"({"NodeNames": ["n-a", "\u00e9", "n-a"]})"));
}

INSTANTIATE_TEST_SUITE_P(
    All, ArgsReaderReads,
    Values(
        R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["n-a","é","n-a"]})",
        R"({"NodeNames":["n-a","é","n-a"],"Nodes":null,"Pod":{"metadata":{"name":"p"}}})",
        R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":["n-a","\u00e9","n\u002da"]})",
        R"({"Pod":{"metadata":{"name":"p","annotations":{"a":"\""}}},
               "NodeNames":[ "n-a" , "é" , "n-a" ]} )",
        R"({"Pod":{"metadata":{"name":"\u0070"}},"More":[1],"NodeNames":["n-a","\u00e9","n-a"]})",
        R"({"\u0050od":{"metadata":{"name":"p"}},"NodeNames":["n-a","\u00e9","n-a"]})"));

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
           BadBody{"NeitherNamesNorNodes", R"({"Pod": {}, "Nodes": null, "NodeNames": null})",
                   "NodeNames: missing, and Nodes too"},
           BadBody{"NamesAndNodes", R"({"Pod": {}, "Nodes": {"items": []}, "NodeNames": []})",
                   "got both"},
           BadBody{"NodesAreAList", R"({"Pod": {}, "Nodes": []})", "NodeList"},
           BadBody{"ItemsAreText", R"({"Pod": {}, "Nodes": {"items": "n"}})", "Nodes.items"},
           BadBody{"NodeWithoutName", R"({"Pod": {}, "Nodes": {"items": [{"metadata": {}}]}})",
                   "Nodes.items[0]"},
           BadBody{"NodeWithoutANameThatCannotBeRead",
                   R"({"Pod": {}, "Nodes": {"items": [{"metadata": {},
                       "status": {"capacity": {"nvidia.com/gpu": "many"}}}]}})",
                   "Nodes.items[0].status.capacity"},
           BadBody{"NamesAreAnObject", R"({"Pod": {}, "NodeNames": {}})", "NodeNames"},
           BadBody{"NameIsANumber", R"({"Pod": {}, "NodeNames": ["a", 1]})", "NodeNames[1]"},
           BadBody{"BadQuantity",
                   R"({"Pod": {"spec": {"containers": [
                     {"resources": {"requests": {"nvidia.com/gpu": "1e3Ki"}}}]}}, "NodeNames": []})",
                   "Pod.spec.containers[0].resources.requests"},
           BadBody{"TextBehindIt", R"({"Pod": {}, "NodeNames": ["n"]} x)", "JSON"},
           BadBody{"NoCommaBetweenNames", R"({"Pod": {}, "NodeNames": ["a" "b"]})", "JSON"},
           BadBody{"TextBehindAName", R"({"Pod": {}, "NodeNames": ["a"b]})", "JSON"},
           BadBody{"PodIsNotJson", R"({"Pod": {"a" 1}, "NodeNames": ["a"]})", "JSON"},
           BadBody{"NameIsNull", R"({"Pod": {}, "NodeNames": ["a", null]})", "NodeNames[1]"},
           BadBody{"TooDeep", Nested(70), "64"}, BadBody{"FarTooDeep", Nested(100'000), "64"}),
    [](const auto& param) { return param.param.name; });

TEST(ArgsReader, ReadsWholeNodes) {
  ArgsReader reader;
  const auto args = reader.Read(R"({"Pod": {}, "NodeNames": null, "Nodes": {"metadata": {},
    "items": [{"metadata": {"name": "a", "labels": {"zone": "z"}}}, {"metadata": {"name": "b"}}]}})");
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->node_names, (std::vector<std::string_view>{"a", "b"}));
  ASSERT_TRUE(args->given);
  EXPECT_EQ(args->given->nodes[0].labels, (model::StringMap{{"zone", "z"}}));
}

TEST(ArgsReader, ANodeThatCannotBeReadIsKeptByItsName) {
  ArgsReader reader;
  const auto args = reader.Read(R"({"Pod": {}, "Nodes": {"items": [{"metadata": {"name": "a"}},
    {"metadata": {"name": "n"}, "status": {"capacity": {"nvidia.com/gpu": "many"}}}]}})");
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->node_names, (std::vector<std::string_view>{"a", "n"}));
  ASSERT_TRUE(args->given);
  EXPECT_EQ(args->given->nodes[1], (model::Node{.name = "n"}));
  ASSERT_EQ(args->given->unreadable.size(), 1U);
  EXPECT_EQ(args->given->unreadable[0].name, "n");
  const std::string& error = args->given->unreadable[0].error;
  EXPECT_NE(error.find("Nodes.items[1].status.capacity"), std::string::npos) << error;
}

TEST(ArgsReader, WholeNodesMayBeNone) {
  ArgsReader reader;
  for (const char* nodes : {"{}", R"({"items": null})", R"({"items": []})"}) {
    const auto args = reader.Read(R"({"Pod": {}, "Nodes": )" + std::string(nodes) + "}");
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_TRUE(args->given && args->node_names.empty()) << nodes;
  }
}

TEST(ReaderLease, ReadsOneLargeBodyAtATime) {
  const std::string large(9 << 20, ' ');
  auto first = std::make_unique<ReaderLease>(large);
  auto second = std::async(std::launch::async, [&] { const ReaderLease lease(large); });
  auto usual = std::async(std::launch::async, [&] { const ReaderLease lease("{}"); });
  usual.wait();
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  first.reset();
  second.wait();
}

TEST(ArgsReader, ReadsVictimsByUid) {
  ArgsReader reader;
  const auto args = reader.ReadPreemption(R"({"Pod": {"metadata": {"name": "urgent"}},
    "NodeNameToVictims": null, "NodeNameToMetaVictims": {
      "a": {"Pods": [{"UID": "u-1"}, {"UID": "u-2"}], "NumPDBViolations": 1},
      "b": {"Pods": null}, "c": null}})");
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->pod.name, "urgent");
  EXPECT_EQ(args->nodes,
            (std::vector<NodeVictims>{{"a", {"u-1", "u-2"}, 1}, {.name = "b"}, {.name = "c"}}));
}

TEST(ArgsReader, ReadsVictimsThatAreWholePods) {
  ArgsReader reader;
  const auto args = reader.ReadPreemption(R"({"Pod": {}, "NodeNameToVictims": {
    "a": {"Pods": [{"metadata": {"uid": "u-1", "name": "p"}, "spec": {}}], "NumPDBViolations": 0}}})");
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(args->nodes, (std::vector<NodeVictims>{{"a", {"u-1"}, 0}}));
}

TEST(ArgsReader, NoVictimsAreNoError) {
  ArgsReader reader;
  for (const char* body : {R"({"Pod": {}})", R"({"Pod": {}, "NodeNameToMetaVictims": {}})"}) {
    const auto args = reader.ReadPreemption(body);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_TRUE(args->nodes.empty());
  }
}

class PreemptionReaderRefuses : public testing::TestWithParam<BadBody> {};

TEST_P(PreemptionReaderRefuses, WithASentence) {
  ArgsReader reader;
  const auto args = reader.ReadPreemption(GetParam().body);
  ASSERT_FALSE(args.ok());
  EXPECT_NE(args.status().message().find(GetParam().says), std::string::npos) << args.status();
}

INSTANTIATE_TEST_SUITE_P(
    All, PreemptionReaderRefuses,
    Values(BadBody{"NotJson", "x", "JSON"}, BadBody{"Array", "[]", "ExtenderPreemptionArgs"},
           BadBody{"NoPod", R"({"NodeNameToMetaVictims": {}})", "Pod: missing"},
           BadBody{"VictimsAreAList", R"({"Pod": {}, "NodeNameToMetaVictims": []})",
                   "NodeNameToMetaVictims: expected victims by the name of their node"},
           BadBody{"NodeIsANumber", R"({"Pod": {}, "NodeNameToMetaVictims": {"a": 1}})",
                   R"(NodeNameToMetaVictims["a"]: expected an object with Pods)"},
           BadBody{"PodsAreText", R"({"Pod": {}, "NodeNameToMetaVictims": {"a": {"Pods": "u"}}})",
                   R"(["a"].Pods: expected a list)"},
           BadBody{"UidIsANumber",
                   R"({"Pod": {}, "NodeNameToMetaVictims": {"a": {"Pods": [{"UID": 7}]}}})",
                   R"(["a"].Pods[0].UID)"},
           BadBody{"VictimIsNull",
                   R"({"Pod": {}, "NodeNameToMetaVictims": {"a": {"Pods": [null]}}})",
                   R"(["a"].Pods[0].UID)"},
           BadBody{"WholePodWithoutUid",
                   R"({"Pod": {}, "NodeNameToVictims": {"a": {"Pods": [{"metadata": {}}]}}})",
                   R"(["a"].Pods[0].metadata.uid)"},
           BadBody{"ViolationsAreAFraction",
                   R"({"Pod": {}, "NodeNameToMetaVictims": {"a": {"NumPDBViolations": 1.5}}})",
                   "NumPDBViolations: expected a whole number"},
           BadBody{"ViolationsAreText",
                   R"({"Pod": {}, "NodeNameToMetaVictims": {"a": {"NumPDBViolations": "1"}}})",
                   "NumPDBViolations: expected a whole number"}),
    [](const auto& param) { return param.param.name; });

std::string NamesReply(const FilterResult& result) { return FilterReply({}, result); }

TEST(FilterReply, KeepsOrderAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(NamesReply({.node_names = {"b", "a"}}), R"({"NodeNames":["b","a"]})");
}

TEST(FilterReply, GivesWholeNodesBackAsTheyCame) {
  ArgsReader reader;
  const auto args = reader.Read(R"({"Pod": {}, "Nodes": {"items": [
    {"metadata": {"name": "a"}}, {"metadata": {"name": "b"}, "spec": {"unknown": [1.5, "\u00e9"]}},
    {"metadata": {"name": "c"}}, {"metadata": {"name": "b"}}]}})");
  ASSERT_TRUE(args.ok()) << args.status();
  const FilterResult result{.node_names = {args->node_names[1], args->node_names[2]}};
  EXPECT_EQ(json::parse(FilterReply(*args, result)), json::parse(R"({"Nodes": {"metadata": {},
    "items": [{"metadata": {"name": "b"}, "spec": {"unknown": [1.5, "\u00e9"]}},
              {"metadata": {"name": "c"}}]}})"));
  EXPECT_EQ(FilterReply(*args, {}), R"({"Nodes":{"metadata":{},"items":[]}})");
}

TEST(PreemptReply, HasTheVictimsAsTheyWere) {
  const std::vector<NodeVictims> nodes = {{"a\"", {"u-1", "u-2"}, 3}, {"b", {"u-3"}, 0}};
  EXPECT_EQ(json::parse(PreemptReply(nodes)), json::parse(R"({"NodeNameToMetaVictims": {
    "a\"": {"Pods": [{"UID": "u-1"}, {"UID": "u-2"}], "NumPDBViolations": 3},
    "b": {"Pods": [{"UID": "u-3"}], "NumPDBViolations": 0}}})"));
  EXPECT_EQ(PreemptReply({}), R"({"NodeNameToMetaVictims":{}})");
}

TEST(FilterReply, NoNodesIsAnEmptyListAndNotNull) {
  const json reply = json::parse(
      NamesReply({.failed = {{"a", "full"}, {"b", "full"}}, .unresolvable = {{"c", "broken"}}}));
  EXPECT_EQ(reply, json::parse(R"({"NodeNames": [], "FailedNodes": {"a": "full", "b": "full"},
                                   "FailedAndUnresolvableNodes": {"c": "broken"}})"));
}

TEST(Replies, EscapeWhateverWasAsked) {
  const std::string odd = "a\"b\\c\n\x01\xc3\xa9";
  EXPECT_EQ(json::parse(NamesReply({.node_names = {odd}}))["NodeNames"][0], odd);
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
