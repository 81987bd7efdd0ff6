#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/time.h"

namespace berth::model {

/// What of a node's conditions tells most who look for certain types that they need not look: of
/// most nodes all conditions but Ready have been False for long. Made once when the node arrives:
/// looking through a dozen conditions for every pod costs more than all else. A plain value.
struct ConditionDigest {
  /// MarkOf the types of all conditions that are not False.
  std::uint64_t marks = 0;
  /// When the last of the others turned False; kNoTime where none says so.
  Time last_turned_false = kNoTime;

  friend bool operator==(const ConditionDigest&, const ConditionDigest&) = default;
};

/// One bit out of 64. Types of different marks differ; of equal marks, they may.
std::uint64_t MarkOf(std::string_view condition_type);

ConditionDigest DigestOf(const std::vector<Condition>& conditions);

}  // namespace berth::model
