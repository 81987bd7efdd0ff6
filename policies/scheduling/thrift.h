#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Keeps fast accelerators free for pods that name them. For a pod that names no model, the slower
/// a node's accelerator, the better. Packing alone would fill scarce models with pods that could
/// run anywhere.
///
/// The policy never refuses: the accelerator policy decides which models are adequate. It has no
/// opinion on a pod that names models.
///
/// Scores: kMaxScore for the slowest accelerator of a resource, 0 for the fastest, and in
/// proportion to the catalogue's performance between them. A node without an accelerator of the
/// catalogue scores kMaxScore.
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

  /// The annotation `accelerators`, with the prefix.
  std::vector<std::string> Annotations() const override { return {models_annotation_}; }

 private:
  std::string models_annotation_;
  std::vector<std::uint16_t> scores_;  // by catalogue index
};

}  // namespace berth::policies::scheduling
