#pragma once

#include <string>

#include "model/node.h"

namespace berth::model {

/// What Berth keeps of a v1.Service: as much as tells which pods it selects, because kube-scheduler
/// by default spreads these over nodes. A plain value.
struct Service {
  std::string namespace_;
  std::string name;
  /// The Service selects the pods of its namespace that have all of these labels. If empty, it
  /// selects none.
  StringMap selector;

  friend bool operator==(const Service&, const Service&) = default;
};

}  // namespace berth::model
