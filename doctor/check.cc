#include "doctor/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace berth::doctor {

namespace {

// If nobody asked the source on purpose, nothing is missing.
Findings NotKnown(const Check& check, const absl::Status& why) {
  if (absl::IsFailedPrecondition(why)) return Note(std::string(why.message()));
  std::string advice =
      absl::IsPermissionDenied(why)
          ? "ask an administrator to bind you the role that `berth doctor --rbac` prints"
          : "";
  if (!advice.empty()) advice += fmt::format(", or leave it out with --skip {}", check.name);
  return Unknown(std::string(why.message()), std::move(advice));
}

Findings RunOne(const Check& check, const Facts& facts, const Rules& rules) {
  for (const Source source : check.needs) {
    const absl::Status status = facts.StatusOf(source);
    if (!status.ok()) return NotKnown(check, status);
  }
  return check.run(facts, rules);
}

}  // namespace

bool AsksForDevices(const PodFacts& pod, const model::AcceleratorCatalog& catalog) {
  return std::ranges::any_of(catalog.resources(), [&pod](const std::string& resource) {
    return pod.requests.Get(resource) > 0;
  });
}

Findings Examine(std::span<const Check> checks, const Facts& facts, const Rules& rules) {
  Findings all;
  for (const Check& check : checks) {
    Findings found = RunOne(check, facts, rules);
    for (Finding& finding : found) finding.check = check.name;
    Append(std::move(found), all);
  }
  return all;
}

}  // namespace berth::doctor
