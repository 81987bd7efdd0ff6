#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/json.h"
#include "model/pod.h"

// kube-scheduler's extender protocol, as k8s.io/kube-scheduler/extender/v1/types.go (v0.36.3)
// defines it and pkg/scheduler/extender.go speaks it. The types have no JSON tags, so names are
// Go's.
namespace berth::extender {

/// What kube-scheduler asks with filter and prioritize, where nodeCacheCapable is true.
struct ExtenderArgs {
  model::Pod pod;
  /// Into the reader's buffer: valid until it reads again.
  std::vector<std::string_view> node_names;
};

/// Decodes requests. Keeps its buffers from one to the next. Not thread-safe: one per thread.
class ArgsReader {
 public:
  /// An error is a sentence that names the field: kube-scheduler shows it in the pod's event.
  absl::StatusOr<ExtenderArgs> Read(std::string_view body);

 private:
  kube::JsonParser parser_;
};

/// A node and why it is refused.
struct FailedNode {
  std::string_view name;
  std::string_view reason;
};

/// The answer to filter.
struct FilterResult {
  std::vector<std::string_view> node_names;
  /// Could fit if other pods were evicted.
  std::vector<FailedNode> failed;
  /// Could not: kube-scheduler leaves them alone when it looks for victims.
  std::vector<FailedNode> unresolvable;
};

/// ExtenderFilterResult, with NodeNames always present: null would mean that there are no nodes.
std::string FilterReply(const FilterResult& result);

/// ExtenderFilterResult with nothing but `error`. Sent with status 200: of other statuses
/// kube-scheduler shows just the number.
std::string FilterErrorReply(std::string_view error);

/// HostPriorityList: the names with their ranks, in the same order. Both have the same size.
std::string PrioritizeReply(std::span<const std::string_view> names,
                            std::span<const std::int64_t> ranks);

}  // namespace berth::extender
