#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Records who created a pod or Job in the annotation created-by: on Jobs and the template of their
/// pods, and on pods that no controller makes. It replaces an earlier value, so nobody can pass for
/// somebody else.
///
///   who creates the pod or Job        created-by
///   no controller                     that user
///   the Job controller                what the Job's template has: the Job's creator
///   the CronJob controller            its service account, which creates the Job
///   a controller, for an owner of     what the owner's template has: the owner's creator; for a
///   Job a configured kind                 without it, the controller another controller removed
///   from the pod
///
/// In the last case nobody has recorded the value that the template claims: the policy never
/// changes templates of Deployments and their like. It objects if a template names anybody but the
/// user who writes it, because people believe what they read there. For the same reason it objects
/// to updates of pods, and of Jobs' templates, that change the annotation, and removes it from pods
/// of DaemonSets, too.
class CreatorPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "creator";
  static constexpr std::string_view kConfigKey = "creator";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Annotation created-by: the user who created a pod or Job";
  using Config = NoConfig;
  /// Of a user's longer name, the beginning and "..." are recorded, which have as many bytes
  /// together. The API server limits no name, but all annotations of an object to 256 KiB, and an
  /// object may have many templates. A service account has a name of some 340 bytes at most.
  static constexpr std::size_t kMaxNameBytes = 1024;

  CreatorPolicy(const PolicyContext& context, const NoConfig&);

  /// Returns true if it recorded the creator. Returns false for templates, for pods of controllers,
  /// and if the request names no user.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to an update of a pod, or of a Job's template, that changes who created it, unless a
  /// controller copies that from a template in which the policy has recorded it. Of Jobs that are
  /// applied again, AdmissionEngine::Keep() has restored it by then.
  std::vector<Objection> JudgeUpdate(const Request& request, const model::Workload& workload,
                                     const model::Workload& before) const override;

  /// What the template of a DaemonSet claims is as untrue as in any other. Without the annotation
  /// its pods start as well.
  bool ReachesDaemons() const override { return true; }

  /// Records the creator in the template, unless a controller copies it from a reviewed one.
  void MutateTemplate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to a template that names another creator, unless a controller wrote it: the
  /// controller's own template was judged when its author wrote it.
  std::vector<Objection> JudgeTemplate(const Request& request,
                                       const model::Workload& workload) const override;

 private:
  // Writes `user` on the object and its pods.
  void Record(const std::string& user, Draft& draft, Remarks& remarks) const;
  // The same at one place.
  void Record(const std::string& user, Metadata where, Draft& draft, Remarks& remarks) const;
  // Removes the annotation of the pods.
  void Disclaim(Draft& draft, Remarks& remarks) const;

  // Full name, with the prefix.
  std::string annotation_;
};

}  // namespace berth::policies::admission
