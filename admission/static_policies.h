#pragma once

#include <string>
#include <vector>

#include "admission/cel_facts.h"
#include "policies/admission/request.h"

namespace berth::admission {

/// The namespaces in which the static policies apply, besides what their labels say.
struct StaticScope {
  /// The mode of namespaces without the label `admission`.
  policies::admission::Mode unlabelled = policies::admission::Mode::kWarn;
  /// Namespaces that are left alone whatever their labels say.
  std::vector<std::string> excluded = {"kube-system"};
};

/// Returns the part of Berth's admission that kube-apiserver can do by itself, as YAML: objects of
/// admissionregistration.k8s.io/v1, of which Kubernetes 1.36 and newer have all kinds (
/// k8s.io/api/admissionregistration/v1/types.go, v0.36.3):
///
///   MutatingAdmissionPolicy    one, with what the policies in mode Enforce change
///   ValidatingAdmissionPolicy  one for each policy that objects to something
///   bindings of both           for namespaces that enforce, and that only warn
///
/// Comments at the top say what the objects do as the webhook does, and what they leave out. Where
/// they leave something out, an object that needs it is denied, never let through unsafe.
std::string StaticPoliciesYaml(const StaticSource& source, const StaticScope& scope);

}  // namespace berth::admission
