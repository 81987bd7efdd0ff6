#include "policies/admission/equalize.h"

#include <algorithm>
#include <string>

#include "policies/admission/limit_ranger.h"
#include "policies/admission/qos.h"

namespace berth::policies::admission {

using model::Amount;
using model::Quantity;

namespace {

enum class Move { kNone, kRequestToLimit, kLimitToRequest };

// `limit_is_ours`: no user set the limit, so it gives way to a higher request.
Move MoveOf(const Quantity* request, const Quantity* limit, bool lower, bool limit_is_ours) {
  if (request == nullptr && limit == nullptr) return Move::kNone;
  if (request == nullptr) return Move::kRequestToLimit;
  if (limit == nullptr) return Move::kLimitToRequest;
  if (*request == *limit) return Move::kNone;
  if (*request < *limit) return lower ? Move::kLimitToRequest : Move::kRequestToLimit;
  return limit_is_ours ? Move::kLimitToRequest : Move::kNone;
}

bool IsNegative(const Quantity* quantity) { return quantity != nullptr && quantity->Sign() < 0; }

struct Pair {
  // The API server rejects negative quantities. Its message must show what the user wrote.
  bool IsBad() const { return IsNegative(request) || IsNegative(limit); }

  const Quantity* request;
  const Quantity* limit;
};

std::string Before(Compute resource, Move move) {
  const bool request = move == Move::kRequestToLimit;
  return std::string(NameOf(resource)) + (request ? " request of " : " limit of ");
}

std::string After(Move move, const Quantity* from, const Quantity& to) {
  std::string text = " set to";
  if (from != nullptr)
    text = (*from < to ? " raised from " : " lowered from ") + from->text() + " to";
  text += move == Move::kRequestToLimit ? " its limit, " : " its request, ";
  return text + to.text() + ", as both must be equal";
}

void EqualizeContainer(std::size_t index, Compute resource, bool lower, bool limit_is_ours,
                       Draft& draft, GroupedRemarks& remarks) {
  const model::Container& container = draft.pod().containers[index];
  const Pair pair{RequestOf(container, resource), Given(container.resources.limits, resource)};
  const Move move = MoveOf(pair.request, pair.limit, lower, limit_is_ours);
  if (move == Move::kNone || pair.IsBad()) return;
  const bool request = move == Move::kRequestToLimit;
  const Quantity to = request ? *pair.limit : *pair.request;
  remarks.Add(Before(resource, move), container.name,
              After(move, request ? pair.request : pair.limit, to));
  if (request) {
    draft.SetRequest(index, NameOf(resource), to);
  } else {
    draft.SetLimit(index, NameOf(resource), to);
  }
}

void EqualizePodResource(Compute resource, bool lower, Draft& draft, Remarks& remarks) {
  const auto& resources = *draft.pod().resources;
  const Pair pair{Given(resources.requests, resource), Given(resources.limits, resource)};
  const Move move = MoveOf(pair.request, pair.limit, lower, false);
  if (move == Move::kNone || pair.IsBad()) return;
  Quantity to = move == Move::kRequestToLimit ? *pair.limit : *pair.request;
  const Amount least = LeastForContainers(draft.pod(), resource);
  if (move == Move::kLimitToRequest && to.amount() < least) to = QuantityOf(resource, least);
  remarks.Changed(Before(resource, move) + "spec.resources" +
                  After(move, move == Move::kRequestToLimit ? pair.request : pair.limit, to));
  draft.SetPodRequest(NameOf(resource), to);
  draft.SetPodLimit(NameOf(resource), to);
}

bool LowersCpu(const GuaranteedQosConfig& config, const std::string& container) {
  return config.cpu == CpuRule::kLower ||
         std::ranges::find(config.lower_cpu_of, container) != config.lower_cpu_of.end();
}

}  // namespace

void EqualizeContainers(const GuaranteedQosConfig& config, Draft& draft, GroupedRemarks& remarks) {
  const LimitRangerDefaults defaults(draft.pod().annotations);
  for (const Compute resource : kCompute) {
    for (std::size_t i = 0; i < draft.pod().containers.size(); ++i) {
      const model::Container& container = draft.pod().containers[i];
      if (defaults.HasNothingButRequest(container, resource)) continue;
      const bool lower = resource == Compute::kCpu && LowersCpu(config, container.name);
      const bool ours = defaults.HasLimit(container, resource);
      EqualizeContainer(i, resource, lower, ours, draft, remarks);
    }
  }
}

void EqualizePod(CpuRule rule, Draft& draft, Remarks& remarks) {
  for (const Compute resource : kCompute) {
    const bool lower = resource == Compute::kCpu && rule == CpuRule::kLower;
    EqualizePodResource(resource, lower, draft, remarks);
  }
}

Amount LeastForContainers(const model::PodTemplate& pod, Compute resource) {
  Amount least = EffectiveRequest(pod, resource);
  for (const model::Container& container : pod.containers) {
    const Quantity* limit = Given(container.resources.limits, resource);
    if (limit != nullptr) least = std::max(least, limit->amount());
  }
  return least;
}

}  // namespace berth::policies::admission
