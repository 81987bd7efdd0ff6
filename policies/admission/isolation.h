#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"
#include "policies/admission/unknown_devices.h"

namespace berth::policies::admission {

/// Keeps pods that ask for no accelerator off nodes with accelerators, where they would use the cpu
/// and memory that the accelerators need. It adds this requirement to every term of the required
/// node affinity:
///
///   {key: berth.dev/accelerator, operator: DoesNotExist}
///
/// Terms are ORed, so a term without it would let the pod in. `berth controller` writes the label.
///
/// The policy does not apply to pods with resource claims, which may be for devices, to pods that
/// ask for unknown devices, which may be accelerators, and to pods that already have a node. It
/// leaves pods alone whose own node selector or affinity asks for such
/// nodes, and pods annotated allow-accelerator-nodes in a namespace that permits it.
class IsolationPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "isolation";
  static constexpr std::string_view kConfigKey = "isolation";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Pods that ask for no accelerator stay off the nodes that have some";
  using Config = NoConfig;

  IsolationPolicy(const PolicyContext& context, const NoConfig&);

  /// Returns true if the pod is kept off afterwards.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to pods that may run on nodes with accelerators. Never objects to objects that make
  /// pods.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // Whether the policy applies to the pod, unless it asks for unknown devices.
  bool IsConcerned(const model::PodTemplate& pod) const;

  // Whether the pod has the annotation allow-accelerator-nodes.
  bool AsksToBeLetIn(const model::PodTemplate& pod) const;

  // Whether the pod's own node selector or affinity asks for nodes with accelerators.
  bool WantsAccelerators(const model::PodTemplate& pod) const;
  // Whether a requirement asks for Berth's label, or for a label by which the catalogue recognises
  // nodes.
  bool WantsAccelerators(const model::NodeRequirement& requirement) const;

  // Whether every term of the pod's node affinity has the requirement.
  bool IsIsolated(const model::PodTemplate& pod) const;

  const model::AcceleratorCatalog& catalog_;
  const UnknownDevices unknown_;
  // The requirement that the policy adds.
  model::NodeRequirement no_accelerator_;
  // Full name, with the prefix.
  std::string allowed_annotation_;
};

}  // namespace berth::policies::admission
