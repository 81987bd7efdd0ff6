#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "policies/admission/config.h"
#include "simdjson.h"

// Reads from an object of a configured kind how many pods it makes, at the places that the
// configuration names (policies::admission::TemplateSpec).

namespace berth::admission {

/// What the object says about one template. A plain value.
struct TemplateCounts {
  /// How many times it is used; nullopt if the configuration names no place.
  std::optional<std::int64_t> replicas;
  /// How many pods are a gang with each of its pods; nullopt likewise.
  std::optional<std::int64_t> gang_size;

  friend bool operator==(const TemplateCounts&, const TemplateCounts&) = default;
};

/// Returns what `object` says about the template at the JSON pointer `place`, which `spec.path` has
/// led to. A number that is missing counts as 1. One that is no whole number above 0 counts as 0,
/// because the API server or the kind's controller will refuse it. No number is over 2^31 - 1.
TemplateCounts CountsOf(simdjson::dom::element object,
                        const policies::admission::TemplateSpec& spec, std::string_view place);

/// Whether the object starts the pods of its templates one after the other: whether one of
/// `spec.in_turn` is there.
bool StartsInTurn(simdjson::dom::element object, const policies::admission::TemplateSpec& spec);

}  // namespace berth::admission
