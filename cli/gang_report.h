#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/transport.h"
#include "model/gang.h"

// What `berth explain --gang` does. It tells what the API server has stored of a gang: the gates,
// nominations and conditions of its pods. What the planner has in mind beyond that it does not
// know.

namespace berth::cli {

/// How far a pod of a gang is.
enum class MemberState : std::uint8_t {
  /// It waits behind the gate of gangs, or for their PodGroup, and no node is nominated.
  kGated,
  /// Somebody else's gate holds it back.
  kHeldBack,
  /// It waits there, and a node is nominated, which nobody of equal or lower priority gets.
  kReserved,
  /// It has no gate any more, and kube-scheduler has not bound it.
  kReleased,
  kBound,
  /// It was deleted, and has not ended yet.
  kEnding,
  /// It has done its work, and nobody makes it anew.
  kSucceeded,
};

/// A pod of a gang. Those that have failed are none. A plain value.
struct GangMember {
  std::string pod;
  MemberState state = MemberState::kGated;
  /// The node that it is bound to, or that is nominated. Empty: none.
  std::string node = {};
  /// The gates of others.
  std::vector<std::string> gates = {};
};

/// A gang, as its pods say. A plain value.
struct GangReport {
  std::string namespace_name;
  std::string name;
  std::int64_t size = 0;
  /// As planner::GangPhase has it, told by the pods: "collecting", "waiting", "planned",
  /// "released", and "bound" if all of them are, those aside that have succeeded.
  std::string state = {};
  /// Why it waits, in the words of the controller. Empty if no pod says so.
  std::string reason = {};
  /// By rank, then by name.
  std::vector<GangMember> members = {};

  /// How many of the pods are that far.
  std::int64_t Count(MemberState member_state) const;
};

/// Reads the pods of a gang, and whether the PodGroup is there for which they wait, if they do.
/// Blocks until the replies have come. Returns NotFound if there are none,
/// and InvalidArgument, with what to write, if `gang` is no "<namespace>/<name>".
absl::StatusOr<GangReport> ReadGang(const std::string& gang, const model::GangNames& names,
                                    kube::Transport& transport);

/// For people:
///
///   gang ml/train of 2: waiting
///   2 of 2 pods are there: 2 gated
///   why: gang train of 2: 1 of 2 pods fit at once on nodes of one model
///
///   POD      STATE  NODE
///   train-0  gated
std::string GangText(const GangReport& report);

/// As JSON; docs/explain.md describes the format.
std::string GangJson(const GangReport& report);

}  // namespace berth::cli
