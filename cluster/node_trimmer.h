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
///   times as many), and those given to the constructor;
/// - the catalogue's resources;
/// - taints with the effect PreferNoSchedule, because kube-scheduler itself enforces the others;
/// - every condition;
/// - the UID, if the constructor was told so.
class NodeTrimmer {
 public:
  /// `catalog` must not be null. `labels` are the full names of further labels to keep. `uids` is
  /// whether to keep the UID.
  NodeTrimmer(std::shared_ptr<const model::AcceleratorCatalog> catalog,
              const std::vector<std::string>& labels, bool uids = false);

  /// Returns `node` without what is not kept, and with its unused capacity freed. The order of
  /// labels, taints and conditions stays.
  model::Node Trim(model::Node node) const;

 private:
  /// Whether Trim() keeps labels of that name.
  bool Keeps(std::string_view label) const;
  /// The resources that the catalogue names.
  model::Resources Trim(const model::Resources& resources) const;

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::vector<std::string> names_;  // labels to keep, ascending
  const bool uids_;
};

}  // namespace berth::cluster
