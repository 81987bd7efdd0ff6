#pragma once

#include <string>

#include "model/time.h"

namespace berth::model {

/// A condition that Berth itself has seen True on a node, and that has ceased to be: by the times
/// that the node's object gave. A detector that starts says False of everything as of now, and
/// tells nobody whether that is new; this does. A plain value.
struct PastTrue {
  std::string type;
  /// kNoTime: nobody knows, so since long ago.
  Time since = kNoTime;
  Time until = kNoTime;

  friend bool operator==(const PastTrue&, const PastTrue&) = default;
};

}  // namespace berth::model
