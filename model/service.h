#pragma once

#include <string>

#include "model/node.h"

namespace berth::model {

/// What Berth keeps of a v1.Service. A plain value.
struct Service {
  std::string namespace_;
  std::string name;
  /// Pods of its namespace that have all of these labels. Empty: none.
  StringMap selector;

  friend bool operator==(const Service&, const Service&) = default;
};

}  // namespace berth::model
