#pragma once

#include <string>
#include <vector>

#include "board/node_row.h"
#include "board/pod_table.h"
#include "model/accelerator.h"
#include "model/gang.h"
#include "model/node.h"
#include "placement/explanation.h"

// What a click on a node or a pod shows: JSON objects, which docs/board.md describes.

namespace berth::board {

/// The most nodes that are told of one pod's verdicts, best first.
inline constexpr std::size_t kMostVerdicts = 100;

/// The most pods that a search lists. It tells the nodes of all that it finds.
inline constexpr std::size_t kMostFound = 50;

/// A node: its row, its conditions, its pods, and what each policy says of it. `explanation` is
/// that of the pod by which it is judged; `judged_for` says in words which that is. Policies say
/// nothing if that pod asks for no device, as for a node that has none.
std::string NodeDetails(const NodeRow& row, const std::vector<model::Condition>& conditions,
                        const std::vector<PodTable::Entry>& bound,
                        const std::vector<PodTable::Entry>& planned,
                        const placement::Explanation& explanation, const std::string& judged_for,
                        const model::GangNames& names);

/// A pod, and what each policy says of the nodes.
std::string PodDetails(const PodTable::Entry& entry, const placement::Explanation& explanation,
                       const model::GangNames& names);

/// The pods whose "<namespace>/<name>" or owner contains `text`, whatever the case of ASCII
/// letters. Others have to be written as they are: folded() of words.js is the same rule.
std::string FoundPods(const PodTable& pods, const std::string& text);

/// The pods of exactly that owner, in the same form.
std::string PodsOfOwner(const PodTable& pods, const std::string& owner);

}  // namespace berth::board
