#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/object_templates.h"
#include "admission/review.h"
#include "policies/admission/config.h"
#include "policies/admission/engine.h"

namespace berth::admission {

/// How the objects of a namespace are reviewed. The namespace's labels select a path of the
/// webhook, and the path selects these rules.
struct NamespaceRules {
  policies::admission::Mode mode = policies::admission::Mode::kWarn;
  /// Whether pods may ask for nodes with accelerators without asking for accelerators.
  bool accelerator_nodes_allowed = false;
};

/// The result of one review. Default: allowed, without changes and remarks.
struct Verdict {
  Answer answer;
  /// What each policy did, for metrics and the log.
  std::vector<policies::admission::PolicyEffect> effects;
  /// Whether the object could not be read. Then it is denied, or a warning names the field.
  bool unreadable = false;
  /// For an object with pod templates, which is allowed: whether its pods would be denied.
  bool pods_denied = false;
};

/// What would become of a stored object if it were created again.
struct Fate {
  /// Whether Berth knows the kind. If not, the rest says nothing.
  bool judged = false;
  /// The object as it would be created: a pod is bound to no node yet, and has no QoS class. Empty
  /// for an object with templates.
  model::Workload created;
  /// What the engine makes of it, or of the pods of its templates.
  policies::admission::Outcome outcome;
};

/// Reads the objects under review and lets the engine judge them, by one configuration. A changed
/// configuration takes a new Reviewer. Immutable, so thread-safe. Its functions do no I/O and never
/// block. An object that cannot be read is denied in mode Enforce, and otherwise causes a warning.
class Reviewer {
 public:
  /// `templates` must have passed policies::admission::Validate. `kueue` says whether Kueue counts
  /// the requests of what has its label; then authors learn of requests that their pods will get.
  Reviewer(std::shared_ptr<const policies::admission::AdmissionEngine> engine,
           std::vector<policies::admission::TemplateSpec> templates, bool kueue = false);

  /// Answers for a mutating webhook. Changes pods and Jobs that are being created, and denies those
  /// that policies reject. Keeps updates of them from undoing that. Records the creator, and the
  /// size of the gang, in templates of configured kinds. Allows everything else; an unknown kind
  /// causes a warning.
  Verdict Mutate(const Review& review, const NamespaceRules& rules) const;

  /// Answers for a validating webhook. Denies pods and Jobs whose final state breaks a policy. For
  /// other kinds it warns of what will happen to their pods, and denies only templates that must
  /// not say what they say, and objects of configured kinds with templates that cannot be read,
  /// unless they were stored with such. Never changes anything.
  Verdict Validate(const Review& review, const NamespaceRules& rules) const;

  /// Answers if only the front of a review is known, or its outline (see ReadReviewFront and
  /// ReadReviewOutline). A pod, a Job or an object of a configured kind is denied with `reason` in
  /// mode Enforce. All others are allowed, with a warning, and so are updates unless they are to
  /// blame, or change who created a pod or Job: else nobody could write what is stored, controllers
  /// included. If Berth was busy, updates may come again, so they are denied.
  Verdict Unread(const Review& known, const NamespaceRules& rules, std::string_view reason,
                 Denial cause) const;

  /// Whether the object before an UPDATE is one that could be read. Of an object of a configured
  /// kind only its templates have limits, besides those of the parser. False if there is none.
  bool CanReadStored(const Review& update) const;

  /// What both webhooks together would say about an object that is being created. Says nothing
  /// about unknown kinds. For `berth mutate`.
  Verdict Preview(const Review& review, const NamespaceRules& rules) const;

  /// Foretells what both webhooks together would do with an object that is stored, if it were
  /// created again. The review has the object, its kind and its namespace, and the user who would
  /// create it. Returns InvalidArgument if the object cannot be read. For `berth report`.
  absl::StatusOr<Fate> Foretell(const Review& review, const NamespaceRules& rules) const;

  /// Returns why Preview() says nothing about an object that may have pods: a kind or an API
  /// version that Berth does not know, and what to write instead. Empty for what it reviews, and
  /// for the kinds of Kubernetes' own groups that have no pods, such as ConfigMap.
  std::string WhyNotReviewed(const Review& review) const;

 private:
  // How Berth treats what is under review: not at all, as an object to judge, as templates to
  // preview, or as a kind that it does not know.
  enum class Subject { kNone, kObject, kTemplates, kUnknownKind };

  Subject SubjectOf(const Review& review) const;
  // The configured templates of that kind.
  std::vector<const policies::admission::TemplateSpec*> SpecsOf(const GroupVersionKind& kind) const;
  // The engine's outcome as an answer, without the patch.
  Verdict VerdictOf(policies::admission::Outcome outcome) const;
  // For updates of pods and Jobs.
  Verdict Keep(const Review& review, const NamespaceRules& rules) const;
  // For pods and Jobs.
  Verdict ValidateObject(const Review& review, const NamespaceRules& rules) const;
  // Judges what an update of a pod or Job changes, by the outlines of both states. Says nothing of
  // other kinds, nor if the objects are not known.
  Verdict JudgeChange(const Review& update, const NamespaceRules& rules) const;
  // Allows an update that is not judged because what is stored cannot be read, as `error` says,
  // unless it changes who created the object.
  Verdict AllowUnread(const Review& update, const NamespaceRules& rules,
                      const absl::Status& error) const;

  // For objects of configured kinds that are being created. Denies those with a template that it
  // cannot read, because what such a template claims of its pods is believed later.
  Verdict MarkTemplates(const Review& review, const NamespaceRules& rules) const;
  // Whether Kueue counts the requests in the object's templates. Of Kubernetes' own kinds it counts
  // those of their Jobs and pods, which Berth has changed by then.
  bool IsCountedByKueue(const Review& review) const;
  // For objects with templates. An update is previewed only for templates that it changes.
  Verdict PreviewTemplates(const Review& review, const NamespaceRules& rules) const;
  // Reads the pod templates of the object, which is one of the two under review.
  ObjectTemplates Read(const Review& review, simdjson::dom::element object) const;

  std::shared_ptr<const policies::admission::AdmissionEngine> engine_;
  std::vector<policies::admission::TemplateSpec> templates_;
  bool kueue_;
};

}  // namespace berth::admission
