#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Makes the annotation accelerator-memory of a pod that asks for accelerators, "40Gi", a required
/// node affinity to the label accelerator-memory, which the controller writes: in whole GiB, and so
/// up to one GiB laxer than Berth's extender, never stricter. Objects to what is no size.
class AcceleratorMemoryPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "accelerator-memory";
  static constexpr std::string_view kConfigKey = "acceleratorMemory";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "The least memory of a device, named by annotation, becomes a required node affinity; "
      "without `berth controller`, which labels the nodes, it has to be Off";
  using Config = NoConfig;

  AcceleratorMemoryPolicy(const PolicyContext& context, const NoConfig&);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;
  std::vector<Objection> Judge(const Request& request,
                               const model::Workload& workload) const override;

 private:
  model::NodeRequirement AtLeast(std::int64_t gibibytes) const;

  const model::AcceleratorCatalog& catalog_;
  std::string name_;  // of the annotation, and of the label
};

}  // namespace berth::policies::admission
