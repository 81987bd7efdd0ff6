#include "board/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/accelerator_requests.h"
#include "model/annotation.h"
#include "model/saturating.h"
#include "policies/admission/wording.h"

namespace berth::board {

namespace {

using policies::admission::OneLine;

// The gate of somebody else that holds the pod back. Empty: there is none.
std::string ForeignGate(const model::Pod& pod, const std::string& own) {
  for (const std::string& gate : pod.gates) {
    if (gate != own) return gate;
  }
  return "";
}

std::string WhyPodWaits(const model::Pod& pod, const WaitingNames& names) {
  const std::string gate = ForeignGate(pod, names.gang.gate);
  if (!gate.empty()) return fmt::format("the scheduling gate {} holds it back", gate);
  if (!pod.nominated_node.empty()) {
    return fmt::format("planned for {}: kube-scheduler tries that node first", pod.nominated_node);
  }
  // In a PodGroup kube-scheduler has words for the pod, too, but only of the PodGroup.
  const std::string_view held = model::WhyGangIsHeld(pod);
  if (!held.empty()) return std::string(held);
  if (!pod.unschedulable.empty()) return pod.unschedulable;
  if (pod.gated) return "it waits until there are nodes for all pods of its gang";
  return "kube-scheduler has not said anything about it yet";
}

WaitingRow RowOfPod(const PodTable::Entry& entry, const model::AcceleratorCatalog& catalog,
                    const WaitingNames& names) {
  const model::Pod& pod = entry.pod;
  WaitingRow row{.namespace_name = pod.namespace_,
                 .pod = pod.name,
                 .owner = entry.owner,
                 .priority = pod.priority,
                 .created = pod.created,
                 .planned = pod.nominated_node.empty() ? 0 : 1,
                 .node = pod.nominated_node,
                 .is_held_back = !ForeignGate(pod, names.gang.gate).empty(),
                 .why = OneLine(WhyPodWaits(pod, names), kMostWhy)};
  const auto requests = model::AcceleratorRequests(pod, catalog);
  if (!requests.empty()) std::tie(row.resource, row.devices) = requests.front();
  row.models = OneLine(model::Find(pod.annotations, names.models).value_or(""), kMostModels);
  return row;
}

// A row tells of one resource: a launcher may ask for none, and what asks for another one cannot be
// added to it.
void AddDevices(WaitingRow& row, WaitingRow& pod) {
  if (row.resource.empty() && !pod.resource.empty()) {
    row.resource = std::move(pod.resource);
    row.models = std::move(pod.models);
    row.devices = pod.devices;
  } else if (row.resource == pod.resource) {
    row.devices = model::SaturatingAdd(row.devices, pod.devices);
  }
}

// Adds a pod to the row of its gang.
void AddMember(WaitingRow& row, WaitingRow pod) {
  ++row.pods;
  row.priority = std::min(row.priority, pod.priority);
  row.created = std::min(row.created, pod.created);
  AddDevices(row, pod);
  row.planned += pod.planned;
  if (row.node.empty()) row.node = std::move(pod.node);
  if (pod.is_held_back && !row.is_held_back) row.why = std::move(pod.why);
  row.is_held_back = row.is_held_back || pod.is_held_back;
}

// A gang among the rows, and why the planner holds it back: in the words of its first pod that has
// any.
struct GangInRows {
  std::size_t row = 0;
  std::string held = {};
};

// What there is to say of a gang as a whole takes the place of what was said of its first pod. The
// planner's words name the gang and how many pods it has.
void WordGang(WaitingRow& row, const std::string& held) {
  if (row.is_held_back) return;
  if (row.planned > 0) {
    row.why = fmt::format("nodes are planned for {} of its {} waiting pods{}{}", row.planned,
                          row.pods, held.empty() ? "" : "; ", held);
  } else if (!held.empty()) {
    row.why = held;
  } else if (row.pods < row.size) {
    row.why = fmt::format("{} of its {} pods wait: {}", row.pods, row.size, row.why);
  }
}

}  // namespace

WaitingNames::WaitingNames(const std::string& prefix)
    : gang(prefix), models(model::kAcceleratorsAnnotation.Below(prefix)) {}

std::vector<WaitingRow> WaitingRows(const PodTable::Entries& waiting,
                                    const model::AcceleratorCatalog& catalog,
                                    const WaitingNames& names) {
  std::vector<WaitingRow> rows;
  std::map<std::pair<std::string, std::string>, GangInRows> gangs;
  for (const auto& [key, entry] : waiting) {
    WaitingRow row = RowOfPod(*entry, catalog, names);
    const auto gang = model::GangOf(entry->pod.annotations, names.gang);
    if (gang.ok() && *gang) {
      row.gang = (*gang)->name;
      row.size = (*gang)->size;
      const auto [known, is_new] =
          gangs.try_emplace({entry->pod.namespace_, row.gang}, GangInRows{.row = rows.size()});
      GangInRows& place = known->second;
      if (place.held.empty()) place.held = OneLine(model::WhyGangIsHeld(entry->pod), kMostWhy);
      if (!is_new) {
        AddMember(rows[place.row], std::move(row));
        continue;
      }
    }
    rows.push_back(std::move(row));
  }
  for (const auto& [gang, place] : gangs) WordGang(rows[place.row], place.held);
  std::stable_sort(rows.begin(), rows.end(), [](const WaitingRow& a, const WaitingRow& b) {
    return std::tuple(a.is_held_back, -std::int64_t{a.priority}, a.created) <
           std::tuple(b.is_held_back, -std::int64_t{b.priority}, b.created);
  });
  return rows;
}

}  // namespace berth::board
