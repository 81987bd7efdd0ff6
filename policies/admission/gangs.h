#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "model/gang.h"
#include "policies/admission/gangs_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Decides which pods are a gang, and holds them back by a scheduling gate, or by a PodGroup that
/// is not there yet, until the planner has nodes for all of them. docs/gangs.md says how users ask
/// for one.
///
/// What makes the pods has the number of pods written into its templates (gang-size): a Job its
/// parallelism, an object of a configured kind what TemplateSpec says. The name is found when a pod
/// is created, because the API server has not generated the names of new objects yet: it is that of
/// a group (GangsConfig), or that of the controlling owner with the first part of its uid.
///
/// A pod that states name and size, whoever wrote them, gets the gate or the PodGroup at its
/// creation. Nothing adds them later, because the API server refuses it.
class GangsPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "gangs";
  static constexpr std::string_view kConfigKey = "gangs";
  static constexpr Mode kDefaultMode = Mode::kOff;
  static constexpr std::string_view kHelp =
      "Which pods run all together or not at all, and wait for each other";
  using Config = GangsConfig;

  GangsPolicy(const PolicyContext& context, const GangsConfig& config);

  /// Returns true if the pod waits for a gang, or the pods of the Job will.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to a pod or Job that asks for a gang that cannot be.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

  /// Adds up the pods of the templates that are one gang.
  void SeeTogether(std::vector<model::Workload>& templates) const override;

  /// Writes the size of the gang into the template.
  void MutateTemplate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to a template that asks for a gang that cannot be.
  std::vector<Objection> JudgeTemplate(const Request& request,
                                       const model::Workload& workload) const override;

 private:
  using Objections = std::vector<Objection>;

  // What annotation or label say: "true", "false", or something else; nullopt if there are none.
  std::optional<std::string_view> WordOf(const model::StringMap& annotations,
                                         const model::StringMap& labels) const;
  // The word of the object that makes the pods, if the policy reads it there.
  std::optional<std::string_view> WordOfObject(const model::Workload& workload) const;
  // The word of the pods or their template.
  std::optional<std::string_view> WordOfPods(const model::Workload& workload) const;
  // The word that counts: that of the template, or else that of the object.
  std::optional<std::string_view> WordFor(const model::Workload& workload) const;
  // Whether the object starts its pods in turn, and its template does not know better.
  bool StartsInTurn(const model::Workload& workload) const;
  // Whether the pods are to be a gang.
  bool IsAsked(const model::Workload& workload) const;
  bool IsDefault(const model::Workload& workload) const;
  // The group that the pod is in, or null.
  const GangGroup* GroupOf(const model::PodTemplate& pod) const;
  // The gang of a pod. Fills in what its annotations do not say.
  absl::StatusOr<std::optional<model::Gang>> GangOf(const model::Workload& pod) const;
  // How many pods the object makes at once; nullopt if it is not known.
  std::optional<std::int64_t> SizeOf(const model::Workload& workload) const;

  bool MutatePod(Draft& draft, Remarks& remarks) const;
  // Whether the pod is held back already, or belongs to a PodGroup of somebody else.
  bool IsHeld(const model::PodTemplate& pod) const;
  // Holds the pod of that gang back, and returns by what.
  std::string HoldBack(const std::string& gang, Draft& draft) const;
  // By what pods are held back.
  std::string Holder() const;
  // For Jobs and templates of configured kinds.
  void MutateOwner(Draft& draft, Remarks& remarks) const;
  void CopyToPods(Draft& draft) const;

  Objections JudgePod(const Request& request, const model::Workload& pod) const;
  // The objection to a pod of a gang of so many pods that is not held back.
  Objection Unheld(const std::string& pods) const;
  Objections JudgeOwner(const Request& request, const model::Workload& workload) const;
  // The objections to what is written, whatever it is about.
  void JudgeWords(const model::Workload& workload, Objections& objections) const;
  void JudgeAnnotations(const model::Workload& workload, Objections& objections) const;
  // The objections to the number of pods.
  void JudgeSize(const model::Workload& workload, Objections& objections) const;
  void JudgeMissingSize(const model::Workload& workload, Objections& objections) const;
  void JudgeMadeSize(const model::Workload& workload, std::int64_t size,
                     Objections& objections) const;

  model::GangNames names_;
  GangsConfig config_;
};

}  // namespace berth::policies::admission
