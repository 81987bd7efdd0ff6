#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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
#include "kube/parser_lease.h"
#include "kube/unreadable_object.h"
#include "model/node.h"
#include "model/pod.h"

// Messages of kube-scheduler's extender protocol, as k8s.io/kube-scheduler/extender/v1/types.go
// (v0.36.3) defines them and pkg/scheduler/extender.go uses them. The types have no JSON tags, so
// the names of fields are Go's.
//
// filter:      {"Pod": {...}, "NodeNames": ["n1", "n2"], "Nodes": null}
//              {"NodeNames": ["n1"]}, or if none fits
//              {"NodeNames": [], "FailedNodes": {"n1": "reason"},
//               "FailedAndUnresolvableNodes": {"n2": "reason"}}, or
//              {"Error": "berth: ..."}
// prioritize:  {"Pod": {...}, "NodeNames": ["n1", "n2"], "Nodes": null}
//              [{"Host": "n1", "Score": 10}, {"Host": "n2", "Score": 0}]
// preempt:     {"Pod": {...}, "NodeNameToVictims": null,
//               "NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "..."}], "NumPDBViolations": 0}}}
//              {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "..."}], "NumPDBViolations": 0}}}
//
// If kube-scheduler is configured with nodeCacheCapable: false, it sends "Nodes" (a NodeList)
// instead of "NodeNames", and "NodeNameToVictims" (whole pods) instead of "NodeNameToMetaVictims".
// Berth answers filter in the form of the request.
//
// Texts in these structs mostly point into the request or into the reader's buffers, so that 65,000
// names cost no copies. Keep both until the reply is written.
namespace berth::extender {

/// Whole nodes, as the client sent them (nodeCacheCapable: false). `nodes` and `texts` have the
/// same length.
struct GivenNodes {
  /// The nodes, in the order of the request.
  std::vector<model::Node> nodes;
  /// The nodes that cannot be read. They are among `nodes`, too, with nothing but their names.
  std::vector<kube::UnreadableObject> unreadable;
  /// The nodes as they came, for the answer. They point into the request.
  std::vector<std::string_view> texts;
};

/// The question of filter and of prioritize.
struct ExtenderArgs {
  /// The pod that kube-scheduler wants to place.
  model::Pod pod;
  /// The nodes in question, in the order of the request. Valid until the reader's next Read().
  std::vector<std::string_view> node_names;
  /// Set if the request contains nodes instead of names; `node_names` are their names then.
  std::optional<GivenNodes> given{};
  /// Whether all names are known to need no escapes in JSON.
  bool plain_names = false;
};

/// The pods that would be evicted from one node. Names and UIDs point into the request or into the
/// reader's buffer.
struct NodeVictims {
  std::string_view name;
  /// UIDs of the victims.
  std::vector<std::string_view> uids;
  /// How many violations of PodDisruptionBudgets kube-scheduler counts. Passed back unchanged.
  std::int64_t pdb_violations = 0;

  friend bool operator==(const NodeVictims&, const NodeVictims&) = default;
};

/// The question of preempt.
struct PreemptionArgs {
  /// The pod for which others would be evicted.
  model::Pod pod;
  /// The candidates, in the order of the request.
  std::vector<NodeVictims> nodes;
  /// Whether the request contains whole pods (nodeCacheCapable: false) instead of UIDs.
  bool whole_pods = false;
};

/// Returns whether a request contains whole nodes or whole victims instead of names and UIDs.
/// `body` need not be valid JSON. Allocates no memory.
bool BringsWholeObjects(std::string_view body);

/// Decodes requests. It keeps its buffers from one request to the next, and is not thread-safe: use
/// one for each thread, by a ReaderLease.
///
/// Whole nodes are decoded one at a time, where they stand in the request, and of whole victims
/// only the UIDs are decoded. A parser for the whole request would take a dozen times its size.
class ArgsReader {
 public:
  /// Names of nodes, or candidates of preempt, in one request.
  static constexpr std::size_t kMaxNames = 150'000;

  /// Whole nodes in one request.
  static constexpr std::size_t kMaxNodes = 20'000;
  /// Labels, taints, conditions and resources of all nodes of a request together: kFreeNodeEntries,
  /// and one more for each kBytesPerEntry bytes of the list, up to kMaxNodeEntries. Those of real
  /// nodes take some 70 bytes each, and at most half of a node's bytes. A taint takes 350 bytes of
  /// memory while it is judged, and the largest request has to fit into a container of 512 MiB, of
  /// which a large cluster takes 100 MiB.
  static constexpr std::size_t kMaxNodeEntries = 500'000;
  static constexpr std::size_t kFreeNodeEntries = 100'000;
  static constexpr std::size_t kBytesPerEntry = 32;
  /// Bytes of a pod, or of one node. etcd accepts 1.5 MiB, and Go writes some bytes as six.
  static constexpr std::size_t kMaxObjectBytes = 16 << 20;

