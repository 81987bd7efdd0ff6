#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Turns the annotation accelerator-memory ("40Gi") of a pod that asks for accelerators into a
/// required node affinity:
///
///   {key: berth.dev/accelerator-memory, operator: Gt, values: ["39"]}
///
/// `berth controller` writes that label, in whole GiB. So the affinity is up to one GiB more
/// lenient than Berth's extender, and never stricter. A node whose memory is not known has no such
/// label.
///
/// Objects to a value that is not a size from 1Mi to 64Pi.
class AcceleratorMemoryPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "accelerator-memory";
  static constexpr std::string_view kConfigKey = "acceleratorMemory";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "The minimum memory of a device, named by annotation, becomes a required node affinity; "
      "without `berth controller`, which labels the nodes, the mode has to be Off";
  using Config = NoConfig;

  AcceleratorMemoryPolicy(const PolicyContext& context, const NoConfig&);

  /// Adds the requirement to the node affinity. Changes nothing if the value is not a size.
  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

  /// Objects to the annotation of a pod that asks for accelerators, if it is not a size.
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  // The requirement of at least that many GiB for each device. With 0, the label only has to exist.
  model::NodeRequirement AtLeast(std::int64_t gibibytes) const;

  const model::AcceleratorCatalog& catalog_;
  std::string name_;  // of the annotation, and of the label
};

}  // namespace berth::policies::admission
