#include "model/taint.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace berth::model {
namespace {

constexpr std::string_view kExists = "Exists";
constexpr std::string_view kEqual = "Equal";

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == kExists) return true;
  return (toleration.op.empty() || toleration.op == kEqual) && toleration.value == taint.value;
}

// Up to so many, comparing each is quicker than searching.
constexpr std::size_t kFew = 8;

// What makes two tolerations in one spelling the same.
using Meaning = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

Meaning MeaningOf(const Toleration& toleration) {
  return {toleration.key, toleration.effect, toleration.op, toleration.value};
}

void Spell(Toleration& toleration) {
  if (toleration.op.empty()) toleration.op = kEqual;
  if (toleration.op == kExists) toleration.value.clear();
}

}  // namespace

bool IsTolerated(const Taint& taint, std::span<const Toleration> tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
}

Tolerations::Tolerations(std::span<const Toleration> tolerations)
    : tolerations_(tolerations.begin(), tolerations.end()) {
  if (tolerations_.size() <= kFew) return;
  // Those with other operators are never found.
  std::ranges::for_each(tolerations_, Spell);
  std::ranges::sort(tolerations_, {}, MeaningOf);
  // clang 14, which builds the fuzzers, cannot compile g++ 12's std::ranges::unique.
  tolerations_.erase(std::unique(tolerations_.begin(), tolerations_.end()), tolerations_.end());
}

bool Tolerations::Tolerate(const Taint& taint) const {
  if (tolerations_.size() <= kFew) return IsTolerated(taint, tolerations_);
  const auto has = [this](const Meaning& meaning) {
    return std::ranges::binary_search(tolerations_, meaning, {}, MeaningOf);
  };
  for (const std::string_view key : {std::string_view(), std::string_view(taint.key)}) {
    for (const std::string_view effect : {std::string_view(), std::string_view(taint.effect)}) {
      if (has({key, effect, kExists, ""}) || has({key, effect, kEqual, taint.value})) return true;
    }
  }
  return false;
}

const Taint* FindTaint(std::span<const Taint> taints, std::string_view key,
                       std::string_view effect) {
  const auto found = std::find_if(taints.begin(), taints.end(), [&](const Taint& taint) {
    return taint.key == key && taint.effect == effect;
  });
  return found == taints.end() ? nullptr : &*found;
}

}  // namespace berth::model
