#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace berth::tests {

/// What a client may ask for.
enum class FakeRequest {
  kListNodes,
  kWatchNodes,
  kListPods,  // those that are bound
  kWatchPods,
  kListPending,  // those that are not
  kWatchPending,
  kListServices,
  kWatchServices,
  kPatchNode,
  kPatchPod,
  kListPodsIn,  // of one namespace, in JSON
  kEvictPod,
  kCreateEvent,
  kGetLease,
  kCreateLease,
  kUpdateLease,
  // Of Secrets, ConfigMaps, Services, webhook configurations and, to get them, pods; and patches of
  // Leases.
  kGetObject,
  kCreateObject,
  kUpdateObject,
  kPatchObject,
};

bool IsList(FakeRequest request);
bool IsWatch(FakeRequest request);
bool IsPending(FakeRequest request);

/// Of a list or a watch: "Node", "Pod" or "Service".
std::string KindOf(FakeRequest request);

/// A request as it was parsed.
struct FakeHttpRequest {
  FakeRequest kind = FakeRequest::kListNodes;
  std::string target;
  /// Unescaped.
  std::map<std::string, std::string> query;
  /// "node-1", "ml/train-0", "berth-system/berth-controller": of requests for one object. "ml": of
  /// a list or a new object in that namespace. The path of those that have a kind of their own no
  /// more, or of the collection of a new one.
  std::string key;
  std::size_t content_length = 0;
  std::string body;
  /// How many bookmarks and ends of watches had been ordered when the request was counted; those
  /// ordered later are for it.
  std::uint64_t bookmarks = 0;
  std::uint64_t ended = 0;

  /// Empty where it is not given.
  std::string Get(const std::string& name) const;
};

/// All but the body. Nothing where it is none that the fake API server knows.
std::optional<FakeHttpRequest> ParseFakeRequest(const std::string& head);

}  // namespace berth::tests
