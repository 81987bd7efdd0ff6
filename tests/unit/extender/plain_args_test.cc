#include "extender/plain_args.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "extender/wire.h"
#include "tests/unit/mutator.h"

namespace berth::extender {
namespace {

using nlohmann::json;
using PlainNames = std::vector<std::string_view>;

// Not indented, as encoding/json writes it.
constexpr std::string_view kOfKubeScheduler =
    R"({"Pod":{"metadata":{"name":"p","annotations":{"a":"\"b\""}},"spec":{}},)"
    R"("Nodes":null,"NodeNames":["node-a","node-b.example.com","node-a"]})";

TEST(PlainArgsReaderTest, TakesWhatKubeSchedulerWrites) {
  PlainArgsReader reader;
  for (int time = 0; time < 2; ++time) {
    const auto args = reader.Read(kOfKubeScheduler);
    ASSERT_TRUE(args);
    EXPECT_EQ(args->pod, R"({"metadata":{"name":"p","annotations":{"a":"\"b\""}},"spec":{}})");
    EXPECT_EQ(args->node_names, (PlainNames{"node-a", "node-b.example.com", "node-a"}));
  }
}

TEST(PlainArgsReaderTest, TakesMembersInAnyOrderAndNoNames) {
  PlainArgsReader reader;
  const auto args = reader.Read(R"( { "NodeNames" : [ ] , "Pod" : {} } )");
  ASSERT_TRUE(args);
  EXPECT_TRUE(args->node_names.empty());
}

class NotPlain : public ::testing::TestWithParam<std::string> {};

TEST_P(NotPlain, IsLeftToOthers) {
  PlainArgsReader reader;
  EXPECT_FALSE(reader.Read(GetParam()));
  EXPECT_TRUE(reader.Read(kOfKubeScheduler));
}

INSTANTIATE_TEST_SUITE_P(
    All, NotPlain,
    ::testing::Values("", "x", "[]", R"("text")", R"({"Pod":{}})", R"({"NodeNames":[]})",
                      R"({"Pod":null,"NodeNames":[]})", R"({"Pod":"p","NodeNames":[]})",
                      R"({"Pod":{},"NodeNames":null})", R"({"Pod":{},"NodeNames":["a",1]})",
                      R"({"Pod":{},"NodeNames":["a",["b"]]})", R"({"Pod":{},"NodeNames":["a\n"]})",
                      R"({"Pod":{},"NodeNames":["a" ]})",
                      R"({"Pod":{},"NodeNames":["a"],"More":null})",
                      R"({"Pod":{},"Pod":{},"NodeNames":["a"]})",
                      R"({"Pod":{},"NodeNames":["a"],"NodeNames":["b"]})",
                      R"({"Pod":{},"Nodes":{"items":[]},"NodeNames":["a"]})",
                      R"({"Pod":{},"NodeNames":["a")", R"({"Pod":{},"NodeNames":["a"]} {})"));

// It does not decode all that it passes, so what it takes must be shown to be JSON.
TEST(PlainArgsReaderTest, WhateverIsReadIsJsonAndMeansTheSame) {
  tests::Mutator mutate;
  ArgsReader reader;
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string body = mutate(std::string(kOfKubeScheduler));
    const auto args = reader.Read(body);
    if (!args.ok()) continue;
    ++read;
    const json expected = json::parse(body, nullptr, false);
    ASSERT_TRUE(expected.is_object()) << body;
    if (args->given) continue;
    const json names = expected["NodeNames"];
    ASSERT_EQ(args->node_names.size(), names.size()) << body;
    for (std::size_t i = 0; i < names.size(); ++i)
      ASSERT_EQ(names[i].get<std::string>(), args->node_names[i]);
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace berth::extender
