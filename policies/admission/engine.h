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

/// What one policy did to one object, for the audit log and metrics.
struct PolicyEffect {
  /// The policy's kName.
  std::string_view policy;
  /// Whether it changed the object; false if the object is denied.
  bool changed = false;
  /// Whether it denied the object.
  bool denied = false;
  /// Whether it would have changed or denied the object if its mode and the namespace's were
  /// Enforce.
  bool would = false;
  /// What it remarked, and what it objected to (ToString(Objection)), each once. As many as `text`
  /// has room for, and one more.
  std::vector<std::string> remarks = {};
  std::vector<std::string> objections = {};
  /// All of these, joined by "; ", on one line of at most kMaxEffectText bytes.
  std::string text;
};

/// The result for one object.
struct Outcome {
  /// The object as it is to be stored. The same as the input if the object is denied or nothing
  /// changes. Empty after PreviewPods.
  model::Workload workload;
  /// Warnings for the user, within the bounds of wording.h. Empty if the object is denied.
  std::vector<std::string> warnings;
  /// Why the object is denied; empty if it is not.
  std::string denial;
  /// After PreviewPods: whether pods of the templates would be denied. The warnings say why.
  bool pods_denied = false;
  /// After PreviewPods: whether pods will get other requests than their templates have. A limit
  /// without a request counts as one.
  bool requests_change = false;
  /// The effects of the policies that had something to say, in the order of the list.
  std::vector<PolicyEffect> effects;
};

/// The only caller of the admission policies. The webhook and `berth mutate` both use it, so they
/// cannot disagree. Owns the policies. Immutable, so thread-safe; its functions do no I/O and never
/// block.
///
/// Of the modes of the namespace and the policy, the weaker one applies. Policies in Enforce and
/// policies that only warn run side by side, on separate drafts: an enforced policy never sees a
/// change that was only proposed. All policies first change their drafts, then all judge the
/// results. So a policy that corrects a fault does not also object to it.
class AdmissionEngine {
 public:
  /// Creates every policy from its settings. `config` must have passed Validate. `prefix` is the
  /// prefix of Berth's labels and annotations. `version` is Berth's own, for the annotation
  /// `applied`.
  AdmissionEngine(std::shared_ptr<const model::AcceleratorCatalog> catalog, std::string prefix,
                  std::string version, const AdmissionConfig& config);
  AdmissionEngine(const AdmissionEngine&) = delete;
  AdmissionEngine& operator=(const AdmissionEngine&) = delete;

  /// For a pod or Job that is being created, or a manifest of one. Changes or denies it, or only
  /// warns.
  Outcome Mutate(Request request, model::Workload workload) const;

  /// For an update of a pod or Job. Applied again, a manifest would often undo what Mutate() did
  /// when the object was created. Where Mutate() would now do the same again, the result has what
  /// is `stored`, with a warning; everywhere else it is as in `update`. So nothing is ever changed
  /// that is not changed back. Changes nothing unless the mode is Enforce, and denies nothing.
  Outcome Keep(Request request, model::Workload update, const model::Workload& stored) const;

  /// For a pod or Job in its final state. `before` is its state before an update, or null at its
  /// creation. Denies or warns, but never changes the object. Objections that already applied to
  /// `before`, no worse, do not count. Of an update, policies also judge what it changes, and of an
  /// update of a pod that is being deleted nothing else: it may hold devices for long.
  Outcome Validate(Request request, model::Workload workload, const model::Workload* before) const;

  /// Judges only what an update of a pod or Job changes. Does not need more of the two than
  /// AdmissionPolicy::JudgeUpdate() reads. Denies or warns. The outcome has no workload.
  Outcome JudgeUpdate(Request request, const model::Workload& workload,
                      const model::Workload& before) const;

  /// For an object with pod templates, which Berth never changes. Warns of the changes and denials
  /// that its pods will meet, so that its author sees them and not only a controller's log. Denies
  /// only what a template itself must not say. `templates` has one workload for each template,
  /// which differ only in their pods. A remark that applies to several is given once. For an
  /// update, `before` has the templates of the stored object; what was wrong with those is no
  /// reason to deny.
  Outcome PreviewPods(Request request, std::vector<model::Workload> templates,
                      const std::vector<model::Workload>& before = {}) const;

  /// For an object of a configured kind that is being created. Changes its templates to what is to
  /// be stored, which differs only in the annotations of the pods. The outcome has no workload.
  Outcome MarkTemplates(Request request, std::vector<model::Workload>& templates) const;

  /// The prefix of Berth's labels and annotations.
  const std::string& prefix() const { return prefix_; }

  /// Berth's version.
  const std::string& version() const { return version_; }

 private:
  // A policy with its configured mode.
  struct Member {
    std::string_view name;
    Mode mode;
    std::unique_ptr<AdmissionPolicy> policy;
  };
  class Evaluation;

  // Fills in what the engine sets in requests.
  void Complete(Request& request, const model::Workload& workload) const;
  // Completes the request, and returns whether policies apply to the workload at all.
  bool Concerns(Request& request, const model::Workload& workload) const;
  // Records in the annotation `applied` which policies hold for the object.
  void NoteApplied(std::string holding, Draft& draft) const;

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::string prefix_;
  std::string version_;
  // Full names of the annotations `applied` and `created-by`.
  std::string applied_annotation_;
  std::string created_by_annotation_;
  // To which the policies refer.
  std::vector<std::string> ordinary_resources_;
  std::vector<std::string> fraction_annotations_;
  // Kubernetes' own controllers, the configured ones, and those of the configured frameworks.
  std::vector<ControllerSpec> controllers_;
  // The configured kinds; see TemplateSpec.
  std::vector<TemplateSpec> templates_;
  // Namespaces whose Jobs may keep their own retries.
  std::vector<std::string> own_retries_;
  // In the order of the list in policies.h.
  std::vector<Member> members_;
};

}  // namespace berth::policies::admission
