#include "model/condition_digest.h"

#include <algorithm>

namespace berth::model {

std::uint64_t MarkOf(std::string_view condition_type) {
  // FNV-1a, 32 bits, folded: http://www.isthe.com/chongo/tech/comp/fnv/.
  std::uint32_t hash = 2166136261;
  for (const char c : condition_type) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  }
  return std::uint64_t{1} << ((hash ^ (hash >> 16)) % 64);
}

ConditionDigest DigestOf(const std::vector<Condition>& conditions,
                         const std::vector<PastStatus>& past) {
  ConditionDigest digest;
  for (const Condition& condition : conditions) {
    const std::uint64_t mark = MarkOf(condition.type);
    if (condition.status != ConditionStatus::kFalse) digest.not_false |= mark;
    if (condition.status != ConditionStatus::kTrue) digest.not_true |= mark;
    digest.last_transition = std::max(digest.last_transition, condition.last_transition);
  }
  for (const PastStatus& each : past) {
    digest.last_transition = std::max(digest.last_transition, each.noticed);
  }
  return digest;
}

}  // namespace berth::model
