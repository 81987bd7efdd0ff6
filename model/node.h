#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/resources.h"
#include "model/taint.h"
#include "model/time.h"

namespace berth::model {

/// Names and values of labels or annotations, ascending by name, each name once.
using StringMap = std::vector<std::pair<std::string, std::string>>;

/// The value of `name` in `map`, or nothing.
std::optional<std::string_view> Find(const StringMap& map, std::string_view name);

/// Brings entries in any order to the order of a StringMap; of equal names the last one stays.
void Normalize(StringMap& map);

enum class ConditionStatus { kTrue, kFalse, kUnknown };

/// One v1.NodeCondition. Message and reason are not kept: nothing is decided by them.
struct Condition {
  std::string type;
  /// Texts other than "True" and "False" are kUnknown.
  ConditionStatus status = ConditionStatus::kUnknown;
  Time last_transition = kNoTime;
  Time last_heartbeat = kNoTime;

  friend bool operator==(const Condition&, const Condition&) = default;
};

/// What Berth keeps of a v1.Node. A plain value.
struct Node {
  std::string name;
  StringMap labels;
  std::vector<Taint> taints;          // in the order of the API object
  std::vector<Condition> conditions;  // in the order of the API object
  Resources capacity;
  Resources allocatable;
  /// Tells it from another node that had its name. The snapshot keeps it where it is asked for.
  std::string uid;

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace berth::model
