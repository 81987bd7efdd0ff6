#pragma once

#include <string>

namespace berth::kube {

/// An object that exists but cannot be read. What was known of it before remains valid as far as
/// anybody knows, so readers keep it and report this object. A plain value.
struct UnreadableObject {
  /// "Node", "Pod" or "Service".
  std::string kind;
  /// Empty for nodes, and if it cannot be read.
  std::string namespace_ = {};
  /// Empty if it cannot be read, or if the namespace of an object with a namespace cannot be read.
  std::string name = {};
  /// Empty if it cannot be read.
  std::string uid = {};
  /// What cannot be read and where: Node["gpu-7"].status.capacity["cpu"]: "x" is not a quantity
  std::string error;

  friend bool operator==(const UnreadableObject&, const UnreadableObject&) = default;
};

/// Returns "gpu-7" or "team/train-0". Empty if the object has no name.
inline std::string FullNameOf(const UnreadableObject& object) {
  return object.namespace_.empty() ? object.name : object.namespace_ + '/' + object.name;
}

}  // namespace berth::kube
