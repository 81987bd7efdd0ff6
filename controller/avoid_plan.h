#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/avoid.h"
#include "model/cluster_view.h"
#include "model/time.h"

namespace berth::controller {

/// A node whose annotation `avoid` is to be changed. A plain value.
struct AvoidChange {
  std::string node;
  std::string uid;
  /// What the annotation shall say; empty: it shall go.
  std::string text;

  friend bool operator==(const AvoidChange&, const AvoidChange&) = default;
};

/// What failed on which nodes and is not yet on them: the owners of the pods, by node.
using FailedOwners = std::map<std::string, std::vector<model::Avoided>>;

/// Returns `present` without what has expired at `now`, and with `added`. Of an owner the later
/// entry stays; of more than model::kMostAvoided entries those stay that expire last.
std::vector<model::Avoided> MergeAvoided(std::vector<model::Avoided> present,
                                         const std::vector<model::Avoided>& added, model::Time now);

/// Removes the entries that the nodes of the view have, so that what somebody takes off a node
/// stays off, and a node that is made anew under the same name begins without any.
void ForgetNoted(const model::ClusterView& view, std::string_view annotation, FailedOwners& failed);

/// Returns the nodes whose annotation, whose full name is given, does not say what it shall at
/// `now`: it lacks one of `failed`, or has an entry that has expired. Nodes in quarantine, and
/// nodes that the view does not have, are left out. The view must keep the UIDs of nodes. No I/O,
/// no clock; thread-safe.
std::vector<AvoidChange> PlanAvoided(const model::ClusterView& view, std::string_view annotation,
                                     const FailedOwners& failed, model::Time now);

/// Returns how many entries that have not expired the nodes of the view have.
std::size_t CountAvoided(const model::ClusterView& view, std::string_view annotation,
                         model::Time now);

}  // namespace berth::controller
