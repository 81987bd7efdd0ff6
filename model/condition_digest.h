#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/past_status.h"
#include "model/time.h"

namespace berth::model {

/// A summary of a node's conditions that lets most readers skip the conditions themselves: on most
/// nodes nothing has changed for long, and all conditions are as they are on nodes that are well.
/// It is computed once, when the node arrives, because searching a dozen conditions for every pod
/// costs more than everything else. A plain value.
///
/// A reader for whom some types are bad when True first compares `not_false` with the MarkOf() of
/// these types. If no bit is common, the node has no such condition that is not False. For types
/// that are bad when False, `not_true` tells the same.
struct ConditionDigest {
  /// The union of the MarkOf() of the types of all conditions that are not False.
  std::uint64_t not_false = 0;
  /// The union of the MarkOf() of the types of all conditions that are not True.
  std::uint64_t not_true = 0;
  /// The latest last_transition of all conditions, and the latest time at which Berth noticed that
  /// one of them was something else no longer: the node's clock may be minutes behind. kNoTime if
  /// nobody states any.
  Time last_transition = kNoTime;

  friend bool operator==(const ConditionDigest&, const ConditionDigest&) = default;
};

/// Returns one bit out of 64. Equal types have equal marks, and different types may share one.
std::uint64_t MarkOf(std::string_view condition_type);

/// Summarises all of `conditions`, including those whose type occurs more than once, and `past`,
/// what they were.
ConditionDigest DigestOf(const std::vector<Condition>& conditions,
                         const std::vector<PastStatus>& past = {});

}  // namespace berth::model
