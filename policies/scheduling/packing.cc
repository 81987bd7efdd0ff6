#include "policies/scheduling/packing.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/accelerator_requests.h"
#include "model/taint.h"

namespace berth::policies::scheduling {

namespace {

// On a started node, every device that is placed is one stranded device less. On an empty node, all
// devices that are left over become stranded. So the worst started node is better than the best
// empty one. Within both groups, fewer devices left over are better.
std::uint16_t ScoreOf(const model::NodeState& node, std::string_view resource,
                      std::int64_t request) {
  constexpr double kHalf = kMaxScore / 2.0;
  const std::int64_t used = node.used.Get(resource);
  // A double, because the API does not check these numbers, and their sums may not fit into 64
  // bits.
  const double left = static_cast<double>(node.node.allocatable.Get(resource)) -
                      static_cast<double>(used) - static_cast<double>(request);
  if (left < 0) return 0;
  const double filled = kHalf / (1 + left);
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): what is rounded is not negative.
  return static_cast<std::uint16_t>((used > 0 ? kHalf : 0) + filled + 0.5);
}

class PackingEvaluator : public NodeEvaluator {
 public:
  PackingEvaluator(std::vector<model::Resources::Entry> requests,
                   const std::vector<model::Toleration>& tolerations, ReasonId tainted)
      : requests_(std::move(requests)), tolerations_(tolerations), tainted_(tainted) {}

  Verdict Evaluate(const model::NodeState& node) const noexcept override {
    Verdict verdict;
    for (const auto& [resource, request] : requests_) {
      verdict.score = std::min(verdict.score, ScoreOf(node, resource, request));
    }
    verdict.last = std::any_of(
        node.node.taints.begin(), node.node.taints.end(), [this](const model::Taint& taint) {
          return taint.effect == model::kPreferNoSchedule && !tolerations_.Tolerate(taint);
        });
    if (verdict.last) verdict.reason = tainted_;
    return verdict;
  }

 private:
  std::vector<model::Resources::Entry> requests_;
  model::Tolerations tolerations_;
  ReasonId tainted_;
};

}  // namespace

PackingPolicy::PackingPolicy(const PolicyContext& context, const NoConfig&)
    : catalog_(context.catalog),
      tainted_(context.reasons.Intern(
          {.policy = std::string(kName),
           .text = "node(s) had a PreferNoSchedule taint that the pod does not tolerate",
           .summary = "have a PreferNoSchedule taint"})) {}

Preparation PackingPolicy::Prepare(const model::Pod& pod, const model::ClusterView&,
                                   model::Time) const {
  return std::make_unique<PackingEvaluator>(model::AcceleratorRequests(pod, catalog_),
                                            pod.tolerations, tainted_);
}

}  // namespace berth::policies::scheduling
