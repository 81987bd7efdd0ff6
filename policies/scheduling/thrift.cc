#include "policies/scheduling/thrift.h"

#include <algorithm>
#include <memory>

#include "model/annotation.h"

namespace berth::policies::scheduling {

namespace {

using Index = model::AcceleratorCatalog::Index;

// Among the accelerators of a resource, the slowest scores kMaxScore, the fastest 0, and the others
// in proportion to their performance. If all are equally fast, each scores kMaxScore.
std::uint16_t ScoreOf(const model::AcceleratorSpec& spec,
                      const model::AcceleratorCatalog& catalog) {
  double slowest = spec.performance;
  double fastest = spec.performance;
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    const model::AcceleratorSpec& other = catalog[static_cast<Index>(i)];
    if (other.resource != spec.resource) continue;
    slowest = std::min(slowest, other.performance);
    fastest = std::max(fastest, other.performance);
  }
  if (fastest == slowest) return kMaxScore;
  const double saved = (fastest - spec.performance) / (fastest - slowest);
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): what is rounded is not negative.
  return static_cast<std::uint16_t>(kMaxScore * saved + 0.5);
}

class ThriftEvaluator : public NodeEvaluator {
 public:
  explicit ThriftEvaluator(const std::vector<std::uint16_t>& scores) : scores_(scores) {}

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    // Nobody can name an accelerator that the catalogue lacks, so using it deprives nobody.
    if (node.accelerator == model::AcceleratorCatalog::kNone) return {};
    return {.score = scores_[static_cast<std::size_t>(node.accelerator)]};
  }

 private:
  const std::vector<std::uint16_t>& scores_;
};

}  // namespace

ThriftPolicy::ThriftPolicy(const PolicyContext& context, const NoConfig&)
    : models_annotation_(model::kAcceleratorsAnnotation.Below(context.prefix)) {
  for (std::size_t i = 0; i < context.catalog.size(); ++i) {
    scores_.push_back(ScoreOf(context.catalog[static_cast<Index>(i)], context.catalog));
  }
}

Preparation ThriftPolicy::Prepare(const model::Pod& pod, const model::ClusterView&,
                                  model::Time) const {
  const auto models = model::Find(pod.annotations, models_annotation_);
  if (models && !model::SplitList(*models).empty()) return NoOpinion{};
  return std::make_unique<ThriftEvaluator>(scores_);
}

}  // namespace berth::policies::scheduling
