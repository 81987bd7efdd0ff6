#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace berth::model {

/// What is wrong with one field of the configuration. A plain value.
struct FieldError {
  /// The field below the struct that was validated, e.g. "conditions[3].type". Empty for the struct
  /// itself.
  std::string path;
  /// What is wrong and what to write instead. It is shown after the path.
  std::string message;
};

/// Adds the message of `status` as the error of the field at `path`, unless `status` is OK.
inline void RequireOk(const absl::Status& status, const std::string& path,
                      std::vector<FieldError>& errors) {
  if (!status.ok()) errors.push_back({path, std::string(status.message())});
}

// A config struct declares its fields once, beside the struct, in a function template that is found
// by argument-dependent lookup:
//
//   template <typename Visitor>
//   void VisitFields(Visitor& visit, HealthConfig& config) {
//     visit("staleAfter", config.stale_after, "Older lastHeartbeatTime counts as Unknown");
//     ...
//   }
//
// The strict reader, the writer of the defaults, the reference in docs and the chart's schema are
// visitors. The struct's own initialisers are the defaults. visit.Required(...) takes the same
// arguments, for a field that has no default. Field types are bool, std::int32_t, double,
// std::string, Duration ("10m"), std::optional<Duration>, NamespacedName ("ml/train"),
// std::optional<Quantity>, enums that have EnumNames, other visited structs, and std::vector of all
// these.
//
// A struct whose defaults depend on which fields the file has declares FillIn(config, written)
// beside VisitFields, where written("key") tells whether the file has the field.

/// One value of an enum and its spelling in the configuration. To make an enum a field type,
/// declare
///   std::span<const EnumName<E>> EnumNames(E);
/// beside it. The argument only selects the overload.
template <typename E>
struct EnumName {
  E value;
  std::string_view name;
};

}  // namespace berth::model
