#include "policies/admission/limit_ranger.h"

#include <optional>

#include "model/annotation.h"

namespace berth::policies::admission {

namespace {

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";
constexpr std::string_view kBegin = "LimitRanger plugin set: ";
constexpr std::string_view kLimit = " limit for ";
constexpr std::string_view kRequest = " request for ";

}  // namespace

LimitRangerDefaults::LimitRangerDefaults(const model::StringMap& annotations) {
  std::string_view text = model::Find(annotations, kAnnotation).value_or("");
  if (!text.starts_with(kBegin)) return;
  text.remove_prefix(kBegin.size());
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    ReadClause(model::Trim(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void LimitRangerDefaults::ReadClause(std::string_view clause) {
  for (const std::string_view what : {kLimit, kRequest}) {
    const std::size_t middle = clause.find(what);
    if (middle == std::string_view::npos) continue;
    const std::string_view rest = clause.substr(middle);
    for (const std::string_view resource : model::SplitList(clause.substr(0, middle))) {
      set_.insert(std::string(resource) + std::string(rest));
    }
    return;
  }
}

bool LimitRangerDefaults::Has(std::string_view what, const model::Container& container,
                              Compute resource) const {
  if (set_.empty()) return false;
  const std::string_view kind = container.init ? "init container " : "container ";
  return set_.contains(std::string(NameOf(resource)) + std::string(what) + std::string(kind) +
                       container.name);
}

bool LimitRangerDefaults::HasLimit(const model::Container& container, Compute resource) const {
  return Has(kLimit, container, resource);
}

bool LimitRangerDefaults::HasRequest(const model::Container& container, Compute resource) const {
  return Has(kRequest, container, resource);
}

bool LimitRangerDefaults::HasNothingButRequest(const model::Container& container,
                                               Compute resource) const {
  return HasRequest(container, resource) &&
         Given(container.resources.requests, resource) != nullptr &&
         Given(container.resources.limits, resource) == nullptr;
}

model::PodTemplate WithoutDefaultRequests(model::PodTemplate pod) {
  const LimitRangerDefaults defaults(pod.annotations);
  for (model::Container& container : pod.containers) {
    for (const Compute resource : kCompute) {
      if (!defaults.HasNothingButRequest(container, resource)) continue;
      model::ResourceList& requests = container.resources.requests;
      requests.erase(requests.find(NameOf(resource)));
    }
  }
  return pod;
}

}  // namespace berth::policies::admission
