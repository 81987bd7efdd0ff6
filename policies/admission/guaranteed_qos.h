#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Makes pods of QoS class Guaranteed, so that none of them can eat what its neighbours were
/// promised: request and limit of cpu and memory become the same in every container, init
/// containers and sidecars included; where spec.resources is set, in it alone. Zero counts as not
/// set. What a container says stands; what it leaves open is filled in as configured. A request
/// above its own limit stands, too, and is objected to: nobody can tell which of both was meant.
class GuaranteedQosPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "guaranteed-qos";
  static constexpr std::string_view kConfigKey = "guaranteedQos";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Request and limit of cpu and memory become the same, so that pods are Guaranteed";
  using Config = GuaranteedQosConfig;

  GuaranteedQosPolicy(const PolicyContext& context, const GuaranteedQosConfig& config);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  void FillContainers(Draft& draft, Remarks& remarks) const;
  void FillPod(Draft& draft, Remarks& remarks) const;
  void MarkRetryless(Draft& draft, Remarks& remarks) const;
  bool MayLackLimits(const Request& request, const model::Workload& workload) const;

  const model::AcceleratorCatalog& catalog_;
  const GuaranteedQosConfig config_;
  const std::string models_annotation_;
  const std::string retryless_annotation_;
};

}  // namespace berth::policies::admission
