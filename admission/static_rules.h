#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/cel_facts.h"
#include "policies/admission/config.h"
#include "policies/admission/request.h"

// The rules of the static policies, in CEL. See static_policies.h for what becomes of them.

namespace berth::admission {

/// A variable of a policy. Its expression may name variables that come before it, and objects of
/// both kinds: pods and Jobs.
struct CelVariable {
  std::string_view name;
  std::string expression;
};

/// Changes of pods and Jobs that are being created.
struct StaticMutation {
  std::vector<CelVariable> variables;
  /// Evaluates to the operations of a JSON patch; empty if no policy changes anything.
  std::string patch;
  /// Whether it also changes something about pods of DaemonSets.
  bool of_daemons = false;
};

/// What one policy objects to.
struct StaticValidation {
  /// The policy's kName.
  std::string_view policy;
  policies::admission::Mode mode;
  /// Whether pods, or Jobs, are judged.
  bool pods = true;
  bool jobs = true;
  /// The last one is `objections`, a list of texts: those of the new object that the old one, if
  /// there is one, does not deserve as well.
  std::vector<CelVariable> variables;
  /// What to write instead.
  std::string advice;
};

/// The changes of the policies in mode Enforce. All are made at once, because kube-apiserver does
/// not promise in which order it applies several policies, and retries depend on the limits that an
/// author has written.
StaticMutation MutationOf(const CelFacts& facts,
                          const policies::admission::PoliciesConfig& policies);

/// The objections of the policies that are not Off.
std::vector<StaticValidation> ValidationsOf(const CelFacts& facts,
                                            const policies::admission::PoliciesConfig& policies);

}  // namespace berth::admission
