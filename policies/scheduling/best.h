#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "policies/scheduling/engine.h"

namespace berth::policies::scheduling {

/// Chooses the `size` best nodes that fit, and returns their positions in `judgements`, ascending.
/// If no more than `size` fit, returns all that fit.
///
/// Nodes that are not `last` come before those that are; within both groups a higher score is
/// better. If there is not room for all nodes of the lowest chosen score, a hash of `pod_uid` and
/// the node's name decides between them. So all replicas choose alike, whatever the order of the
/// nodes, and successive pods do not all get the same nodes.
///
/// `names[i]` is the name of the node of `judgements[i]`. `size` must be above 0. Passes twice over
/// the judgements and keeps at most 2 x `size` entries in memory besides the result.
std::vector<std::size_t> Best(std::span<const Judgement> judgements,
                              std::span<const std::string_view> names, std::string_view pod_uid,
                              std::size_t size);

}  // namespace berth::policies::scheduling
