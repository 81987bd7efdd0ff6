#pragma once

#include <string>

namespace berth::kube {

/// An object that is there and cannot be read. What was known of it stays as it is.
struct UnreadableObject {
  /// "Node", "Pod" or "Service".
  std::string kind;
  /// Empty for nodes.
  std::string namespace_ = {};
  /// Empty: not even that can be read, or not the namespace of what has one.
  std::string name = {};
  /// Empty where that cannot be read.
  std::string uid = {};
  /// What cannot be read, and where: Node["gpu-7"].status.capacity["cpu"]: "x" is not a quantity
  std::string error;

  friend bool operator==(const UnreadableObject&, const UnreadableObject&) = default;
};

/// "gpu-7", "team/train-0"; empty where the object has no name.
inline std::string FullNameOf(const UnreadableObject& object) {
  return object.namespace_.empty() ? object.name : object.namespace_ + '/' + object.name;
}

}  // namespace berth::kube
