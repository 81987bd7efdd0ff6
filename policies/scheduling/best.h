#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "policies/scheduling/engine.h"

namespace berth::policies::scheduling {

/// The places, ascending, of the `size` best of the nodes that fit: those that are not `last`
/// before those that are, then by score. Of equally good ones at the end of the list a hash of
/// `pod_uid` and the node's name chooses, so that replicas agree, whatever the order of the nodes,
/// and pods in series do not all look at the same ones. All that fit, where they are no more than
/// `size`.
///
/// `names` has one place for each of `judgements`; `size` is above 0. Looks twice at each, and
/// remembers `size` of them and as many of their equals.
std::vector<std::size_t> Best(std::span<const Judgement> judgements,
                              std::span<const std::string_view> names, std::string_view pod_uid,
                              std::size_t size);

}  // namespace berth::policies::scheduling
