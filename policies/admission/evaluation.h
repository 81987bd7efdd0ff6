#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/draft.h"
#include "policies/admission/engine.h"
#include "policies/admission/wording.h"

namespace berth::policies::admission {

/// The prefix of a warning that tells what was done, or why the object is denied.
inline constexpr std::string_view kWarningPrefix = "berth: ";

/// The evaluation of one object, or of its templates one by one: asks the policies, each in its
/// mode, and collects what they say. Not thread-safe. A part of the engine, which must outlive it.
class AdmissionEngine::Evaluation {
 public:
  /// `previews`: the object has templates, of whose pods the policies speak; nothing is enforced.
  Evaluation(const AdmissionEngine& engine, Request request, bool previews);

  /// Applies the enforced policies to `enforced`, and all policies to `proposed`.
  void Mutate(Draft& enforced, Draft& proposed);

  /// Returns what the enforced policies make of the workload, without any remarks.
  model::Workload Made(model::Workload workload) const;

  /// Lets the policies see all templates of an object.
  void SeeTogether(std::vector<model::Workload>& templates) const;

  /// Applies the enforced policies to the template of an object that is stored with it.
  model::Workload Marked(model::Workload workload);

  /// Applies all policies to `proposed` without any remarks.
  void Propose(Draft& proposed) const;

  /// Collects the objections to the present state that did not apply to `before`, which may be
  /// null.
  void Judge(const model::Workload& enforced, const model::Workload& proposed,
             const model::Workload* before);

  /// Collects the objections to the update alone, whatever the present state is.
  void JudgeUpdate(const model::Workload& workload, const model::Workload& before);

  /// Collects the objections to the template itself that did not apply to `before`, which may be
  /// null.
  void JudgeTemplate(const model::Workload& workload, const model::Workload* before);

  /// Whether some policy only warns, so that a proposed state is needed.
  bool any_only_warns() const { return any_only_warns_; }

  /// The policies that hold for the object as Mutate() has left it, joined by ",".
  const std::string& holding() const { return holding_; }

  /// Returns what was collected. Call it once, at the end.
  Outcome Finish(model::Workload workload);

 private:
  const AdmissionPolicy& PolicyOf(std::size_t i) const { return *engine_.members_[i].policy; }
  Mode ModeOf(std::size_t i) const;
  bool Enforces(Mode mode) const { return mode == Mode::kEnforce && !previews_; }
  bool AnyOnlyWarns() const;
  // Applies a policy to the proposed state. In a preview, also notes what it does to requests.
  void TryOut(std::size_t i, Draft& proposed, Remarks& remarks);
  void Enforce(std::size_t i, Draft& draft);
  // Denies for the objections of a policy, or only warns of them, as its mode is.
  void Raise(std::size_t i, const std::vector<Objection>& objections);
  void Deny(std::size_t i, const std::vector<Objection>& objections);
  // What a policy objects to in the workload, without what applied to `before`, which may be null,
  // and in the update from there.
  std::vector<Objection> ObjectionsOf(std::size_t i, const model::Workload& workload,
                                      const model::Workload* before) const;

  const AdmissionEngine& engine_;
  const Request request_;
  const bool previews_;
  // Of all policies, in the order of the engine's list.
  std::vector<PolicyEffect> effects_;
  const bool any_only_warns_ = AnyOnlyWarns();
  Warnings warnings_;
  Denial denial_;
  bool pods_denied_ = false;
  bool requests_change_ = false;
  std::string holding_;
};

}  // namespace berth::policies::admission
