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

/// Answers which unbound pods the affinity terms of bound pods could select. kube-scheduler scores
/// nodes by these terms, so a pod that none of them selects gets the same score for pod affinity on
/// every node. Owned by Snapshot. Not thread-safe: the snapshot's lock guards it.
///
/// Only pods that have such terms cost anything. Pods of one Deployment have equal terms, which are
/// stored and compared once. Terms that exceed the bounds below are widened: they count as if they
/// selected every pod of their namespaces, or, where that is too much to store, of all namespaces.
/// A widened answer makes the caller do more work than necessary, but never makes it wrong.
class AffinityIndex {
 public:
  /// Limit on the bytes of one pod's terms. An ordinary pod's terms take some 500.
  static constexpr std::size_t kMaxPodBytes = 16 * 1024;
  /// Limit on the bytes of all terms together.
  static constexpr std::size_t kMaxBytes = 32 * 1024 * 1024;
  /// From so many bytes on, new terms are widened. The rest is for widened ones.
  static constexpr std::size_t kMaxExactBytes = kMaxBytes / 8 * 7;
  /// Limit on the namespaces that widened terms are stored for. Terms with more namespaces, once
  /// widened, select the pods of all namespaces.
  static constexpr std::size_t kMaxNamespaces = 16;

  /// Sets the terms of `pod`, and replaces what was known under its namespace and name. A pod that
  /// has no terms, is not bound or has terminated is removed instead.
  void Upsert(const model::Pod& pod);

  /// Records that the pod exists but cannot be read: it keeps the terms that were last read. If the
  /// UID shows that the name belongs to another pod by now, the terms of the former pod are
  /// removed. No effect on an unknown pod.
  void Keep(const kube::UnreadableObject& pod);

  /// Removes the pod. No effect if it is unknown, or if its name belongs to another UID by now.
  void Remove(const model::Pod& pod);

  /// Begins a list of all bound pods; see NodeTable::BeginReplace.
  void BeginReplace() { ++epoch_; }
  /// Ends the list: removes every pod that was neither upserted nor kept since BeginReplace().
  void EndReplace();

  /// Returns whether a term of a bound pod could select `pod`. May return true for a pod that no
  /// term selects (see above), but never false for a pod that one does.
  bool Selects(const model::Pod& pod) const;

  /// The number of pods that have terms.
  std::size_t size() const { return records_.size(); }

  /// Roughly the bytes that the stored terms take.
  std::size_t bytes() const { return bytes_; }

 private:
  /// All terms of one pod.
  using Terms = std::vector<model::PodSelector>;
  /// Distinct terms, each with the number of pods that have exactly these.
  using Shapes = std::map<Terms, std::uint32_t>;

  /// What is stored for one pod.
  struct Record {
    std::string uid;
    /// The pod's terms, which it holds; possibly widened.
    Shapes::iterator shape;
    /// The value of epoch_ when the pod was last upserted or kept.
    std::uint32_t epoch = 0;
  };
  using Records = absl::flat_hash_map<std::string, Record>;  // by "<namespace>/<name>"

  /// Distinct label requirements, each with the number of shapes that contain them.
  using Selectors = std::map<std::vector<model::LabelRequirement>, std::uint32_t>;

  /// Removes the record, or does nothing at records_.end().
  void Remove(Records::iterator found);
  /// Whether `terms` are stored already, or can be without more than `most` bytes altogether.
  bool Fits(const Terms& terms, std::size_t most) const;
  /// Holds `terms`, widened if they exceed the bounds.
  Shapes::iterator HoldWithin(const Terms& terms);
  /// Adds one user to the shape of these terms, and creates the shape if it is new.
  Shapes::iterator Hold(const Terms& terms);
  /// Takes one user off the shape, and deletes the shape with its last user.
  void Release(Shapes::iterator shape);
  /// Returns whether a term stored under exactly `namespace_name` could select a pod with `labels`.
  bool Selects(const std::string& namespace_name, const model::StringMap& labels) const;

  Shapes shapes_;
  /// Only pods that have terms.
  Records records_;
  /// Selectors by the namespace whose pods they select. The key "" has those that select pods of
  /// any namespace.
  absl::flat_hash_map<std::string, Selectors> by_namespace_;
  /// Sum of the bytes of all shapes.
  std::size_t bytes_ = 0;
  /// The number of lists begun so far.
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
