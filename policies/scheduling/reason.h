#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::policies::scheduling {

/// Why a node is refused or fits less well. A reason is constant text without node names and
/// numbers: kube-scheduler groups rejections by identical strings and cuts the event at 1,024 bytes
/// (FitError.Error in k8s.io/kubernetes/pkg/scheduler/framework/types.go). An event looks like
/// this:
///
///   0/99 nodes are available: 12 node(s) had condition GPUIsLost, 87 node(s) ...
struct Reason {
  /// Name of the policy that gives the reason; "engine" for the engine's own reasons.
  std::string policy;
  /// Text for kube-scheduler's event, where it follows a count: "node(s) had condition GPUIsLost".
  std::string text;
  /// Text for `berth explain`, where it follows a count: "GPUIsLost", "are V100".
  std::string summary;
  /// Whether evicting other pods could make the node fit. If not, the answer lists the node under
  /// FailedAndUnresolvableNodes, and kube-scheduler does not look for victims there.
  bool curable_by_preemption = false;
};

/// Index of a reason in its table.
using ReasonId = std::uint16_t;

/// Nothing is wrong.
inline constexpr ReasonId kNoReason = 0;

/// All reasons that one engine can give. The engine fills the table while it is made, and only
/// reads it afterwards; then it is thread-safe.
class ReasonTable {
 public:
  ReasonTable() : reasons_(1) {}

  /// Adds `reason` if the table has none with the same policy and text. Returns its id, which is
  /// never kNoReason. Takes time linear in the size of the table.
  ReasonId Intern(Reason reason);

  /// The reason with that id, which must be below size(). kNoReason gives an empty reason.
  const Reason& operator[](ReasonId id) const { return reasons_[id]; }

  /// Ids are below this number; id 0 is kNoReason.
  std::size_t size() const { return reasons_.size(); }

 private:
  // By id.
  std::vector<Reason> reasons_;
};

}  // namespace berth::policies::scheduling
