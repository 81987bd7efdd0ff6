#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "extender/plain_args.h"
#include "kube/json.h"
#include "kube/json_sizes.h"
#include "kube/json_text.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"

// kube-scheduler's extender protocol, as k8s.io/kube-scheduler/extender/v1/types.go (v0.36.3)
// defines it and pkg/scheduler/extender.go speaks it. The types have no JSON tags, so names are
// Go's.
namespace berth::extender {

/// Whole nodes, as whoever asks has them; `nodes` and `texts` are of the same length.
struct GivenNodes {
  std::vector<model::Node> nodes;
  /// Those that cannot be read. They stand among the nodes, too, with nothing but their names.
  std::vector<kube::UnreadableObject> unreadable;
  /// As they came, for the answer. Into the request.
  std::vector<std::string_view> texts;
};

/// What is asked with filter and prioritize.
struct ExtenderArgs {
  model::Pod pod;
  /// Into the reader's buffer: valid until it reads again.
  std::vector<std::string_view> node_names;
  /// Where nodeCacheCapable is false; `node_names` are their names then.
  std::optional<GivenNodes> given{};
  /// Whether it is known that every name may stand in JSON as it is.
  bool plain_names = false;
};

/// The pods that would be evicted from one node. Names and UIDs are in the request, or in the
/// reader's buffer.
struct NodeVictims {
  std::string_view name;
  std::vector<std::string_view> uids;
  std::int64_t pdb_violations = 0;

  friend bool operator==(const NodeVictims&, const NodeVictims&) = default;
};

/// What is asked with preempt.
struct PreemptionArgs {
  model::Pod pod;
  std::vector<NodeVictims> nodes;
  /// Whether whole pods came (nodeCacheCapable false) and not their UIDs alone.
  bool whole_pods = false;
};

/// Whether a request, which may not be JSON, brings whole nodes or whole victims instead of names
/// and UIDs. Takes no memory.
bool BringsWholeObjects(std::string_view body);

/// Decodes requests. Keeps its buffers from one to the next. Not thread-safe: one per thread.
///
/// Whole nodes are decoded one at a time, where they stand in the request, and of victims nothing
/// but their UIDs is: a parser of all of it would take a dozen times its size.
class ArgsReader {
 public:
  /// Nodes, or names of nodes, in one request.
  static constexpr std::size_t kMaxNames = 150'000;
  static constexpr std::size_t kMaxNodes = 20'000;
  /// Labels, taints, conditions and resources of all nodes of a request: so many, and so many for
  /// each byte of it. Those of real nodes take some 70 bytes each.
  static constexpr std::size_t kMaxNodeEntries = 1'000'000;
  static constexpr std::size_t kFreeNodeEntries = 100'000;
  static constexpr std::size_t kBytesPerEntry = 32;
  /// Bytes of a pod, or of one node. etcd takes 1.5 MiB; Go writes some of them as six.
  static constexpr std::size_t kMaxObjectBytes = 16 << 20;

  /// An error is a sentence that names the field: kube-scheduler shows it in the pod's event.
  absl::StatusOr<ExtenderArgs> Read(std::string_view body);

  absl::StatusOr<PreemptionArgs> ReadPreemption(std::string_view body);

 private:
  // Nothing where anything is out of the ordinary: then Read knows what to say of it.
  std::optional<ExtenderArgs> ReadPlain(std::string_view body);
  absl::StatusOr<simdjson::dom::element> ReadObject(const kube::JsonText& object,
                                                    std::string_view path);
  absl::StatusOr<model::Pod> ReadPod(const std::optional<kube::JsonText>& pod);
  absl::StatusOr<std::vector<std::string_view>> ReadNames(const kube::JsonText& list);
  absl::StatusOr<GivenNodes> ReadNodes(const kube::JsonText& list);
  absl::Status ReadNode(const kube::JsonText& item, std::size_t& entries_left, GivenNodes& given);
  absl::Status ReadUids(const kube::JsonText& pods, bool whole_pods, const std::string& path,
                        std::vector<std::string_view>& uids);
  absl::Status ReadVictims(const kube::JsonText& victims, bool whole_pods, const std::string& path,
                           NodeVictims& node);
  absl::Status ReadAllVictims(const kube::JsonText& by_node, const std::string& field,
                              PreemptionArgs& args);
  std::optional<std::string_view> StringOf(const kube::JsonText& value);

  PlainArgsReader plain_reader_{kMaxNames};
  kube::JsonParser parser_{kube::kMaxValues};
  std::deque<std::string> decoded_;  // strings that have escapes in the request
};

/// The thread's own reader for a request of usual size, whose buffers are worth keeping; for a
/// larger one a reader that goes with the request. Of these there is one at a time: with its answer
/// a request may take eight times its size.
class ReaderLease {
 public:
  /// Waits for another lease of a large body.
  explicit ReaderLease(std::string_view body);
  ArgsReader& operator*() const { return *reader_; }
  ArgsReader* operator->() const { return reader_; }

 private:
  std::unique_lock<std::mutex> turn_;  // let go of after the reader
  std::optional<ArgsReader> own_;
  ArgsReader* reader_;
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

/// ExtenderFilterResult with the nodes of `result` in the form in which `args` gave them:
/// NodeNames, or Nodes as they came. That list is always present: null would mean that there are no
/// nodes.
std::string FilterReply(const ExtenderArgs& args, const FilterResult& result);

/// ExtenderFilterResult with nothing but `error`. Sent with status 200: of other statuses
/// kube-scheduler shows just the number.
std::string FilterErrorReply(std::string_view error);

/// HostPriorityList: the names with their ranks, in the same order. Both have the same size.
std::string PrioritizeReply(std::span<const std::string_view> names,
                            std::span<const std::int64_t> ranks);

/// ExtenderPreemptionResult; it always speaks of UIDs (NodeNameToMetaVictims), whatever was sent.
std::string PreemptReply(std::span<const NodeVictims> nodes);

}  // namespace berth::extender
