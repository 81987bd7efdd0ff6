#pragma once

#include <cstdint>
#include <string_view>

#include "policies/scheduling/policy.h"

namespace berth::scheduling {

/// Best fit: the fewer devices a node has left after the pod, relative to all its devices, the
/// better. Never refuses: counting devices is kube-scheduler's business (NodeResourcesFit).
class PackingPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "packing";
  static constexpr std::int32_t kDefaultWeight = 2;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp = "Nodes that are fullest with the pod come first";
  using Config = NoConfig;

  PackingPolicy(const PolicyContext& context, const NoConfig&) : catalog_(context.catalog) {}

  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

 private:
  const model::AcceleratorCatalog& catalog_;
};

}  // namespace berth::scheduling
