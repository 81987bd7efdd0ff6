#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/kept_room.h"
#include "tests/unit/planner/fixture.h"

namespace berth::planner {

inline constexpr char kGate[] = "berth.dev/gang";
inline constexpr char kRack[] = "rack";
inline constexpr char kZone[] = "zone";

/// A Fixture in which gangs are planned, with racks and zones.
class GangFixture : public Fixture {
 public:
  GangFixture() {
    config.gangs.enabled = true;
    config.topology = {{kRack}, {kZone}};
    facts.running = [this](const std::string& gang) { return RunningOf(gang); };
    Restart();
  }
  GangFixture(const GangFixture&) = delete;
  GangFixture& operator=(const GangFixture&) = delete;

  /// A node in a rack and a zone.
  void AddNode(const std::string& name, std::int64_t devices, const std::string& rack = "",
               const std::string& zone = "") {
    nodes.push_back(RoomyNode(name, devices));
    auto& labels = nodes.back().node.labels;
    if (!rack.empty()) labels.emplace_back(kRack, rack);
    if (!zone.empty()) labels.emplace_back(kZone, zone);
    model::Normalize(labels);
    Node(name);
  }

  /// A pod of a gang, behind the gate. Its name is "<gang>-<rank>".
  model::Pod& WaitInGang(const std::string& gang, std::size_t rank, std::size_t size,
                         std::int64_t devices, const model::StringMap& more = {}) {
    const std::string name = gang + '-' + std::to_string(rank);
    Wait(name, devices);
    Edit(name, [&](model::Pod& pod) {
      pod.annotations = more;
      pod.annotations.emplace_back("batch.kubernetes.io/job-completion-index",
                                   std::to_string(rank));
      pod.annotations.emplace_back("berth.dev/gang-name", gang);
      pod.annotations.emplace_back("berth.dev/gang-size", std::to_string(size));
      model::Normalize(pod.annotations);
      pod.gates = {kGate};
      pod.gated = true;
      pod.uid = "uid-" + std::to_string(++uids_);
    });
    return pods.at(name);
  }
  /// All pods of a gang.
  void WaitAll(const std::string& gang, std::size_t size, std::int64_t devices,
               const model::StringMap& more = {}) {
    for (std::size_t rank = 0; rank < size; ++rank) WaitInGang(gang, rank, size, devices, more);
  }
  /// All pods of a gang come, get nodes and lose their gates. There has to be room for them.
  void ReleaseAll(const std::string& gang, std::size_t size, std::int64_t devices) {
    WaitAll(gang, size, devices);
    Plan();
    Plan();
  }
  /// The same, and kube-scheduler binds them.
  void RunAll(const std::string& gang, std::size_t size, std::int64_t devices) {
    ReleaseAll(gang, size, devices);
    BindAll(gang);
    Plan();
  }
  /// kube-scheduler binds a pod to its nominated node, and everybody knows it.
  void Bind(const std::string& name) {
    const model::Pod pod = pods.at(name);
    ShowBound(pod, pod.nominated_node);
    running[name] = {pod, pod.nominated_node};
    Leave(name);
  }
  /// All pods of the gang that have no gate.
  void BindAll(const std::string& gang) {
    for (const std::string& name : NamesOf(gang)) {
      if (!pods.at(name).gated) Bind(name);
    }
  }
  /// A pod that runs has ended.
  void End(const std::string& name) {
    const auto [pod, node] = running.at(name);
    ShowEnded(pod, node);
    running.erase(name);
  }
  /// All pods of the gang that run have ended.
  void EndAll(const std::string& gang) {
    Nodes names;
    for (const auto& [name, placed] : running) {
      if (GangOf(placed.first) == gang) names.push_back(name);
    }
    for (const std::string& name : names) End(name);
  }

  GangPhase PhaseOf(const std::string& gang) const {
    return planner->gangs().Find("team", gang)->phase;
  }
  std::string ReasonOf(const std::string& gang) const {
    return planner->gangs().Find("team", gang)->reason;
  }
  /// The nodes that are nominated for the gang's pods, by name of the pod.
  Nodes NodesOf(const std::string& gang) const {
    Nodes nominated;
    for (const std::string& name : NamesOf(gang)) nominated.push_back(pods.at(name).nominated_node);
    return nominated;
  }
  bool HoldsNothing(const std::string& gang) const {
    return std::ranges::all_of(NodesOf(gang), &std::string::empty);
  }
  /// How many devices are kept for the gang, by node.
  std::map<std::string, std::int64_t> KeptFor(const std::string& gang) const {
    std::map<std::string, std::int64_t> kept;
    for (const auto& [node, rooms] : planner->gangs().KeptRooms()) {
      for (const model::KeptRoom& room : rooms) {
        if (room.gang == "team/" + gang) kept[node] += room.devices;
      }
    }
    return kept;
  }
  Nodes NamesOf(const std::string& gang) const {
    Nodes names;
    for (const auto& [name, pod] : pods) {
      if (GangOf(pod) == gang) names.push_back(name);
    }
    return names;
  }
  static std::string GangOf(const model::Pod& pod) {
    return std::string(model::Find(pod.annotations, "berth.dev/gang-name").value_or(""));
  }

  /// Pods that run, and their nodes, by name.
  std::map<std::string, std::pair<model::Pod, std::string>> running;

 private:
  std::vector<std::string> RunningOf(const std::string& gang) const {
    std::vector<std::string> names;
    for (const auto& [name, placed] : running) {
      if ("team/" + GangOf(placed.first) == gang) names.push_back(placed.second);
    }
    return names;
  }

  int uids_ = 0;
};

}  // namespace berth::planner
