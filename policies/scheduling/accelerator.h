#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Keeps pods to the accelerators that they can use and ask for.
///
/// A pod's annotations, below the configured prefix:
///   accelerators: "A100,V100"       catalogue names, best first: a requirement and an order
///   accelerator-memory: "40Gi"      the least memory of one device
/// A node whose accelerator is of another resource than the pod asks for never fits. Devices are
/// not counted: kube-scheduler's NodeResourcesFit does it, and with DRA a node may serve a resource
/// that its allocatable does not list.
class AcceleratorPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "accelerator";
  static constexpr std::int32_t kDefaultWeight = 3;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp = "Accelerator models and memory that pods ask for";
  using Config = NoConfig;

  AcceleratorPolicy(const PolicyContext& context, const NoConfig&);

  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  std::vector<std::string> Annotations() const override {
    return {models_annotation_, memory_annotation_};
  }

 private:
  using Index = model::AcceleratorCatalog::Index;

  bool AsksFor(const model::Pod& pod, Index index) const;

  // What a pod that names `models` (empty: any) makes of the accelerator at `index`.
  Verdict JudgeModel(const model::Pod& pod, const std::vector<Index>& models, Index index) const;

  const model::AcceleratorCatalog& catalog_;
  std::string models_annotation_;
  std::string memory_annotation_;
  std::vector<ReasonId> other_model_;  // by catalogue index
  ReasonId unknown_to_catalog_;
  ReasonId too_little_memory_;
  ReasonId memory_not_known_;
  ReasonId model_not_in_catalog_;
  ReasonId models_of_other_resources_;
  ReasonId bad_memory_;
};

}  // namespace berth::policies::scheduling