  /// Decodes a request of filter or prioritize. The result points into `body` and into this reader:
  /// it is valid while both live, until the next call.
  ///
  /// Returns INVALID_ARGUMENT if the request cannot be read or exceeds one of the limits above. The
  /// message is a sentence that names the field, because kube-scheduler shows it in the pod's
  /// event. A single node that cannot be read is not an error if it has a name; see
  /// GivenNodes::unreadable.
  absl::StatusOr<ExtenderArgs> Read(std::string_view body);

  /// Decodes a request of preempt, in the same way.
  absl::StatusOr<PreemptionArgs> ReadPreemption(std::string_view body);

 private:
  // Reads the usual request in a short time. Returns nothing for any other; Read() then reads it
  // slowly and finds the errors.
  std::optional<ExtenderArgs> ReadPlain(std::string_view body);
  // Parses an object within the limits. `path` is its name in errors. Valid until the next use of
  // parser_.
  absl::StatusOr<simdjson::dom::element> ReadObject(const kube::JsonText& object,
                                                    std::string_view path);
  // Decode the parts of a request.
  absl::StatusOr<model::Pod> ReadPod(const std::optional<kube::JsonText>& pod);
  absl::StatusOr<std::vector<std::string_view>> ReadNames(const kube::JsonText& list);
  absl::StatusOr<GivenNodes> ReadNodes(const kube::JsonText& list);
  // Adds a node to `given`, and takes its entries from `entries_left`.
  absl::Status ReadNode(const kube::JsonText& item, std::size_t& entries_left, GivenNodes& given);
  // Reads the victims of one node, and of all. `path` and `field` are for errors.
  absl::Status ReadUids(const kube::JsonText& pods, bool whole_pods, const std::string& path,
                        std::vector<std::string_view>& uids);
  absl::Status ReadVictims(const kube::JsonText& victims, bool whole_pods, const std::string& path,
                           NodeVictims& node);
  absl::Status ReadAllVictims(const kube::JsonText& by_node, const std::string& field,
                              PreemptionArgs& args);
  // Returns the string, decoded; nothing if `value` is not one.
  std::optional<std::string_view> StringOf(const kube::JsonText& value);

  // Buffers, which are kept from one request to the next.
  PlainArgsReader plain_reader_{kMaxNames};
  kube::JsonParser parser_{kube::kMaxValues};
  std::deque<std::string> decoded_;  // strings that have escapes in the request
};

/// Room for 65,000 names of 90 bytes and a large pod. The parsers of a reader take several times as
/// much.
inline constexpr std::size_t kLargestKeptBody = 8 << 20;

/// Lends an ArgsReader for one request. A larger one, with its answer, may take eight times its
/// size.
using ReaderLease = kube::ParserLease<ArgsReader, kLargestKeptBody>;

/// A node, and why it is refused.
struct FailedNode {
  std::string_view name;
  std::string_view reason;
};

/// The answer to filter. The texts belong to the request and to the engine.
struct FilterResult {
  /// The nodes that are answered, in the order of the request.
  std::vector<std::string_view> node_names;
  /// Nodes that could fit if other pods were evicted.
  std::vector<FailedNode> failed;
  /// Nodes that could not. kube-scheduler leaves them alone when it looks for victims.
  std::vector<FailedNode> unresolvable;
};

/// Returns an ExtenderFilterResult in JSON. The nodes of `result` are in the form in which `args`
/// gave them: as NodeNames, or as Nodes with the texts of the request. That list is always present,
/// because null would mean that there are no nodes.
std::string FilterReply(const ExtenderArgs& args, const FilterResult& result);

/// Returns an ExtenderFilterResult with nothing but `error`. Send it with status 200: of other
/// statuses kube-scheduler shows only the number.
std::string FilterErrorReply(std::string_view error);

/// Returns a HostPriorityList in JSON: the names with their ranks, in the same order. Both spans
/// must have the same size.
std::string PrioritizeReply(std::span<const std::string_view> names,
                            std::span<const std::int64_t> ranks);

/// Returns an ExtenderPreemptionResult in JSON. It always contains UIDs (NodeNameToMetaVictims),
/// even if the request contained whole pods.
std::string PreemptReply(std::span<const NodeVictims> nodes);

}  // namespace berth::extender
