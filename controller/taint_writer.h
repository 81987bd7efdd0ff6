#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "controller/taint_plan.h"
#include "kube/transport.h"

namespace berth::controller {

/// Changes Berth's taint of one node after the other. Nobody else's taint is ever changed, removed
/// or moved, also if others write the node's taints at the same time: each patch is made from a
/// fresh reading of the node, and the API server refuses it if the node has changed since (see
/// kube::TaintsPatch()).
///
/// The node is read by a list of one, for which the rights that the snapshot's feed and
/// Patcher have anyway suffice: list and patch on nodes. Not thread-safe.
class TaintWriter {
 public:
  /// How often a node is read and patched in a row if others change it meanwhile.
  static constexpr int kTries = 3;

  /// `key` is the full name of the taint. `transport` must outlive this.
  TaintWriter(kube::Transport* transport, std::string key)
      : transport_(transport), key_(std::move(key)) {}

  /// Gives the node the taint, changes its value, or removes it; sends no patch if the node is as
  /// it shall be. Blocks until the replies have come. Returns
  /// - NotFound if there is no node of that name and UID;
  /// - Aborted if others have changed the node kTries times in a row;
  /// - other errors of kube::CallJson().
  ///
  ///   GET   /api/v1/nodes?fieldSelector=metadata.name%3Dgpu-7
  ///   PATCH /api/v1/nodes/gpu-7
  ///   {"metadata":{"resourceVersion":"712","uid":"..."},"spec":{"taints":[...]}}
  absl::Status Write(const TaintChange& change);

 private:
  absl::Status TryToWrite(const TaintChange& change);

  kube::Transport* const transport_;
  const std::string key_;
};

/// A change of the taint `key` as kubectl writes it: "berth.dev/excluded=GPUIsLost:NoSchedule", or
/// "berth.dev/excluded:NoSchedule-" where it is removed.
std::string TaintText(const std::string& key, const TaintChange& change);

}  // namespace berth::controller
