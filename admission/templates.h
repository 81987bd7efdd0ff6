#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/config.h"
#include "simdjson.h"

// Finds the pod templates in objects of kinds that Berth does not know, such as a PyTorchJob. The
// configuration says where they are (policies::admission::TemplateSpec).

namespace berth::admission {

/// A pod template in an object of a configured kind.
struct FoundTemplate {
  /// The template; points into the parsed object. TemplatesAt() also finds templates of Jobs; then
  /// PodsOfJobs() has that of the pods.
  simdjson::dom::element pods;
  /// Its path in the object: "spec.pytorchReplicaSpecs.Worker.template".
  std::string field;
  /// The same as a JSON pointer: "/spec/pytorchReplicaSpecs/Worker/template".
  std::string pointer;
  /// The template of Jobs that it is in; nullopt if no Jobs make the pods.
  std::optional<simdjson::dom::element> jobs = std::nullopt;
  /// What led to it; null for what TemplatesAt() returns.
  const policies::admission::TemplateSpec* spec = nullptr;
  /// The bytes of a key in its path that has more than kMaxKey, of which `field` and `pointer` have
  /// only the beginning. 0 if there is none.
  std::size_t long_key = 0;
};

/// Returns the templates at `pointer`, in the order of the object; empty if there are none.
/// `pointer` is a JSON pointer (RFC 6901) in which "*" stands for every member of an object or
/// array: "/spec/pytorchReplicaSpecs/*/template". Values that are not objects are no templates.
/// Stops after kMaxTemplates and one more, so that its caller sees that there are too many.
std::vector<FoundTemplate> TemplatesAt(simdjson::dom::element object, std::string_view pointer);

/// Returns the template of the pods in a template of Jobs; nullopt if it has none.
std::optional<FoundTemplate> PodsOfJobs(const FoundTemplate& jobs);

/// Returns JSON pointers to what looks like pod templates, objects whose spec has a list of
/// containers, in the order of the object and without duplicates. "*" stands for the items of an
/// array: "/spec/workerGroupSpecs/*/template". At most kMaxTemplates.
std::vector<std::string> LikelyTemplates(simdjson::dom::element object);

/// The most templates of one object that are read. Operators have one for each replica type, so
/// real objects have fewer.
inline constexpr std::size_t kMaxTemplates = 64;

/// The most bytes of a key of an object that leads to a template, such as "Worker". What is said of
/// a template names its path, once for each of its containers.
inline constexpr std::size_t kMaxKey = 253;

}  // namespace berth::admission
