#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::policies::scheduling {

/// Why a node is refused, or fits less well. Constant text: kube-scheduler groups rejections by the
/// identical string and cuts the event at 1,024 bytes, so no node names and no numbers.
/// k8s.io/kubernetes/pkg/scheduler/framework/types.go, FitError.Error.
struct Reason {
  /// The policy that gives it.
  std::string policy;
  /// As kube-scheduler's event shows it behind a count: "node(s) had condition GPUIsLost".
  std::string text;
  /// As `berth explain` shows it behind a count: "GPUIsLost", "are V100".
  std::string summary;
  /// Whether evicting other pods could make the node fit. If not, kube-scheduler is told so
  /// (FailedAndUnresolvableNodes) and leaves the node alone when it looks for victims.
  bool curable_by_preemption = false;
};

/// A reason's place in its table.
using ReasonId = std::uint16_t;

/// No reason: nothing is wrong.
inline constexpr ReasonId kNoReason = 0;

/// All reasons that an engine can give, interned while it is made. Thread-safe once filled.
class ReasonTable {
 public:
  ReasonTable() : reasons_(1) {}

  /// The id of `reason`; the same for the same policy and text.
  ReasonId Intern(Reason reason);

  const Reason& operator[](ReasonId id) const { return reasons_[id]; }

  /// Ids are below this; 0 is kNoReason.
  std::size_t size() const { return reasons_.size(); }

 private:
  std::vector<Reason> reasons_;
};

}  // namespace berth::policies::scheduling
