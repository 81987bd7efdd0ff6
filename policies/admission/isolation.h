#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Keeps pods that ask for no accelerator off the nodes that have some, where they would take the
/// cpu and memory that the accelerators need: label accelerator DoesNotExist in every term of the
/// required node affinity. Terms are ORed, so one left out would let the pod in.
///
/// Not pods with claims, which may be for devices, and not those that have their node already. Left
/// alone are pods whose own selector wants such nodes, and pods annotated allow-accelerator-nodes
/// in a namespace that permits it.
class IsolationPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "isolation";
  static constexpr std::string_view kConfigKey = "isolation";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Pods that ask for no accelerator stay off the nodes that have some";
  using Config = NoConfig;

  IsolationPolicy(const PolicyContext& context, const NoConfig&);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  bool IsConcerned(const model::PodTemplate& pod) const;
  bool AsksToBeLetIn(const model::PodTemplate& pod) const;
  bool WantsAccelerators(const model::PodTemplate& pod) const;
  bool WantsAccelerators(const model::NodeRequirement& requirement) const;
  bool IsIsolated(const model::PodTemplate& pod) const;

  const model::AcceleratorCatalog& catalog_;
  model::NodeRequirement no_accelerator_;
  std::string allowed_annotation_;
};

}  // namespace berth::policies::admission
