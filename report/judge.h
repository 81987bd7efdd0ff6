#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/reviewer.h"
#include "policies/admission/config.h"
#include "policies/scheduling/engine.h"
#include "report/object.h"
#include "simdjson.h"

namespace berth::report {

/// Reads the objects of a cluster one by one, and foretells what enforcing would do with each, by
/// the engines that the webhook and the extender use. Immutable, so thread-safe. No I/O, no clock.
///
/// A stored object is judged as if whoever created it created it again. Of an object that a
/// controller owns that is the controller: so a pod is judged as the template that it was made of,
/// together with what the API server and other webhooks have added.
class Judge {
 public:
  /// What is judged by. All of it is made of one configuration.
  struct Rules {
    std::shared_ptr<const admission::Reviewer> reviewer;
    std::shared_ptr<const policies::scheduling::SchedulingEngine> scheduling;
    /// policies::admission::AllControllers().
    std::vector<policies::admission::ControllerSpec> controllers;
    /// The names of the admission policies in mode Warn.
    std::vector<std::string_view> only_warning;
    /// The namespace whose objects are looked at, beside nodes; empty: all objects are.
    std::string only_namespace = {};
  };

  explicit Judge(Rules rules);

  /// Returns what is read of `object`; of a list, of each of its items; nothing of objects of other
  /// namespaces than Rules::only_namespace. `kind` and `api_version` hold for an object that has
  /// none, as the items of a PodList.
  std::vector<Seen> Look(simdjson::dom::element object, std::string_view kind = "",
                         std::string_view api_version = "") const;

 private:
  struct Identity;

  bool IsLeftOut(const Identity& identity) const;
  void LookAt(simdjson::dom::element object, const Identity& identity,
              std::vector<Seen>& seen) const;
  Seen JudgedPodOrMaker(simdjson::dom::element object, const Identity& identity) const;
  // The user who would create what that owner controls.
  policies::admission::User CreatorFor(const model::OwnerReference& owner) const;
  // What enforcing would do, and the object as it would be.
  struct Foretold;
  absl::StatusOr<Foretold> Foretell(simdjson::dom::element object, const Identity& identity,
                                    bool accelerator_nodes_allowed) const;
  Opinion OpinionOf(const policies::admission::Outcome& outcome, bool is_template) const;
  void AddFindings(const policies::admission::PolicyEffect& effect, bool is_template,
                   Opinion& opinion) const;
  bool OnlyWarns(std::string_view policy) const;
  // What the pod takes; nullopt if it has ended or cannot be read.
  std::optional<PodUse> UseOf(const model::Pod& pod, const Foretold& foretold) const;

  const Rules rules_;
  // Full names of Berth's labels of namespaces; the latter is also an annotation of pods.
  const std::string mode_label_;
  const std::string allow_name_;
};

}  // namespace berth::report
