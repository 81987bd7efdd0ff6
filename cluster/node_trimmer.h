#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/accelerator.h"
#include "model/node.h"

namespace berth::cluster {

/// Takes off a node what nothing in Berth asks about: a node of a real cluster carries some 60
/// labels and a dozen resources. Immutable, so thread-safe.
///
/// Kept are: the labels that the catalogue names, those of model::GpuLabels (GPU feature discovery
/// sets four times as many), and those asked for; the catalogue's resources; taints of effect
/// PreferNoSchedule (kube-scheduler itself refuses for the others); every condition; the UID where
/// it is asked for.
class NodeTrimmer {
 public:
  /// `labels`: further labels to keep, by full name. `uids`: whether to keep the UID.
  NodeTrimmer(std::shared_ptr<const model::AcceleratorCatalog> catalog,
              const std::vector<std::string>& labels, bool uids = false);

  model::Node Trim(model::Node node) const;

 private:
  bool Keeps(std::string_view label) const;
  model::Resources Trim(const model::Resources& resources) const;

  std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  std::vector<std::string> names_;  // ascending
  const bool uids_;
};

}  // namespace berth::cluster
