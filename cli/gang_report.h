#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/transport.h"
#include "model/gang.h"
#include "model/time.h"

// What `berth explain --gang` and `berth gangs` read. It is what the API server has stored of a
// gang: the gates, nominations and conditions of its pods. What the planner has in mind beyond that
// it does not know. gang_output.h prints it.

namespace berth::cli {

/// How far a pod of a gang is.
enum class MemberState : std::uint8_t {
  /// It waits behind the gate of gangs, or for their PodGroup, and no node is nominated.
  kGated,
  /// Somebody else's gate holds it back.
  kHeldBack,
  /// It waits there, and a node is nominated, which nobody of equal or lower priority gets.
  kReserved,
  /// It has no gate any more, the planner has nominated a node, and kube-scheduler has not bound
  /// it.
  kReleased,
  /// It has no gate, and no node is nominated: it was created without the gate, or let go by hand.
  kOpen,
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
  /// Empty: it is one pod behind the gate of gangs, which names none.
  std::string name;
  std::int64_t size = 0;
  /// As planner::GangPhase has it, told by the pods: "collecting", "waiting", "planned",
  /// "released", and "bound" if all of them are, those aside that have succeeded.
  std::string state = {};
  /// Why it waits: in the words of the controller; or that nobody plans one of its pods, because
  /// the annotations of that pod cannot be read. Empty if no pod says so.
  std::string reason = {};
  /// When the first of its pods was created.
  model::Time created = model::kNoTime;
  /// The label of nodes that has to have one value for all of its pods. Empty: none.
  std::string topology = {};
  /// The values of that label on the nodes of its pods. See AddDomains().
  std::vector<std::string> domains = {};
  /// By rank, as planner::OrderByRank() has it.
  std::vector<GangMember> members = {};

  /// How many of the pods are that far.
  std::int64_t Count(MemberState member_state) const;
  /// The nodes of its pods, bound or nominated, each once, by name.
  std::vector<std::string> Nodes() const;
};

/// Reads the pods of a gang, and whether the PodGroup is there for which they wait, if they do.
/// Blocks until the replies have come. Returns NotFound if there are none,
/// and InvalidArgument, with what to write, if `gang` is no "<namespace>/<name>".
absl::StatusOr<GangReport> ReadGang(const std::string& gang, const model::GangNames& names,
                                    kube::Transport& transport);

/// Reads the gangs of a namespace, or of all if it is empty, by one list of pods in pages, and one
/// of PodGroups if pods wait for such. By namespace and name. A pod that only the gate of gangs
/// holds back, and that names no gang, counts as one. Blocks until the replies have come.
/// Returns the error of the list of pods.
absl::StatusOr<std::vector<GangReport>> ReadGangs(const std::string& namespace_name,
                                                  const model::GangNames& names,
                                                  kube::Transport& transport);

/// Fills in the domains of gangs whose pods must share a label of their nodes. Reads all nodes once
/// if there is such a gang; blocks until they have come. Returns the error of that list.
absl::Status AddDomains(kube::Transport& transport, std::vector<GangReport>& reports);

}  // namespace berth::cli
