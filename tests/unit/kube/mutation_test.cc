// Whatever becomes of bytes on their way, decoding ends in a value or a sentence: no crash, no
// hang. The sanitizers' builds run this too. Mutations come from a fixed seed; a failure names its
// round.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "kube/protobuf.h"
#include "tests/unit/kube/wire_fixtures.h"
#include "tests/unit/mutator.h"

namespace berth::kube {
namespace {

using berth::tests::Mutator;

constexpr int kRounds = 4000;

struct Decoder {
  std::string name;
  std::string valid;
  std::function<absl::Status(std::string_view)> decode;
};

const std::string kJsonPod = R"({"kind":"Pod","apiVersion":"v1",
  "metadata":{"name":"p","namespace":"d","annotations":{"a":"\u65e5\n"}},
  "spec":{"nodeName":"n","containers":[{"resources":{"requests":{"cpu":"1500m","x/y":12.5},
  "limits":{"memory":"40Gi"}}}],"initContainers":[{"restartPolicy":"Always"}]},
  "status":{"phase":"Running"}})";
const std::string kJsonNode = R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},
  "status":{"capacity":{"cpu":"1e3"},"conditions":[{"type":"Ready","status":"True",
  "lastTransitionTime":"2026-01-31T12:00:00.25+09:00"}]}})";

template <typename Result>
std::function<absl::Status(std::string_view)> StatusOf(
    absl::StatusOr<Result> (*decode)(std::string_view)) {
  return [decode](std::string_view bytes) { return decode(bytes).status(); };
}

absl::StatusOr<std::size_t> CountFrames(std::string_view bytes) {
  WatchFrameSplitter splitter;
  splitter.Append(bytes);
  for (std::size_t count = 0;; ++count) {
    const auto frame = splitter.Next();
    if (!frame.ok()) return frame.status();
    if (!*frame) return count;
  }
}

std::vector<Decoder> Decoders() {
  const pb::ObjectList nodes = ListOf(MakeNode(), MakeNode());
  const pb::ObjectList pods = ListOf(MakePod());
  pb::Status status;
  status.set_message("gone");
  status.mutable_details()->set_retry_after_seconds(1);
  return {
      {"nodes", Body("NodeList", nodes), StatusOf(DecodePage<model::Node>)},
      {"pods", Body("PodList", pods), StatusOf(DecodePage<model::Pod>)},
      {"node event", Event("ADDED", Body("Node", MakeNode())),
       StatusOf(DecodeWatchEvent<model::Node>)},
      {"pod event", Event("DELETED", Body("Pod", MakePod())),
       StatusOf(DecodeWatchEvent<model::Pod>)},
      {"error event", Event("ERROR", Body("Status", status)),
       StatusOf(DecodeWatchEvent<model::Node>)},
      {"status", Body("Status", status), StatusOf(DecodeStatus)},
      {"frames", std::string("\0\0\0\2ab\0\0\0\1c", 11), StatusOf(CountFrames)},
      {"objects", kJsonNode + "\n" + kJsonPod, StatusOf(ObjectsFromJson)},
  };
}

TEST(MutationTest, DecodersEndInAValueOrASentence) {
  Mutator mutate;
  for (const Decoder& decoder : Decoders()) {
    ASSERT_TRUE(decoder.decode(decoder.valid).ok()) << decoder.name;
    int refused = 0;
    for (int round = 0; round < kRounds; ++round) {
      SCOPED_TRACE(decoder.name + ", round " + std::to_string(round));
      const absl::Status status = decoder.decode(mutate(decoder.valid));
      if (status.ok()) continue;
      ++refused;
      ASSERT_TRUE(absl::IsInvalidArgument(status) || absl::IsDataLoss(status)) << status;
      ASSERT_FALSE(status.message().empty());
      ASSERT_LT(status.message().size(), 1000U) << status;
    }
    EXPECT_GT(refused, kRounds / 100) << decoder.name << ": the mutations break nothing";
  }
}

}  // namespace
}  // namespace berth::kube
