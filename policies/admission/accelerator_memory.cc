#include "policies/admission/accelerator_memory.h"

#include <utility>

#include "model/accelerator_memory.h"
#include "model/annotation.h"
#include "policies/admission/wording.h"

namespace berth::policies::admission {

namespace {

/// The most bytes of an annotation in a text.
constexpr std::size_t kMaxSize = 40;

std::string InWords(std::int64_t gibibytes) {
  // Every device whose memory is known has more than this minimum, which is below 1 GiB.
  if (gibibytes == 0) return "whose accelerator memory is known";
  return "with at least " + std::to_string(gibibytes) + " GiB per device";
}

}  // namespace

AcceleratorMemoryPolicy::AcceleratorMemoryPolicy(const PolicyContext& context, const NoConfig&)
    : catalog_(context.catalog), name_(model::kAcceleratorMemory.Below(context.prefix)) {}

bool AcceleratorMemoryPolicy::Mutate(const Request&, Draft& draft, Remarks& remarks) const {
  NoteIfMisplaced(draft.workload(), name_, remarks);
  const auto text = model::Find(draft.pod().annotations, name_);
  if (!text || !AsksForAccelerators(draft.pod(), catalog_, name_, remarks)) return false;
  const auto minimum = model::ParseMemoryMinimum(*text);
  if (!minimum.ok()) return false;
  const std::int64_t gibibytes = model::WholeGibibytes(*minimum);
  const std::size_t before = draft.writes();
  draft.RequireOfNodes(AtLeast(gibibytes));
  if (draft.writes() > before) {
    remarks.Changed("restricted to nodes " + InWords(gibibytes) + ", as " + name_ + " says");
  }
  return true;
}

std::vector<Objection> AcceleratorMemoryPolicy::Judge(const Request&,
                                                      const model::Workload& workload) const {
  const auto text = model::Find(workload.pod.annotations, name_);
  if (!text || !AsksForAccelerators(workload.pod, catalog_)) return {};
  if (model::ParseMemoryMinimum(*text).ok()) return {};
  return {
      {.field = PodAnnotationField(workload, name_),
       .reason = "is \"" + OneLine(*text, kMaxSize) + "\", which is not a size from 1Mi to 64Pi",
       .advice = "write the minimum memory of one device, such as 40Gi"}};
}

// Gt compares integers, and never matches a label that is missing or not an integer
// (k8s.io/apimachinery/pkg/labels/selector.go, Requirement.Matches, v0.36.3). The value must be a
// valid label value, so it cannot be "-1".
model::NodeRequirement AcceleratorMemoryPolicy::AtLeast(std::int64_t gibibytes) const {
  if (gibibytes == 0) return {.key = name_, .op = "Exists", .values = {}};
  return {.key = name_, .op = "Gt", .values = {std::to_string(gibibytes - 1)}};
}

}  // namespace berth::policies::admission
