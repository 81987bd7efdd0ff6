#include "tests/simulation/oddity.h"

#include "proto/kubernetes.pb.h"
#include "tests/integration/fake_objects.h"

namespace berth::simulation {
namespace {

namespace wire = kubernetes::v1;

// 0001-01-01T00:00:00+09:00: the zero time of a client that knows no UTC, which is before the year
// 1 of UTC.
constexpr std::int64_t kYearOneInTokyo = -62'135'629'200;

constexpr char kNoQuantity[] = "many";

// The beginning of a field of 127 bytes.
std::string Broken(const std::string& bytes) { return bytes + "\x12\x7f{"; }

// The beginning of a field of 127 bytes, which would be the metadata.
constexpr char kNameless[] = "\x0a\x7f{";

template <typename Message, typename Change>
std::string Changed(const std::string& bytes, Change change) {
  Message message;
  message.ParseFromString(bytes);
  change(message);
  return message.SerializeAsString();
}

// What tests::EncodeObject() leaves out, because nobody else needs it.
std::string WholeBytesOf(const model::Node& node, const std::string& revision) {
  std::string bytes = tests::EncodeObject(node, revision);
  if (node.annotations.empty()) return bytes;
  return Changed<wire::Node>(bytes, [&node](wire::Node& message) {
    auto& annotations = *message.mutable_metadata()->mutable_annotations();
    for (const auto& [name, value] : node.annotations) annotations[name] = value;
  });
}

std::string WholeBytesOf(const model::Pod& pod, const std::string& revision) {
  std::string bytes = tests::EncodeObject(pod, revision);
  if (pod.scheduling_group.empty()) return bytes;
  return Changed<wire::Pod>(bytes, [&pod](wire::Pod& message) {
    message.mutable_spec()->mutable_scheduling_group()->set_pod_group_name(pod.scheduling_group);
  });
}

void MakeTimesOdd(wire::Node& node) {
  for (wire::NodeCondition& condition : *node.mutable_status()->mutable_conditions()) {
    for (auto* time :
         {condition.mutable_last_transition_time(), condition.mutable_last_heartbeat_time()}) {
      if (time->seconds() == 0) time->set_seconds(kYearOneInTokyo);
    }
  }
}

void MakeQuantityOdd(wire::Node& node) {
  (*node.mutable_status()->mutable_allocatable())["nvidia.com/gpu"].set_string(kNoQuantity);
}

void MakeQuantityOdd(wire::Pod& pod) {
  auto& requests =
      *pod.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_requests();
  requests["nvidia.com/gpu"].set_string(kNoQuantity);
}

}  // namespace

std::string Encode(const model::Node& node, Revision revision, Oddity oddity) {
  const std::string bytes = WholeBytesOf(node, std::to_string(revision));
  switch (oddity) {
    case Oddity::kNone:
      return bytes;
    case Oddity::kTimes:
      return Changed<wire::Node>(bytes, [](auto& message) { MakeTimesOdd(message); });
    case Oddity::kQuantity:
      return Changed<wire::Node>(bytes, [](auto& message) { MakeQuantityOdd(message); });
    case Oddity::kBytes:
      return Broken(bytes);
    case Oddity::kNameless:
      return kNameless;
  }
  return bytes;
}

std::string Encode(const model::Pod& pod, Revision revision, Oddity oddity) {
  const std::string bytes = WholeBytesOf(pod, std::to_string(revision));
  if (oddity == Oddity::kBytes) return Broken(bytes);
  if (oddity == Oddity::kNameless) return kNameless;
  if (oddity != Oddity::kQuantity) return bytes;
  return Changed<wire::Pod>(bytes, [](auto& message) { MakeQuantityOdd(message); });
}

std::string Encode(const model::Service& service, Revision revision, Oddity oddity) {
  const std::string bytes = tests::EncodeObject(service, std::to_string(revision));
  if (oddity == Oddity::kNameless) return kNameless;
  return IsUnreadable(oddity) ? Broken(bytes) : bytes;
}

}  // namespace berth::simulation
