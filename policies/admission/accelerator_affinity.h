#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Turns the annotation accelerators ("A100,V100") of a pod that asks for accelerators into a
/// required node affinity:
///
///   {key: berth.dev/accelerator, operator: In, values: [A100, V100]}
///
/// So the requirement holds whichever scheduler places the pod. The order of the models is a
/// preference that only Berth's extender applies. `berth controller` writes the label.
///
/// Objects to models that the catalogue lacks, and to models whose resource the pod does not
/// request.
class AcceleratorAffinityPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "accelerator-affinity";
  static constexpr std::string_view kConfigKey = "acceleratorAffinity";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Models named by annotation become a required node affinity";
  using Config = NoConfig;

  AcceleratorAffinityPolicy(const PolicyContext& context, const NoConfig&);

  /// Adds the requirement to the node affinity. Changes nothing if a model is faulty; Judge()
  /// objects to that.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to the first faulty model only.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // The models in the annotation, without duplicates, up to the first faulty one. `faulty` is that
  // model, or empty.
  struct Named {
    std::vector<std::string_view> models;
    std::string_view faulty;
  };
  Named ModelsOf(const model::PodTemplate& pod) const;
  // Whether the catalogue has the model and the pod requests its resource, or that of a slice.
  bool CanBeHad(std::string_view model, const model::PodTemplate& pod) const;
  // The models that the pod may name.
  std::vector<std::string_view> ModelsThatServe(const model::PodTemplate& pod) const;

  const model::AcceleratorCatalog& catalog_;
  // Full names, with the prefix.
  std::string label_;
  std::string annotation_;
};

}  // namespace berth::policies::admission
