#include "policies/fit/trimmed_pod.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/annotation.h"
#include "model/node_selector.h"

namespace berth::policies::fit {

namespace {

std::size_t BytesOf(const std::vector<model::Toleration>& tolerations) {
  std::size_t bytes = 0;
  for (const model::Toleration& each : tolerations) {
    bytes +=
        sizeof each + each.key.size() + each.op.size() + each.value.size() + each.effect.size();
  }
  return bytes;
}

std::size_t BytesOf(const model::StringMap& texts) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : texts) {
    bytes += 2 * sizeof(std::string) + name.size() + value.size();
  }
  return bytes;
}

std::size_t BytesOf(const std::vector<model::NodeRequirement>& requirements) {
  std::size_t bytes = 0;
  for (const model::NodeRequirement& each : requirements) {
    bytes += sizeof each + each.key.size() + each.op.size();
    for (const std::string& value : each.values) bytes += sizeof(std::string) + value.size();
  }
  return bytes;
}

std::size_t BytesOf(const model::NodeNeeds& needs) {
  std::size_t bytes = BytesOf(needs.selector);
  if (!needs.terms) return bytes;
  for (const model::NodeSelectorTerm& term : *needs.terms) {
    bytes += sizeof term + BytesOf(term.expressions) + BytesOf(term.fields);
  }
  return bytes;
}

std::size_t BytesOf(const model::Resources& requests) {
  std::size_t bytes = 0;
  for (const model::Resources::Entry& each : requests) {
    if (each.second > 0) bytes += sizeof each + each.first.size();
  }
  return bytes;
}

std::size_t BytesOf(const std::vector<model::HostPort>& ports) {
  std::size_t bytes = 0;
  for (const model::HostPort& each : ports) {
    bytes += sizeof each + each.protocol.size() + each.ip.size();
  }
  return bytes;
}

// Gives the memory back, too, which clear() does not.
template <typename T>
void Drop(T& field) {
  field = T();
}

void CutName(std::string& name) {
  if (name.size() > kMaxNameBytes) name = name.substr(0, kMaxNameBytes);
}

void KeepBerths(std::string_view prefix, model::StringMap& annotations) {
  std::size_t room = kMaxAnnotationBytes;
  const auto is_read = [prefix](const std::string& name) {
    const bool is_berths =
        name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == '/';
    return is_berths || name == model::kJobCompletionIndex;
  };
  std::erase_if(annotations, [&](const auto& each) {
    const std::size_t bytes = sizeof each + each.first.size() + each.second.size();
    if (!is_read(each.first) || bytes > room) return true;
    room -= bytes;
    return false;
  });
  annotations.shrink_to_fit();
}

// Begins what kube-scheduler says of evictions. It comes last, and is short; before that come all
// taints and all resources that kept the pod off nodes.
constexpr std::string_view kOfEvictions = "preemption: ";

void Shorten(std::string& message) {
  if (message.size() <= kMaxMessageBytes) return;
  constexpr std::size_t kHalf = kMaxMessageBytes / 2;
  const std::size_t end = std::min(message.rfind(kOfEvictions), message.size() - kHalf);
  message = message.substr(0, kHalf) + " ... " + message.substr(end, kHalf);
}

}  // namespace

std::string ExcessOf(const model::Pod& pod) {
  const auto requests =
      std::count_if(pod.requests.begin(), pod.requests.end(),
                    [](const model::Resources::Entry& each) { return each.second > 0; });
  if (requests > static_cast<std::int64_t>(kMostRequests)) {
    return "requests more than " + std::to_string(kMostRequests) + " resources";
  }
  using Part = std::pair<std::size_t, std::string_view>;
  const std::array<Part, 4> parts = {
      Part(BytesOf(pod.tolerations), "tolerations"),
      Part(BytesOf(pod.needs), "the node selector and node affinity"),
      Part(BytesOf(pod.requests), "requests"), Part(BytesOf(pod.host_ports), "ports")};
  std::size_t sum = 0;
  for (const Part& part : parts) sum += part.first;
  if (sum <= kMaxNeedBytes) return "";
  return "states in more than " + std::to_string(kMaxNeedBytes / 1024) +
         " KiB what it needs of nodes, most of it in " +
         std::string(std::ranges::max(parts).second);
}

model::Pod Trimmed(model::Pod pod, std::string_view prefix,
                   const model::AcceleratorCatalog& catalog) {
  if (!ExcessOf(pod).empty()) {
    Drop(pod.tolerations);
    Drop(pod.needs);
  }
  pod.requests = model::CountedRequests(std::move(pod.requests), catalog);
  Drop(pod.labels);
  Drop(pod.affinity_terms);
  KeepBerths(prefix, pod.annotations);
  Shorten(pod.unschedulable);
  if (pod.gates.size() > kMostGates) {
    pod.gates.resize(kMostGates);
    pod.gates.shrink_to_fit();
  }
  for (std::string* name : {&pod.scheduler, &pod.job, &pod.controller_uid}) CutName(*name);
  return pod;
}

}  // namespace berth::policies::fit
