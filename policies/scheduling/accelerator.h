#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Restricts pods to nodes whose accelerator they can use and have asked for.
///
/// A pod asks by annotations, whose names begin with the configured prefix:
///   accelerators: "A100,V100"       catalogue names, best first: a requirement and a preference
///   accelerator-memory: "40Gi"      the minimum memory of one device
/// A node whose accelerator serves another resource than the pod requests fits only if the pod
/// names no model and the node lists the resource: it may have more than one kind of device, or
/// slices that the catalogue does not list for its model. The policy does not count devices:
/// kube-scheduler's NodeResourcesFit does that, and with DRA a node may serve a resource that its
/// allocatable does not list.
///
/// Scores: kMaxScore for the first model that the pod names, and a share of 1/n for the last of n.
/// Nodes are equally good for a pod that names no model.
class AcceleratorPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "accelerator";
  static constexpr std::int32_t kDefaultWeight = 3;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp = "Accelerator models and memory that pods ask for";
  using Config = NoConfig;

  /// Interns the policy's reasons, one for each model among them. `context.catalog` must outlive
  /// the policy and its evaluators.
  AcceleratorPolicy(const PolicyContext& context, const NoConfig&);

  /// Refuses the pod everywhere if an annotation names a model that the catalogue lacks, if the pod
  /// requests no resource of the models that it names, or if the minimum memory is not a size.
  /// Otherwise returns an evaluator that depends neither on the view nor on `now`.
  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  /// Both annotations above, with the prefix.
  std::vector<std::string> Annotations() const override {
    return {models_annotation_, memory_annotation_};
  }

 private:
  using Index = model::AcceleratorCatalog::Index;

  // Whether the pod requests the resource of the catalogue entry at `index`.
  bool AsksFor(const model::Pod& pod, Index index) const;

  // The verdict on nodes with the accelerator at `index`, for a pod that names `models`. An empty
  // list admits every model of a requested resource.
  Verdict JudgeModel(const model::Pod& pod, const std::vector<Index>& models, Index index) const;

  const model::AcceleratorCatalog& catalog_;
  // Full names, with the prefix.
  std::string models_annotation_;
  std::string memory_annotation_;
  std::vector<ReasonId> other_model_;  // by catalogue index
  // Reasons to refuse a node.
  ReasonId unknown_to_catalog_;
  ReasonId too_little_memory_;
  ReasonId memory_not_known_;
  // Reasons to refuse the pod everywhere.
  ReasonId model_not_in_catalog_;
  ReasonId models_of_other_resources_;
  ReasonId bad_memory_;
};

}  // namespace berth::policies::scheduling
