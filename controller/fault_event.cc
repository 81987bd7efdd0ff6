#include "controller/fault_event.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/time/time.h"
#include "model/duration.h"

namespace berth::controller {

namespace {

using Json = nlohmann::json;
using What = FaultChange::What;

std::string TextOfTime(model::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

// FNV-1a of 64 bits, the same in every replica.
std::uint64_t Fnv1aOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string IdOf(const FaultChange& change, std::string_view uid) {
  return fmt::format(
      "berth-{:016x}",
      Fnv1aOf(fmt::format("{}\n{}\n{}\n{}\n{}", uid, change.fault.uid, change.fault.condition,
                          TextOfTime(change.fault.since), static_cast<int>(change.what))));
}

std::string SinceWhen(const FaultChange& change) {
  if (change.fault.since == model::kNoTime) return "";
  return " since " + TextOfTime(change.fault.since);
}

// Berth judges no node for a pod that asks for nothing of the catalogue, so no condition keeps such
// a pod off.
std::string WhichPods(const FaultChange& change) {
  constexpr char kPods[] = "pods that ask for accelerators";
  if (change.fault.resources.empty()) return kPods;
  return fmt::format("{} and for {}", kPods, fmt::join(change.fault.resources, " or "));
}

bool AsksFor(const model::Pod& pod, const std::string& pattern) {
  return std::any_of(pod.requests.begin(), pod.requests.end(), [&](const auto& request) {
    return request.second > 0 && fnmatch(pattern.c_str(), request.first.c_str(), 0) == 0;
  });
}

}  // namespace

std::optional<FaultEvent> EventOfNode(const FaultChange& change) {
  FaultEvent event{.namespace_name = {},
                   .name = change.fault.node,
                   .uid = change.fault.uid,
                   .reason = {},
                   .message = {},
                   .id = IdOf(change, change.fault.uid)};
  if (change.what == What::kExcluded) {
    event.is_warning = true;
    event.reason = "Excluded";
    event.message = fmt::format("Berth keeps {} off this node, which has had {}{}.",
                                WhichPods(change), change.fault.condition, SinceWhen(change));
    return event;
  }
  if (change.what != What::kReturned || !change.is_back) return std::nullopt;
  event.reason = "Returned";
  event.message = fmt::format(
      "Berth lets {} on this node again: {} is over{}.", WhichPods(change), change.fault.condition,
      change.after ? ", after " + model::FormatDuration(*change.after) : "");
  return event;
}

FaultEvent EventOfPod(const FaultChange& change, const model::Pod& pod) {
  return {.namespace_name = pod.namespace_,
          .name = pod.name,
          .uid = pod.uid,
          .reason = "NodeExcluded",
          .message = fmt::format(
              "Node {} has had {}{}. Berth puts no more {} there. This one may hang or fail: have "
              "it write a checkpoint while it can.",
              change.fault.node, change.fault.condition, SinceWhen(change), WhichPods(change)),
          .is_warning = true,
          .id = IdOf(change, pod.uid)};
}

bool IsToldOf(const FaultChange& change, const model::Pod& pod,
              const model::AcceleratorSpec& pool) {
  if (pod.terminated || pod.node_name != change.fault.node) return false;
  if (change.fault.resources.empty()) return model::HasDevicesOf(pool, pod.requests);
  return std::any_of(change.fault.resources.begin(), change.fault.resources.end(),
                     [&pod](const std::string& pattern) { return AsksFor(pod, pattern); });
}

std::string PathOf(const FaultEvent& event) {
  return fmt::format("/api/v1/namespaces/{}/events",
                     event.namespace_name.empty() ? "default" : event.namespace_name);
}

std::string JsonOf(const FaultEvent& event, model::Time now) {
  const bool is_node = event.namespace_name.empty();
  Json about = {{"apiVersion", "v1"},
                {"kind", is_node ? "Node" : "Pod"},
                {"name", event.name},
                {"uid", event.uid}};
  if (!is_node) about["namespace"] = event.namespace_name;
  const std::string time = TextOfTime(now);
  const Json json = {{"apiVersion", "v1"},
                     {"kind", "Event"},
                     {"metadata", {{"name", event.id}}},
                     {"involvedObject", about},
                     {"reason", event.reason},
                     {"message", event.message},
                     {"type", event.is_warning ? "Warning" : "Normal"},
                     {"source", {{"component", "berth"}}},
                     {"firstTimestamp", time},
                     {"lastTimestamp", time},
                     {"count", 1}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::controller
