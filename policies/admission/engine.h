#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/workload.h"
#include "policies/admission/config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// What one policy did, for the audit log and metrics.
struct PolicyEffect {
  std::string_view policy;
  /// Whether it changed the object; never where that is denied.
  bool changed = false;
  /// Whether it denied it.
  bool denied = false;
  /// Whether it would have changed or denied it, had its mode, or the namespace's, been Enforce.
  bool would = false;
  /// What it said, joined by "; ", on one line of at most kMaxEffectText bytes.
  std::string text;
};

/// What comes of one object.
struct Outcome {
  /// The object as it is to be; as it was where it is denied or nothing is to be changed. Empty
  /// where its pods are foretold.
  model::Workload workload;
  /// For the user; none where the object is denied. See wording.h for their bounds.
  std::vector<std::string> warnings;
  /// Why it is denied; empty: it is not.
  std::string denial;
  /// Whether pods of the templates that were foretold would be denied; the warnings say why.
  bool pods_denied = false;
  /// Of the policies that had something to say, in the order of the list.
  std::vector<PolicyEffect> effects;
};

/// The only caller of the policies. Immutable, so thread-safe.
class AdmissionEngine {
 public:
  /// `config` has passed Validate. `version` is Berth's own, for the annotation `applied`.
  AdmissionEngine(std::shared_ptr<const model::AcceleratorCatalog> catalog, std::string prefix,
                  std::string version, const AdmissionConfig& config);
  AdmissionEngine(const AdmissionEngine&) = delete;
  AdmissionEngine& operator=(const AdmissionEngine&) = delete;

  /// For a pod or Job that is being created.
  Outcome Mutate(Request request, model::Workload workload) const;

  /// For a pod or Job as it is to be stored; `before` is what it was, or null at its creation. What
  /// was wrong before is no reason to deny it now.
  Outcome Validate(Request request, model::Workload workload, const model::Workload* before) const;

  /// For an object with templates of pods, which is never changed or denied: warns of what its pods
  /// will be made, or denied for, so that its author hears it, and not a controller's log. One
  /// workload for each template; what is the same of several is said once.
  Outcome PreviewPods(Request request, const std::vector<model::Workload>& templates) const;

  const std::string& prefix() const { return prefix_; }
  const std::string& version() const { return version_; }

 private:
  struct Member {
    std::string_view name;
    Mode mode;
    std::unique_ptr<AdmissionPolicy> policy;
  };
  class Evaluation;

  // Whether the policies have a say at all; completes the request.
  bool Concerns(Request& request, const model::Workload& workload) const;
  void NoteApplied(std::string holding, Draft& draft) const;

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::string prefix_;
  std::string version_;
  std::string applied_annotation_;
  std::vector<ControllerSpec> controllers_;
  std::vector<Member> members_;
};

}  // namespace berth::policies::admission
