#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson.h"

namespace berth::admission {

/// A template of pods within an object of a configured kind.
struct FoundTemplate {
  simdjson::dom::element pods;
  /// "spec.pytorchReplicaSpecs.Worker.template"
  std::string field;
};

/// The templates at `pointer` (see admission::TemplateSpec); none where the object has none there.
/// More than kMaxTemplates are not looked at.
std::vector<FoundTemplate> TemplatesAt(simdjson::dom::element object, std::string_view pointer);

/// Of one object. Every replica type of the operators that there are has one.
inline constexpr std::size_t kMaxTemplates = 64;

}  // namespace berth::admission
