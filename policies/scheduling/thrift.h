#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "policies/scheduling/policy.h"

namespace berth::policies::scheduling {

/// Keeps fast accelerators free for pods that name them. For a pod that names no model, the slower
/// a node's accelerator, the better. Packing alone would fill scarce models with pods that could
/// run anywhere.
///
/// The policy never refuses: the accelerator policy decides which models are adequate.
///
/// Scores, among the accelerators that serve the same resource and that some node has, by the
/// catalogue's `performance`:
///
///   kMaxScore x (fastest - performance) / (fastest - slowest)
///
/// So the slowest accelerator scores kMaxScore, the fastest 0. If all are equally fast, and on
/// nodes without an accelerator of the catalogue, the score is kMaxScore. Entries of which there is
/// no node do not count: the catalogue may name models that the cluster does not have, and they
/// would bring the scores of the others closer together.
class ThriftPolicy : public SchedulingPolicy {
 public:
  static constexpr std::string_view kName = "thrift";
  static constexpr std::int32_t kDefaultWeight = 2;
  static constexpr std::string_view kConfigKey = "";
  static constexpr std::string_view kHelp =
      "Slower accelerators come first for pods that name no model";
  using Config = NoConfig;

  ThriftPolicy(const PolicyContext& context, const NoConfig&);

  /// Returns NoOpinion for a pod that names models, and otherwise an evaluator that depends on
  /// which pools of the view have nodes, and not on `now`.
  Preparation Prepare(const model::Pod& pod, const model::ClusterView& view,
                      model::Time now) const override;

  /// The annotation `accelerators`, with the prefix.
  std::vector<std::string> Annotations() const override { return {models_annotation_}; }

 private:
  struct Entry {
    double performance = 1.0;
    std::size_t group = 0;  // the index of the first entry of the same resource
  };
  // The performance of the entries of one group that some node has.
  struct Range {
    double slowest = std::numeric_limits<double>::infinity();
    double fastest = 0;
  };

  // The scores by catalogue index. `present` has a bit for each entry that some node has.
  std::vector<std::uint16_t> Scores(const std::string& present) const;

  std::string models_annotation_;
  std::vector<Entry> entries_;  // by catalogue index
};

}  // namespace berth::policies::scheduling
