#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {

namespace {

Finding ProblemOf(const kube::UnreadableObject& object) {
  const bool node = object.kind == "Node";
  const std::string_view meanwhile =
      node ? "until then it gets no pods" : "until then it counts as last known";
  const std::string shown = node ? fmt::format("node {}", object.name)
                                 : fmt::format("pod {} -n {}", object.name, object.namespace_);
  return Problem(fmt::format("{} {} cannot be read: {}", object.kind, kube::FullNameOf(object),
                             object.error),
                 fmt::format("correct that field; metadata.managedFields shows who wrote it: "
                             "kubectl get {} -o yaml --show-managed-fields; {}",
                             shown, meanwhile))
      .front();
}

Findings CheckReadable(const Facts& facts, const Rules&) {
  if (facts.unreadable.empty()) {
    return Ok(fmt::format("{} and {} can be read", Counted(facts.nodes->size(), "node"),
                          Counted(facts.pods->size(), "pod")));
  }
  Findings found;
  const std::size_t shown = std::min(facts.unreadable.size(), kNamesShown);
  for (std::size_t i = 0; i < shown; ++i) found.push_back(ProblemOf(facts.unreadable[i]));
  if (shown < facts.unreadable.size()) {
    const std::size_t more = facts.unreadable.size() - shown;
    Append(Problem(fmt::format("{} more cannot be read", more), "correct these first"), found);
  }
  return found;
}

}  // namespace

Check Readable() {
  return {.name = "readable",
          .help = "Berth can read every node and pod",
          .needs = {Source::kNodes, Source::kPods},
          .uses = {},
          .run = CheckReadable};
}

}  // namespace berth::doctor::checks
