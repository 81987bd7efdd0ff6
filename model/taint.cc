#include "model/taint.h"

#include <algorithm>

namespace berth::model {
namespace {

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

}  // namespace

bool IsTolerated(const Taint& taint, std::span<const Toleration> tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
}

const Taint* FindTaint(std::span<const Taint> taints, std::string_view key,
                       std::string_view effect) {
  const auto found = std::find_if(taints.begin(), taints.end(), [&](const Taint& taint) {
    return taint.key == key && taint.effect == effect;
  });
  return found == taints.end() ? nullptr : &*found;
}

}  // namespace berth::model
