#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/node.h"

namespace berth::cluster {

/// Removes everything from a node that nothing in Berth reads: a node of a real cluster carries
/// some 60 labels and a dozen resources. Immutable, so thread-safe.
///
/// It keeps:
/// - labels that the catalogue names, those in model::kGpuLabels (GPU feature discovery sets four
///   times as many), and those in Options;
/// - the catalogue's resources;
/// - taints with the effect PreferNoSchedule, because kube-scheduler itself enforces the others;
/// - the taint in Options, and model::kOperatingTaint, because a node that is being repaired is
/// named;
/// - every condition;
/// - whether the node is cordoned;
/// - the UID, if Options say so.
///
/// For whole pods it keeps what policies/fit reads:
/// - all labels but those of model::kNodeFeaturePrefix, which are two in three on a real node;
/// - all taints;
/// - all resources in `allocatable`.
class NodeTrimmer {
 public:
  struct Options {
    /// The full names of further labels to keep.
    std::vector<std::string> labels = {};
    /// The key of taints to keep, whatever their effect. Empty: none.
    std::string taint = {};
    /// Whether to keep the UID.
    bool uids = false;
    /// Whether to keep what decides if a whole pod fits the node.
    bool whole_pods = false;
  };

  /// `catalog` must not be null.
  NodeTrimmer(std::shared_ptr<const model::AcceleratorCatalog> catalog, const Options& options);

  /// Returns `node` without what is not kept, and with its unused capacity freed. The order of
  /// labels, taints and conditions stays.
  model::Node Trim(model::Node node) const;

 private:
  /// Whether Trim() keeps labels of that name.
  bool Keeps(std::string_view label) const;
  /// Whether Trim() keeps the taint.
  bool Keeps(const model::Taint& taint) const;
  /// The resources that the catalogue names.
  model::Resources Trim(const model::Resources& resources) const;

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::vector<std::string> names_;  // labels to keep, ascending
  const std::string taint_;
  const bool uids_;
  const bool whole_pods_;
};

}  // namespace berth::cluster
