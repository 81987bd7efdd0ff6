#include "placement/explanation_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "model/accelerator_memory.h"
#include "model/annotation.h"
#include "model/suggest.h"
#include "model/taint.h"

namespace berth::placement {

namespace {

using Hints = std::vector<std::string>;

void AddUnknownModels(std::string_view annotation, const model::AcceleratorCatalog& catalog,
                      Hints& hints) {
  const std::vector<std::string_view> names = catalog.names();
  for (const std::string_view name : model::SplitList(annotation)) {
    if (catalog.IndexOf(name) != model::AcceleratorCatalog::kNone) continue;
    hints.push_back(fmt::format("{} is not in the catalogue; it has {}{}", name,
                                model::JoinSome(names), model::DidYouMean(name, names)));
  }
}

void AddBadMemory(const std::string& annotation, std::string_view text, Hints& hints) {
  const absl::Status status = model::ParseMemoryMinimum(text).status();
  if (status.ok()) return;
  hints.push_back(fmt::format("{}: {}", annotation, std::string(status.message())));
}

// Berth leaves counting devices to kube-scheduler, so a fitting node may have too few.
void AddScarcity(const Explanation& explanation, std::size_t request, Hints& hints) {
  std::size_t enough = 0;
  std::size_t unlisted = 0;
  std::int64_t most = 0;
  for (const NodeExplanation& node : explanation.nodes) {
    if (!node.fits) continue;
    const DeviceCount& devices = node.devices[request];
    unlisted += devices.listed ? 0 : 1;
    enough += devices.Free() >= devices.requested ? 1 : 0;
    most = std::max(most, devices.Free());
  }
  const auto& [resource, amount] = explanation.requests[request];
  if (enough < explanation.fitting) {
    hints.push_back(fmt::format("of the {} that fit, {} {} {} free {}{}", explanation.fitting,
                                enough, enough == 1 ? "has" : "have", amount, resource,
                                enough == 0 ? fmt::format("; the most is {}", most) : ""));
  }
  if (unlisted > 0) {
    hints.push_back(fmt::format(
        "{} that {} no {} at all; kube-scheduler will refuse {}, unless dynamic resource "
        "allocation serves it there",
        unlisted, unlisted == 1 ? "fits lists" : "fit list", resource,
        unlisted == 1 ? "it" : "them"));
  }
}

void AddQuarantined(const cluster::Quarantine& quarantine, std::string_view kind,
                    std::string_view meanwhile, Hints& hints) {
  constexpr std::size_t kShown = 3;
  std::size_t told = quarantine.nameless();
  if (told > 0) {
    hints.push_back(
        fmt::format("not even the names of {} {}{} can be read", told, kind, told == 1 ? "" : "s"));
  }
  std::size_t shown = 0;
  quarantine.ForEach([&](const std::string& name, const std::string& error) {
    if (shown == kShown) return;
    hints.push_back(fmt::format("{} {} cannot be read; {}: {}", kind, name, meanwhile, error));
    ++shown;
  });
  told += shown;
  if (told < quarantine.size()) {
    const std::size_t more = quarantine.size() - told;
    hints.push_back(fmt::format("{} more {}{} cannot be read", more, kind, more == 1 ? "" : "s"));
  }
}

}  // namespace

std::vector<std::string> HintsFor(const model::Pod& pod, const Explanation& explanation,
                                  const policies::scheduling::SchedulingEngine& engine) {
  Hints hints;
  const std::string accelerators = model::kAcceleratorsAnnotation.Below(engine.prefix());
  if (const auto models = model::Find(pod.annotations, accelerators)) {
    AddUnknownModels(*models, engine.catalog(), hints);
  }
  const std::string memory = model::kAcceleratorMemory.Below(engine.prefix());
  if (const auto text = model::Find(pod.annotations, memory)) AddBadMemory(memory, *text, hints);
  for (std::size_t i = 0; i < explanation.requests.size(); ++i) {
    AddScarcity(explanation, i, hints);
  }
  if (!pod.node_name.empty()) {
    hints.push_back(fmt::format(
        "the pod is bound to {} already, and its devices count as used there", pod.node_name));
  }
  return hints;
}

bool IsUnderRepair(const model::Node& node) {
  return model::FindTaint(node.taints, model::kOperatingTaint, model::kNoSchedule) != nullptr;
}

Hints RepairHints(const model::Pod& pod, const model::ClusterView& view) {
  const model::Taint taint{std::string(model::kOperatingTaint), "",
                           std::string(model::kNoSchedule)};
  if (model::IsTolerated(taint, pod.tolerations)) return {};
  std::vector<std::string_view> names;
  for (model::NodeIndex i = 0; i < view.EndIndex(); ++i) {
    const model::NodeState* const state = view.At(i);
    if (state != nullptr && IsUnderRepair(state->node)) names.push_back(state->node.name);
  }
  if (names.empty()) return {};
  constexpr std::size_t kShown = 3;
  const std::size_t count = names.size();
  const std::string more = count > kShown ? fmt::format(" and {} more", count - kShown) : "";
  names.resize(std::min(count, kShown));
  return {fmt::format("{} {} {}, so kube-scheduler places nothing there: {}{}", count,
                      count == 1 ? "node is" : "nodes are", kUnderRepair, fmt::join(names, ", "),
                      more)};
}

std::vector<std::string> QuarantineHints(const cluster::Snapshot::Reader& view) {
  Hints hints;
  AddQuarantined(view.Quarantined(cluster::Kind::kNodes), "node", "it gets no pods until it can be",
                 hints);
  AddQuarantined(view.Quarantined(cluster::Kind::kPods), "pod", "it counts as last known", hints);
  return hints;
}

}  // namespace berth::placement
