#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth::model {

/// The effect of taints that keep pods away only where there is room elsewhere.
inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";

/// One v1.Taint of a node.
struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  friend bool operator==(const Taint&, const Taint&) = default;
};

/// One v1.Toleration of a pod. Texts are as the API has them, unchecked.
struct Toleration {
  /// Empty: every key.
  std::string key;
  /// "Equal" (or empty) compares the value, "Exists" does not.
  std::string op;
  std::string value;
  /// Empty: every effect.
  std::string effect;

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// Whether one of `tolerations` tolerates `taint`, by the rules of ToleratesTaint in
/// k8s.io/api/core/v1/toleration.go (v0.36.3). The operators Lt and Gt tolerate nothing, as there
/// while their feature gate is off.
bool IsTolerated(const Taint& taint, std::span<const Toleration> tolerations);

}  // namespace berth::model
