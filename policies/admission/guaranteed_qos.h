#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Gives pods the QoS class Guaranteed, so that none of them can use what its neighbours were
/// promised. Request and limit of cpu and memory become equal in every container, including init
/// containers and sidecars. If spec.resources is set, they become equal only there. Zero counts as
/// not set.
///
/// The policy keeps what a container sets, and fills in what it leaves open, as configured. It
/// keeps a request above its own limit, too, and objects to it: nobody can tell which of the two
/// was meant.
class GuaranteedQosPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "guaranteed-qos";
  static constexpr std::string_view kConfigKey = "guaranteedQos";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Request and limit of cpu and memory become the same, so that pods are Guaranteed";
  using Config = GuaranteedQosConfig;

  GuaranteedQosPolicy(const PolicyContext& context, const GuaranteedQosConfig& config);

  /// Returns true if the pods are Guaranteed afterwards, or may lack limits.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to whatever keeps the pods from being Guaranteed.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // Sets the default sizes of containers that set nothing.
  void FillContainers(Draft& draft, Remarks& remarks) const;
  // Sets the default size of spec.resources.
  void FillPod(Draft& draft, Remarks& remarks) const;
  // Marks a Job that may lack limits as one without retries, and removes the mark from all others.
  void MarkRetryless(Draft& draft, Remarks& remarks) const;
  // Whether missing limits are allowed: for Jobs, and pods of Jobs, that are never retried.
  bool MayLackLimits(const Request& request, const model::Workload& workload) const;

  const model::AcceleratorCatalog& catalog_;
  const GuaranteedQosConfig config_;
  const std::string models_annotation_;
  const std::string retryless_annotation_;
};

}  // namespace berth::policies::admission
