#include "model/gpu_labels.h"

#include <charconv>
#include <string_view>

namespace berth::model {

namespace {

std::optional<std::int64_t> IntegerLabel(const StringMap& labels, std::string_view name) {
  const auto text = Find(labels, name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

bool CountsWholeGpus(const StringMap& labels) {
  const auto replicas = Find(labels, "nvidia.com/gpu.replicas");
  const auto mig = Find(labels, "nvidia.com/mig.strategy");
  return (!replicas || *replicas == "1") && (!mig || *mig == "none");
}

}  // namespace

GpuLabels ReadGpuLabels(const StringMap& labels) {
  GpuLabels gpu;
  gpu.memory_mebibytes = IntegerLabel(labels, "nvidia.com/gpu.memory");
  if (gpu.memory_mebibytes.value_or(0) <= 0) gpu.memory_mebibytes.reset();
  if (CountsWholeGpus(labels)) gpu.count = IntegerLabel(labels, "nvidia.com/gpu.count");
  return gpu;
}

}  // namespace berth::model
