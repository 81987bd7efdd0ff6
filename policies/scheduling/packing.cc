#include "policies/scheduling/packing.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace berth::scheduling {

namespace {

std::uint16_t FillScore(const model::NodeState& node, std::string_view resource,
                        std::int64_t request) {
  const std::int64_t all = node.node.allocatable.Get(resource);
  const std::int64_t left = all - node.used.Get(resource) - request;
  if (all <= 0 || left < 0) return 0;
  // In double: counts come from the API unchecked, and a product of theirs may not fit 64 bits.
  // `used` may be negative by the same freedom, hence the bound.
  const double share_left = std::min(1.0, static_cast<double>(left) / static_cast<double>(all));
  return static_cast<std::uint16_t>(kMaxScore * (1.0 - share_left) + 0.5);
}

class Evaluator : public NodeEvaluator {
 public:
  explicit Evaluator(std::vector<model::Resources::Entry> requests)
      : requests_(std::move(requests)) {}

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    Verdict verdict;
    for (const auto& [resource, request] : requests_) {
      verdict.score = std::min(verdict.score, FillScore(node, resource, request));
    }
    return verdict;
  }

 private:
  std::vector<model::Resources::Entry> requests_;
};

}  // namespace

Preparation PackingPolicy::Prepare(const model::Pod& pod, const model::ClusterView&,
                                   model::Time) const {
  return std::make_unique<Evaluator>(AcceleratorRequests(pod, catalog_));
}

}  // namespace berth::scheduling
