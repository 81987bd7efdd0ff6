#include "policies/admission/limit_ranger.h"

#include <optional>

#include "model/annotation.h"

namespace berth::policies::admission {

namespace {

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";
constexpr std::string_view kBegin = "LimitRanger plugin set: ";
constexpr std::string_view kLimits = " limit for ";

std::string Key(std::string_view resource, std::string_view container) {
  return std::string(resource) + " " + std::string(container);
}

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
  const std::size_t middle = clause.find(kLimits);
  if (middle == std::string_view::npos) return;
  const std::string_view container = clause.substr(middle + kLimits.size());
  for (const std::string_view resource : model::SplitList(clause.substr(0, middle))) {
    limits_.insert(Key(resource, container));
  }
}

bool LimitRangerDefaults::HasLimit(const model::Container& container, Compute resource) const {
  if (limits_.empty()) return false;
  const std::string_view kind = container.init ? "init container " : "container ";
  return limits_.contains(Key(NameOf(resource), std::string(kind) + container.name));
}

}  // namespace berth::policies::admission
