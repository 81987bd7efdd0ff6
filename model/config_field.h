#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// What is wrong with one field of the configuration.
struct FieldError {
  /// Below the struct that was validated: "conditions[3].type", or empty for the struct itself.
  std::string path;
  /// What is wrong and what to write instead.
  std::string message;
};

// A config struct declares its fields once, in a function template found by argument-dependent
// lookup, beside the struct:
//
//   template <typename Visitor>
//   void VisitFields(Visitor& visit, HealthConfig& config) {
//     visit("staleAfter", config.stale_after, "Older lastHeartbeatTime counts as Unknown; 0s:
//     never");
//     ...
//   }
//
// The strict reader, the writer of the defaults, the reference in docs and the chart's schema are
// visitors. The struct's own initialisers are the defaults. visit.Required(...) takes the same
// arguments for a field that has none. Field types: bool, std::int32_t, double, std::string,
// Duration ("10m"), std::optional<Quantity>, enums that have EnumNames, other visited structs, and
// std::vector of all these.

/// One value of an enum and how the configuration spells it. An enum is made a field type by
///   std::span<const EnumName<E>> EnumNames(E);
/// beside it.
template <typename E>
struct EnumName {
  E value;
  std::string_view name;
};

}  // namespace berth::model
