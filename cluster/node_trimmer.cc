#include "cluster/node_trimmer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/gpu_labels.h"
#include "model/label.h"

namespace berth::cluster {

NodeTrimmer::NodeTrimmer(std::shared_ptr<const model::AcceleratorCatalog> catalog,
                         const Options& options)
    : catalog_(std::move(catalog)),
      names_(model::kGpuLabels.begin(), model::kGpuLabels.end()),
      taint_(options.taint),
      uids_(options.uids),
      whole_pods_(options.whole_pods) {
  for (std::size_t entry = 0; entry < catalog_->size(); ++entry) {
    const auto index = static_cast<model::AcceleratorCatalog::Index>(entry);
    for (const model::NodeMatcher& matcher : (*catalog_)[index].nodes) {
      names_.push_back(matcher.label);
    }
  }
  names_.insert(names_.end(), options.labels.begin(), options.labels.end());
  std::sort(names_.begin(), names_.end());
}

bool NodeTrimmer::Keeps(std::string_view label) const {
  if (whole_pods_ && !label.starts_with(model::kNodeFeaturePrefix)) return true;
  return std::binary_search(names_.begin(), names_.end(), label, std::less<>());
}

bool NodeTrimmer::Keeps(const model::Taint& taint) const {
  if (whole_pods_ || taint.effect == model::kPreferNoSchedule) return true;
  if (taint.key == model::kOperatingTaint) return true;
  return !taint_.empty() && taint.key == taint_;
}

model::Resources NodeTrimmer::Trim(const model::Resources& resources) const {
  model::Resources kept;
  for (const auto& [name, amount] : resources) {
    if (catalog_->HasResource(name)) kept.Set(name, amount);
  }
  return kept;
}

model::Node NodeTrimmer::Trim(model::Node node) const {
  std::erase_if(node.labels, [this](const auto& label) { return !Keeps(label.first); });
  node.labels.shrink_to_fit();
  std::erase_if(node.taints, [this](const auto& taint) { return !Keeps(taint); });
  node.taints.shrink_to_fit();
  node.conditions.shrink_to_fit();
  node.capacity = Trim(node.capacity);
  if (!whole_pods_) node.allocatable = Trim(node.allocatable);
  if (!uids_) std::string().swap(node.uid);
  return node;
}

}  // namespace berth::cluster
