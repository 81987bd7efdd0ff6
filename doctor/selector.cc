#include "doctor/selector.h"

#include <algorithm>

#include "model/pod_selector.h"

namespace berth::doctor {

bool Matches(const LabelSelector& selector, const model::StringMap& labels) {
  return model::HasAll(labels, selector.labels) &&
         std::ranges::all_of(selector.expressions, [&labels](const auto& requirement) {
           return model::Matches(requirement, labels);
         });
}

}  // namespace berth::doctor
