#pragma once

#include <string>

#include "model/time.h"

namespace berth::model {

/// A condition that Berth itself has seen True on a node and that is True no longer. A detector
/// that starts reports every condition as False since now, so its transition time does not tell
/// whether a fault just ended; this record does. Times are those of the node's object. The snapshot
/// maintains it; see cluster/condition_memory.h. A plain value.
struct PastTrue {
  /// The condition's type.
  std::string type;
  /// When it became True. kNoTime if nobody knows, which counts as long ago.
  Time since = kNoTime;
  /// When it ceased to be True.
  Time until = kNoTime;

  friend bool operator==(const PastTrue&, const PastTrue&) = default;
};

}  // namespace berth::model
