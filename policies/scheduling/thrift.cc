#include "policies/scheduling/thrift.h"

#include <algorithm>
#include <memory>

#include "model/annotation.h"

namespace berth::policies::scheduling {

namespace {

using Index = model::AcceleratorCatalog::Index;

// The slowest accelerator scores kMaxScore, the fastest 0, and the others in proportion to their
// performance. If all are equally fast, each scores kMaxScore.
std::uint16_t ScoreOf(double performance, double slowest, double fastest) {
  if (fastest == slowest) return kMaxScore;
  const double saved = (fastest - performance) / (fastest - slowest);
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): what is rounded is not negative.
  return static_cast<std::uint16_t>(kMaxScore * saved + 0.5);
}

class ThriftEvaluator : public NodeEvaluator {
 public:
  ThriftEvaluator(std::vector<std::uint16_t> scores, std::string key)
      : scores_(std::move(scores)), key_(std::move(key)) {}

  std::string ViewKey() const override { return key_; }

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    // Nobody can name an accelerator that the catalogue lacks, so using it deprives nobody.
    if (node.accelerator == model::AcceleratorCatalog::kNone) return {};
    return {.score = scores_[static_cast<std::size_t>(node.accelerator)]};
  }

 private:
  const std::vector<std::uint16_t> scores_;  // by catalogue index
  const std::string key_;
};

// The catalogue's entries that some node has, one bit each.
std::string Present(std::size_t entries, const model::PoolStats& pools) {
  std::string bits((entries + 7) / 8, '\0');
  for (std::size_t i = 0; i < entries; ++i) {
    if (pools.Nodes(static_cast<Index>(i)) == 0) continue;
    bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
  }
  return bits;
}

bool IsPresent(const std::string& bits, std::size_t entry) {
  return (bits[entry / 8] >> (entry % 8) & 1) != 0;
}

}  // namespace

ThriftPolicy::ThriftPolicy(const PolicyContext& context, const NoConfig&)
    : models_annotation_(model::kAcceleratorsAnnotation.Below(context.prefix)) {
  for (std::size_t i = 0; i < context.catalog.size(); ++i) {
    const model::AcceleratorSpec& spec = context.catalog[static_cast<Index>(i)];
    std::size_t first = 0;
    while (context.catalog[static_cast<Index>(first)].resource != spec.resource) ++first;
    entries_.push_back({.performance = spec.performance, .group = first});
  }
}

Preparation ThriftPolicy::Prepare(const model::Pod& pod, const model::ClusterView& view,
                                  model::Time) const {
  const auto models = model::Find(pod.annotations, models_annotation_);
  if (models && !model::SplitList(*models).empty()) return NoOpinion{};
  std::string present = Present(entries_.size(), view.Pools());
  std::vector<std::uint16_t> scores = Scores(present);
  return std::make_unique<ThriftEvaluator>(std::move(scores), std::move(present));
}

std::vector<std::uint16_t> ThriftPolicy::Scores(const std::string& present) const {
  std::vector<Range> ranges(entries_.size());  // by group
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!IsPresent(present, i)) continue;
    Range& range = ranges[entries_[i].group];
    range.slowest = std::min(range.slowest, entries_[i].performance);
    range.fastest = std::max(range.fastest, entries_[i].performance);
  }
  std::vector<std::uint16_t> scores(entries_.size(), kMaxScore);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!IsPresent(present, i)) continue;
    const Range& range = ranges[entries_[i].group];
    scores[i] = ScoreOf(entries_[i].performance, range.slowest, range.fastest);
  }
  return scores;
}

}  // namespace berth::policies::scheduling
