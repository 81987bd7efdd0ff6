#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "policies/admission/config.h"

// What the static policies know about an object, as expressions of CEL. See static_policies.h.

namespace berth::admission {

/// What the expressions are made from. All of it must be valid, and outlive whoever refers to it.
struct StaticSource {
  const model::AcceleratorCatalog& catalog;
  /// The prefix of Berth's labels and annotations.
  const std::string& prefix;
  const policies::admission::AdmissionConfig& admission;
};

/// Fills in templates of CEL expressions. A name between two @ stands for a literal that the
/// configuration decides, or for an expression about pods that several policies need:
///
///   @prefix@/accelerator          berth.dev/accelerator
///   @resources@                   ["nvidia.com/gpu", ...]
///   size(@asked@) > 0             whether the pods ask for accelerators
///
/// Those expressions read a pod, or a template of one, by the name that Fill() is told. They agree
/// with the functions of policies/admission/ whose names their comments give; tests/e2e/policies
/// compares both on a real kube-apiserver. Immutable, so thread-safe.
class CelFacts {
 public:
  explicit CelFacts(const StaticSource& source);

  /// Replaces the names in `text`, all of which must be known. `pod` is the CEL name of the pod or
  /// template.
  std::string Fill(std::string_view text, std::string_view pod) const;

 private:
  // What a name stands for.
  std::string Named(std::string_view name, std::string_view pod) const;

  std::map<std::string, std::string, std::less<>> literals_;
};

/// `text` as a string literal of CEL.
std::string CelText(std::string_view text);

}  // namespace berth::admission
