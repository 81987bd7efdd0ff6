#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Keeps fast accelerators free for those who name them: for a pod that names no model, the slower
/// a node's accelerator, the better. Packing alone would fill the scarce models with pods that
/// could run anywhere.
///
/// Never refuses: which models are adequate at all is the accelerator policy's business. A pod that
/// names models has said what it wants, and gets no opinion.
class ThriftPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "thrift";
  static constexpr std::int32_t kDefaultWeight = 2;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp =
      "Slower accelerators come first for pods that name no model";
  using Config = NoConfig;

  ThriftPolicy(const PolicyContext& context, const NoConfig&);

  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  std::vector<std::string> Annotations() const override { return {models_annotation_}; }

 private:
  std::string models_annotation_;
  std::vector<std::uint16_t> scores_;  // by catalogue index
};

}  // namespace berth::policies::scheduling
