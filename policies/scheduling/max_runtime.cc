#include "policies/scheduling/max_runtime.h"

#include "model/duration.h"
#include "model/node.h"

namespace berth::policies::scheduling {

std::optional<model::Duration> MaxRuntimeOf(const model::Pod& pod, std::string_view annotation) {
  const auto text = model::Find(pod.annotations, annotation);
  if (!text) return std::nullopt;
  const auto runtime = model::ParseDuration(*text);
  if (!runtime.ok() || *runtime <= model::Duration::zero()) return std::nullopt;
  return *runtime;
}

}  // namespace berth::policies::scheduling
