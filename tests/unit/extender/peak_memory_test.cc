// What a request may take of memory while it is answered, whatever stands in it: elements are
// multiplied here, as whoever wants the memory would do it.

#include "tests/unit/peak_memory.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/extender/fixtures.h"

namespace berth::extender {
namespace {

using berth::tests::kConstant;
using berth::tests::kFactor;
using berth::tests::kMega;
using berth::tests::Numbered;
using berth::tests::PeakOf;
using berth::tests::Repeated;

struct Multiplied {
  std::string name;
  std::string path;
  std::string (*make)();
  /// Part of the error that it is answered with; empty: it is answered.
  std::string error = "";
};

std::string Args(const std::string& pod, const std::string& rest) {
  return R"({"Pod":)" + pod + "," + rest + "}";
}

std::string WithPod(const std::string& pod) { return Args(pod, R"("NodeNames":["a"])"); }

std::string Names(const std::string& list) { return Args("{}", R"("NodeNames":[)" + list + "]"); }

std::string Nodes(const std::string& list) {
  return Args("{}", R"("Nodes":{"items":[)" + list + "]}");
}

std::string Affinity(const std::string& terms) {
  return R"({"spec":{"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)" +
         terms + "]}}}}";
}

// A pod whose texts are long, for many nodes: each text must not be copied for each of them.
std::string LongTexts() {
  const std::string text = '"' + std::string(100'000, 't') + '"';
  return Args(R"({"metadata":{"uid":)" + text + R"(,"labels":{"a":)" + text +
                  R"(},"annotations":{"berth.dev/accelerators":)" + text +
                  R"(}},"spec":{"schedulerName":)" + text + R"(,"priorityClassName":)" + text +
                  R"(,"nodeSelector":{"a":)" + text + R"(},"tolerations":[{"key":)" + text +
                  R"(}],"containers":[{"resources":{"limits":{"nvidia.com/gpu":1,)" + text +
                  ":1}}}]}}",
              R"("NodeNames":[)" + Numbered("\"node-#\"", 100'000) + "]");
}

std::string NodeWith(const std::string& fields) {
  return R"({"metadata":{"name":"n#"},)" + fields + "}";
}

// Of a text with a list of `count` items in its place.
std::string Filled(std::string text, const std::string& item, std::size_t count) {
  return text.replace(text.find('@'), 1, Repeated(item, count));
}

const std::string kMeta = R"("NodeNameToMetaVictims":{)";
const std::string kWhole = R"("NodeNameToVictims":{)";

std::string Nested() { return std::string(40, '[') + std::string(40, ']'); }

// Made when they are asked for: every test of this binary is a process of its own.
std::vector<Multiplied> AllMultiplied() {
  return {
      {"Names", "/filter", [] { return Names(Numbered("\"node-#\"", 150'000)); }},
      {"EmptyNames", "/filter", [] { return Names(Repeated("\"\"", 150'000)); }},
      {"RankedNames", "/prioritize", [] { return Names(Repeated("\"\"", 150'000)); }},
      {"TooManyNames", "/filter", [] { return Names(Repeated("\"\"", 2'000'000)); },
       "NodeNames: has more than"},
      {"EscapedNames", "/filter", [] { return Names(Repeated(R"("\u0001")", 150'000)); }},
      {"LongName", "/filter", [] { return Names("\"" + std::string(8'000'000, 'n') + "\""); }},
      {"TooLargeForNames", "/filter", [] { return Names(Repeated("\"\"", 10'000'000)); },
       "more than the 8388608 of extender.maxBodyBytes"},
      {"TooLargeForUids", "/preempt",
       [] {
         return Args("{}",
                     kMeta + R"("a":{"Pods":[)" + Repeated(R"({"UID":""})", 1'000'000) + "]}}");
       },
       "400"},
      {"Tolerations", "/filter",
       [] { return WithPod(Filled(R"({"spec":{"tolerations":[@]}})", "{}", 9'999)); }},
      {"TooManyTolerations", "/filter",
       [] { return WithPod(Filled(R"({"spec":{"tolerations":[@]}})", "{}", 200'000)); },
       "Pod.spec.tolerations"},
      {"FarTooManyTolerations", "/filter",
       [] { return WithPod(Filled(R"({"spec":{"tolerations":[@]}})", "{}", 2'000'000)); },
       "Pod: the JSON has"},
      {"Containers", "/filter",
       [] {
         return WithPod(Filled(R"({"spec":{"containers":[@]}})",
                               R"({"resources":{"limits":{)" + Numbered(R"("r#":"1")", 90) + "}}}",
                               500));
       }},
      {"Terms", "/filter",
       [] {
         return WithPod(Affinity(
             Repeated(R"({"podAffinityTerm":{"labelSelector":{"matchExpressions":[{},{},{},{}]}}})",
                      5'000)));
       }},
      {"LongNamespaceOfTerms", "/filter",
       [] {
         return WithPod(R"({"metadata":{"namespace":")" + std::string(100'000, 'n') +
                        R"("},"spec":{"affinity":{"podAffinity":{)"
                        R"("requiredDuringSchedulingIgnoredDuringExecution":[)" +
                        Repeated(R"({"labelSelector":{}})", 5'000) + "]}}}}");
       },
       "Pod.metadata.namespace: has 100000 bytes; Kubernetes allows 63 at most"},
      {"LongNameOfThePod", "/filter",
       [] { return WithPod(R"({"metadata":{"name":")" + std::string(1'000'000, 'n') + "\"}}"); },
       "Pod.metadata.name: has 1000000 bytes; Kubernetes allows 253 at most"},
      {"LongTextsOfThePod", "/filter", [] { return LongTexts(); }},
      {"RankedLongTextsOfThePod", "/prioritize", [] { return LongTexts(); }},
      {"Conditions", "/filter",
       [] { return WithPod(Filled(R"({"status":{"conditions":[@]}})", "{}", 9'999)); }},
      {"Brackets", "/filter",
       [] { return WithPod(R"({"x":[)" + Repeated(Nested(), 90'000) + "]}"); }, "Pod: "},
      {"Colons", "/filter", [] { return WithPod(R"({"x":)" + std::string(7 * kMega, ':') + "}"); },
       "JSON"},
      {"Quotes", "/filter", [] { return WithPod(R"({"x":)" + std::string(7 * kMega, '"') + "}"); },
       "JSON"},
      {"Nodes", "/filter", [] { return Nodes(Numbered(NodeWith(R"("x":0)"), 20'000)); }},
      {"RankedNodes", "/prioritize", [] { return Nodes(Numbered(NodeWith(R"("x":0)"), 20'000)); }},
      {"TooManyNodes", "/filter", [] { return Nodes(Numbered(NodeWith(R"("x":0)"), 300'000)); },
       "more than the 20000 nodes"},
      {"LargeNodes", "/filter",
       [] {
         return Nodes(Numbered(NodeWith(R"("x":")" + std::string(8'000, 'x') + "\""), 3'000));
       }},
      {"NodesOfConditions", "/filter",
       [] {
         return Nodes(
             Numbered(NodeWith(Filled(R"("status":{"conditions":[@]})", "{}", 9'900)), 10));
       }},
      {"NodesOfTooManyConditions", "/filter",
       [] {
         return Nodes(
             Numbered(NodeWith(Filled(R"("status":{"conditions":[@]})", "{}", 250)), 3'000));
       },
       "more labels, taints, conditions and resources"},
      // One for every 30 bytes, so that nothing but the cap refuses them.
      {"NodesOfTooManyTaints", "/filter",
       [] {
         return Nodes(Numbered(
             NodeWith(Filled(R"("spec":{"taints":[@]})", R"({"effect":"PreferNoSchedule"})", 250)),
             ArgsReader::kMaxNodeEntries / 250 + 1));
       },
       "500000 at most"},
      {"NodesOfLabels", "/filter",
       [] {
         return Nodes(Numbered(R"({"metadata":{"name":"n#","labels":{)" +
                                   Numbered(R"("k#":")" + std::string(30, 'v') + "\"", 90) + "}}}",
                               2'000));
       }},
      {"NodesOfTaints", "/filter",
       [] {
         return Nodes(Numbered(
             NodeWith(Filled(R"("spec":{"taints":[@]})", R"({"effect":"PreferNoSchedule"})", 900)),
             200));
       }},
      {"Victims", "/preempt",
       [] {
         return Args("{}", kMeta + Numbered(R"("n#":{"Pods":[{"UID":"u"}]})", 150'000) + "}");
       }},
      {"NoVictims", "/preempt",
       [] { return Args("{}", kMeta + Repeated(R"("":null)", 150'000) + "}"); }},
      {"TooManyVictims", "/preempt",
       [] { return Args("{}", kMeta + Repeated(R"("":{})", 700'000) + "}"); }, "400"},
      {"Uids", "/preempt",
       [] {
         return Args("{}", kMeta + R"("a":{"Pods":[)" + Repeated(R"({"UID":""})", 700'000) + "]}}");
       }},
      {"EscapedUids", "/preempt",
       [] {
         return Args("{}",
                     kMeta + R"("a":{"Pods":[)" + Repeated(R"({"UID":"\n"})", 500'000) + "]}}");
       }},
      {"WholeVictims", "/preempt",
       [] {
         return Args("{}",
                     kWhole + R"("a":{"Pods":[)" +
                         Repeated(R"({"metadata":{"uid":"u"},"spec":[{},{},{},{},{}]})", 400'000) +
                         "]}}");
       }},
  };
}

class PeakMemory : public ::testing::TestWithParam<Multiplied> {};

TEST_P(PeakMemory, IsAFewTimesTheRequest) {
  if (!berth::tests::kMemoryIsMeasured) GTEST_SKIP() << "sanitizers have a memory of their own";
  const std::string body = GetParam().make();
  ExtenderUnderTest berth({});
  const std::size_t peak = PeakOf([&] { berth.Post(GetParam().path, body); });
  EXPECT_LE(peak, kFactor * body.size() + kConstant)
      << peak / kMega << " MiB for " << body.size() / 1024 << " KiB";
}

TEST_P(PeakMemory, WhatIsTooMuchIsASentence) {
  const std::string& error = GetParam().error;
  ExtenderUnderTest berth({});
  const server::HttpResponse response = berth.Post(GetParam().path, GetParam().make());
  if (error == "400") {
    EXPECT_NE(response.status, 200);
  } else if (error.empty()) {
    EXPECT_EQ(response.status, 200);
    EXPECT_THAT(response.body.substr(0, 10), ::testing::Not(::testing::HasSubstr("Error")));
  } else {
    EXPECT_THAT(response.body, ::testing::StartsWith("{\"Error\":\"berth: "));
    EXPECT_THAT(response.body, ::testing::HasSubstr(error));
  }
}

INSTANTIATE_TEST_SUITE_P(All, PeakMemory, ::testing::ValuesIn(AllMultiplied()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace berth::extender
