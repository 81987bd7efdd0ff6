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

ConditionDigest DigestOf(const std::vector<Condition>& conditions) {
  ConditionDigest digest;
  for (const Condition& condition : conditions) {
    if (condition.status == ConditionStatus::kFalse) {
      digest.last_turned_false = std::max(digest.last_turned_false, condition.last_transition);
    } else {
      digest.marks |= MarkOf(condition.type);
    }
  }
  return digest;
}

}  // namespace berth::model
