#include "policies/scheduling/accelerator.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "model/accelerator_memory.h"
#include "model/annotation.h"

namespace berth::policies::scheduling {

namespace {

using Index = model::AcceleratorCatalog::Index;

// The verdict on each accelerator, by catalogue index, and on nodes without one.
struct Demand {
  std::vector<Verdict> by_accelerator{};
  Verdict without_accelerator{};
  // The resources that a pod without a named model asks for, in the catalogue. A node that lists
  // one serves it, even if the entry of its accelerator does not say so.
  absl::InlinedVector<const std::string*, 2> resources{};
  std::int64_t memory_minimum = 0;  // bytes; 0 if the pod asks for none
  ReasonId too_little_memory = kNoReason;
  ReasonId memory_not_known = kNoReason;
};

class AcceleratorEvaluator : public NodeEvaluator {
 public:
  AcceleratorEvaluator(const model::AcceleratorCatalog& catalog, Demand demand)
      : catalog_(catalog), demand_(std::move(demand)) {}

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    const Index index = node.accelerator;
    const Verdict& verdict = index == model::AcceleratorCatalog::kNone
                                 ? demand_.without_accelerator
                                 : demand_.by_accelerator[static_cast<std::size_t>(index)];
    if (!verdict.fits && !ListsResource(node)) return verdict;
    const Verdict fits = verdict.fits ? verdict : Verdict{};
    if (demand_.memory_minimum == 0) return fits;
    const ReasonId reason = MemoryReason(node);
    if (reason == kNoReason) return fits;
    return {.fits = false, .score = 0, .reason = reason};
  }

 private:
  bool ListsResource(const model::NodeState& node) const noexcept {
    return std::ranges::any_of(demand_.resources, [&node](const std::string* resource) {
      return node.node.allocatable.Get(*resource) > 0;
    });
  }

  ReasonId MemoryReason(const model::NodeState& node) const noexcept {
    const auto greatest = model::GreatestMemoryMinimum(node.gpu, node.accelerator, catalog_);
    if (!greatest) return demand_.memory_not_known;
    return *greatest >= demand_.memory_minimum ? kNoReason : demand_.too_little_memory;
  }

  const model::AcceleratorCatalog& catalog_;
  Demand demand_;
};

// The models that a pod names, as catalogue indices, best first and without duplicates. Nothing if
// the catalogue lacks one of them.
std::optional<std::vector<Index>> NamedModels(std::string_view annotation,
                                              const model::AcceleratorCatalog& catalog) {
  std::vector<Index> models;
  for (const std::string_view name : model::SplitList(annotation)) {
    const Index index = catalog.IndexOf(name);
    if (index == model::AcceleratorCatalog::kNone) return std::nullopt;
    if (std::find(models.begin(), models.end(), index) == models.end()) models.push_back(index);
  }
  return models;
}

// The first model scores kMaxScore, the last of n a share of 1/n.
std::uint16_t PreferenceScore(std::size_t position, std::size_t count) {
  return static_cast<std::uint16_t>(kMaxScore * (count - position) / count);
}

}  // namespace

AcceleratorPolicy::AcceleratorPolicy(const PolicyContext& context, const NoConfig&)
    : catalog_(context.catalog),
      models_annotation_(model::kAcceleratorsAnnotation.Below(context.prefix)),
      memory_annotation_(model::kAcceleratorMemory.Below(context.prefix)) {
  const auto intern = [&](std::string text, std::string summary) {
    return context.reasons.Intern(
        {.policy = std::string(kName), .text = std::move(text), .summary = std::move(summary)});
  };
  for (std::size_t i = 0; i < catalog_.size(); ++i) {
    const std::string& name = catalog_[static_cast<Index>(i)].name;
    other_model_.push_back(
        intern("node(s) had accelerator " + name + ", not one the pod asks for", "are " + name));
  }
  unknown_to_catalog_ = intern("node(s) had no accelerator that Berth's catalogue knows",
                               "have no accelerator of the catalogue");
  too_little_memory_ = intern("node(s) had less accelerator memory than the pod's minimum",
                              "have too little accelerator memory");
  memory_not_known_ = intern("node(s) had accelerator memory of unknown size",
                             "have accelerator memory of unknown size");
  model_not_in_catalog_ =
      intern("pod annotation " + models_annotation_ + " names a model that Berth's catalogue lacks",
             "refused: annotation " + models_annotation_ + " names a model not in the catalogue");
  models_of_other_resources_ =
      intern("pod asks for none of the resources of the models in " + models_annotation_,
             "refused: the pod asks for no resource of the models in " + models_annotation_);
  bad_memory_ = intern("pod annotation " + memory_annotation_ + " is not a size such as 40Gi",
                       "refused: annotation " + memory_annotation_ + " is not a size such as 40Gi");
}

Preparation AcceleratorPolicy::Prepare(const model::Pod& pod, const model::ClusterView&,
                                       model::Time) const {
  const auto models =
      NamedModels(model::Find(pod.annotations, models_annotation_).value_or(""), catalog_);
  if (!models) return RefusedEverywhere{model_not_in_catalog_};

  Demand demand{.too_little_memory = too_little_memory_, .memory_not_known = memory_not_known_};
  if (const auto text = model::Find(pod.annotations, memory_annotation_)) {
    const auto minimum = model::ParseMemoryMinimum(*text);
    if (!minimum.ok()) return RefusedEverywhere{bad_memory_};
    demand.memory_minimum = *minimum;
  }
  if (!models->empty()) {
    const auto asks_for = [&](Index index) { return AsksFor(pod, index); };
    if (std::none_of(models->begin(), models->end(), asks_for)) {
      return RefusedEverywhere{models_of_other_resources_};
    }
    demand.without_accelerator = {.fits = false, .score = 0, .reason = unknown_to_catalog_};
  }
  for (const auto& [name, amount] : pod.requests) {
    if (amount <= 0 || !models->empty()) continue;
    const auto found = std::ranges::lower_bound(catalog_.resources(), name);
    if (found != catalog_.resources().end() && *found == name) demand.resources.push_back(&*found);
  }
  demand.by_accelerator.reserve(catalog_.size());
  for (std::size_t i = 0; i < catalog_.size(); ++i) {
    demand.by_accelerator.push_back(JudgeModel(pod, *models, static_cast<Index>(i)));
  }
  return std::make_unique<AcceleratorEvaluator>(catalog_, std::move(demand));
}

bool AcceleratorPolicy::AsksFor(const model::Pod& pod, Index index) const {
  return std::ranges::any_of(pod.requests, [&](const model::Resources::Entry& request) {
    return request.second > 0 && model::PartsPerDevice(catalog_[index], request.first) > 0;
  });
}

Verdict AcceleratorPolicy::JudgeModel(const model::Pod& pod, const std::vector<Index>& models,
                                      Index index) const {
  const auto wanted = std::find(models.begin(), models.end(), index);
  if (!AsksFor(pod, index) || (!models.empty() && wanted == models.end())) {
    const ReasonId reason = other_model_[static_cast<std::size_t>(index)];
    return {.fits = false, .score = 0, .reason = reason};
  }
  if (models.empty()) return {};
  const auto position = static_cast<std::size_t>(wanted - models.begin());
  return {.score = PreferenceScore(position, models.size())};
}

}  // namespace berth::policies::scheduling
