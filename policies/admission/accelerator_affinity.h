#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Makes the annotation accelerators of a pod that asks for some, "A100,V100", a required node
/// affinity to the label accelerator, so that it holds whoever schedules the pod. Their order is a
/// wish that only Berth's extender knows. Objects to models that the catalogue lacks, and to those
/// whose resource the pod does not ask for.
class AcceleratorAffinityPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "accelerator-affinity";
  static constexpr std::string_view kConfigKey = "acceleratorAffinity";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Models named by annotation become a required node affinity";
  using Config = NoConfig;

  AcceleratorAffinityPolicy(const PolicyContext& context, const NoConfig&);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // What the annotation says: the models, each once; the first of them that cannot be had.
  struct Named {
    std::vector<std::string_view> models;
    std::string_view faulty;
  };
  Named ModelsOf(const model::PodTemplate& pod) const;
  bool CanBeHad(std::string_view model, const model::PodTemplate& pod) const;

  const model::AcceleratorCatalog& catalog_;
  std::string label_;
  std::string annotation_;
};

}  // namespace berth::policies::admission
