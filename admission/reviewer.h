#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/review.h"
#include "policies/admission/config.h"
#include "policies/admission/engine.h"

namespace berth::admission {

/// What an object's namespace says of how it is reviewed.
struct NamespaceRules {
  policies::admission::Mode mode = policies::admission::Mode::kWarn;
  /// Whether its pods may ask for nodes with accelerators without asking for accelerators.
  bool accelerator_nodes_allowed = false;
};

/// What came of one review.
struct Verdict {
  Answer answer;
  /// By policy, for metrics and the log.
  std::vector<policies::admission::PolicyEffect> effects;
  /// The object could not be read: it is denied, or there is a warning, with the field.
  bool unreadable = false;
  /// Of an object that is let in: whether its pods would be denied.
  bool pods_denied = false;
};

/// Has the engine judge what is under review, by one configuration. Immutable, so thread-safe.
class Reviewer {
 public:
  /// `templates` have passed admission::Validate.
  Reviewer(std::shared_ptr<const policies::admission::AdmissionEngine> engine,
           std::vector<policies::admission::TemplateSpec> templates);

  /// For a mutating webhook: changes pods and Jobs that are being created, nothing else.
  Verdict Mutate(const Review& review, const NamespaceRules& rules) const;

  /// For a validating webhook: denies pods and Jobs whose final state breaks a policy; warns of
  /// what will become of the pods of other kinds.
  Verdict Validate(const Review& review, const NamespaceRules& rules) const;

  /// Of a review of which no more than the front is known, see ReadReviewFront: an object that
  /// would be judged is denied where that is enforced, else there is a warning, in either case with
  /// `reason`.
  Verdict Unread(const Review& front, const NamespaceRules& rules, std::string_view reason,
                 Denial cause) const;

  /// What both together say of an object that is being created, as far as they know its kind.
  Verdict Preview(const Review& review, const NamespaceRules& rules) const;

 private:
  enum class Subject { kNone, kObject, kTemplates, kUnknownKind };

  Subject SubjectOf(const Review& review) const;
  std::vector<const policies::admission::TemplateSpec*> SpecsOf(const GroupVersionKind& kind) const;
  Verdict VerdictOf(policies::admission::Outcome outcome) const;
  Verdict ValidateObject(const Review& review, const NamespaceRules& rules) const;
  Verdict PreviewTemplates(const Review& review, const NamespaceRules& rules) const;
  absl::StatusOr<std::vector<model::Workload>> WorkloadsOf(const Review& review,
                                                           simdjson::dom::element object) const;

  std::shared_ptr<const policies::admission::AdmissionEngine> engine_;
  std::vector<policies::admission::TemplateSpec> templates_;
};

}  // namespace berth::admission
