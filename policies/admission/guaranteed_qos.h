#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/device_shares.h"
#include "policies/admission/guaranteed_qos_config.h"
#include "policies/admission/policy.h"
#include "policies/admission/unknown_devices.h"

namespace berth::policies::admission {

/// Gives pods the QoS class Guaranteed, so that none of them can use what its neighbours were
/// promised. Request and limit of cpu and memory become equal in every container, including init
/// containers and sidecars. If spec.resources is set, they become equal only there. Zero counts as
/// not set.
///
///   a container has                      it gets
///   a limit, no request                  the request
///   a request, no limit                  the limit
///   a memory request below its limit     the request raised
///   a cpu request below its limit        what CpuRule says
///   a request above its limit            nothing; an objection, as nobody knows which was meant
///   neither                              what MissingLimits says
///
/// Equal pairs and other resources stay as they are.
class GuaranteedQosPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "guaranteed-qos";
  static constexpr std::string_view kConfigKey = "guaranteedQos";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Request and limit of cpu and memory become the same, so that pods are Guaranteed";
  using Config = GuaranteedQosConfig;

  /// `config` must have passed Validate. `context.catalog` must outlive the policy.
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

  // Whether containers of the pod may get default sizes.
  bool MayFill(const model::PodTemplate& pod) const;
  // What the pod's devices bring with them.
  DeviceShares SharesOf(const model::PodTemplate& pod) const;

  const model::AcceleratorCatalog& catalog_;
  const UnknownDevices unknown_;
  const GuaranteedQosConfig config_;
  // Full names, with the prefix.
  const std::string models_annotation_;
  const std::string retryless_annotation_;
};

}  // namespace berth::policies::admission
