#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kube/unreadable_object.h"
#include "model/pod.h"

namespace berth::cluster {

/// Which pods the affinity terms of bound pods select: those by which kube-scheduler scores nodes.
/// Not thread-safe.
///
/// Only pods that have such terms cost anything. Pods of one Deployment have the same ones, which
/// are kept, and asked, once. Terms beyond the bounds below count as if they selected every pod of
/// their namespaces: whoever asks then does more than it had to, and nothing wrong.
class AffinityIndex {
 public:
  /// Bytes that the terms of one pod may take, and those of all. An ordinary pod's take some 500.
  static constexpr std::size_t kMaxPodBytes = 16 * 1024;
  static constexpr std::size_t kMaxBytes = 32 * 1024 * 1024;
  /// Namespaces that terms beyond the bounds are kept for; with more they count for all.
  static constexpr std::size_t kMaxNamespaces = 16;

  /// The pod is as given; what was known under its namespace and name is replaced. One that is not
  /// bound, or has terminated, has no say.
  void Upsert(const model::Pod& pod);

  /// The pod exists and cannot be read: its terms are those that were last known of it, as
  /// PodLedger::Keep has it.
  void Keep(const kube::UnreadableObject& pod);

  /// The pod exists no more. No effect where it is unknown or its name belongs to another uid by
  /// now.
  void Remove(const model::Pod& pod);

  /// Begins a list of all bound pods, as NodeTable::BeginReplace does it.
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// Whether a term of a bound pod could select `pod`, which is not bound.
  bool Selects(const model::Pod& pod) const;

  /// Pods that have terms.
  std::size_t size() const { return records_.size(); }

  /// What the terms that are kept take, somewhat roughly.
  std::size_t bytes() const { return bytes_; }

 private:
  using Terms = std::vector<model::PodSelector>;
  /// How many pods have exactly these terms.
  using Shapes = std::map<Terms, std::uint32_t>;

  struct Record {
    std::string uid;
    Shapes::iterator shape;
    std::uint32_t epoch = 0;
  };
  using Records = absl::flat_hash_map<std::string, Record>;  // by "<namespace>/<name>"

  /// How many shapes ask for exactly these labels.
  using Selectors = std::map<std::vector<model::LabelRequirement>, std::uint32_t>;

  void Remove(Records::iterator found);
  Shapes::iterator HoldWithin(const Terms& terms);
  Shapes::iterator Hold(const Terms& terms);
  void Release(Shapes::iterator shape);
  bool Selects(const std::string& namespace_name, const model::StringMap& labels) const;

  Shapes shapes_;
  Records records_;
  /// By the namespace whose pods they select; under "" those that select pods of any.
  absl::flat_hash_map<std::string, Selectors> by_namespace_;
  std::size_t bytes_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
