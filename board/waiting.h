#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "board/pod_table.h"
#include "model/accelerator.h"
#include "model/gang.h"
#include "model/time.h"

namespace berth::board {

/// The most bytes of the models and of the reason in a row. Both are written by others and may be
/// long, and every page gets all rows again whenever one changes.
inline constexpr std::size_t kMostModels = 256;
inline constexpr std::size_t kMostWhy = 4096;

/// A pod or a gang that waits for nodes. A plain value.
struct WaitingRow {
  std::string namespace_name;
  /// Of the pod; for a gang, of the first of its pods that waits.
  std::string pod;
  /// Empty for a single pod.
  std::string gang;
  std::string owner;
  std::int32_t priority = 0;
  /// Of a gang: of its oldest pod.
  model::Time created = model::kNoTime;
  /// What is asked for, of a gang by all of its pods that wait and want the resource of the first
  /// pod that asks for devices at all. Empty for pods without devices.
  std::int64_t devices = 0;
  std::string resource;
  /// The models that the pod prefers, as its annotation says; of a gang, those of the pod that the
  /// resource is of.
  std::string models;
  /// How many pods wait; 1 for a single pod. `size`: of the gang, as its pods state it.
  std::int64_t pods = 1;
  std::int64_t size = 1;
  /// For how many of these pods a node is planned, and the node of the first.
  std::int64_t planned = 0;
  std::string node;
  /// Whether somebody else's gate holds it back, so that nobody looks for nodes.
  bool is_held_back = false;
  /// Why it waits: a sentence.
  std::string why;

  friend bool operator==(const WaitingRow&, const WaitingRow&) = default;
};

/// By what names the rows are told apart and explained.
struct WaitingNames {
  model::GangNames gang;
  /// The annotation with the preferred models.
  std::string models;

  /// `prefix`: of Berth's annotations, "berth.dev".
  explicit WaitingNames(const std::string& prefix);
};

/// What waits, in the order in which kube-scheduler and the planner look at it: by priority, then
/// by age; the pods of a gang are one row, with the lowest priority and the oldest creation of
/// them. What others hold back comes last. kube-scheduler lets a pod that it has refused rest for a
/// while, so the order is what can be expected, and no promise.
std::vector<WaitingRow> WaitingRows(const PodTable::Entries& waiting,
                                    const model::AcceleratorCatalog& catalog,
                                    const WaitingNames& names);

}  // namespace berth::board
