#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/accelerator.h"
#include "model/pod.h"

namespace berth::board {

/// The pods that the board shows: those that wait for a node, and those that are bound and hold
/// devices of the catalogue. Finds them by name and by node. Not thread-safe.
class PodTable {
 public:
  /// The most bytes of an owner. The annotation may be as long as all annotations of an object, and
  /// every page gets the owner of every pod.
  static constexpr std::size_t kMostOwner = 256;
  /// Of Berth's own annotations of a pod, how many are kept, and the most bytes of the value of
  /// each. Users may write any number below Berth's prefix, and all pods stay in memory.
  static constexpr std::size_t kMostAnnotations = 32;
  static constexpr std::size_t kMostAnnotation = 1024;

  /// A pod, and who it belongs to.
  struct Entry {
    /// Of its annotations, it has Berth's own as far as the limits above allow. A longer value is
    /// one line that ends in "...".
    model::Pod pod;
    /// Who created it, by the annotation that admission writes, or else its namespace. One line of
    /// kMostOwner bytes at most; a longer one ends in "...".
    std::string owner;
    std::uint32_t epoch = 0;  // of the list in which it came last

    /// Whether it is not bound.
    bool Waits() const { return pod.node_name.empty(); }
  };
  /// Pods in the order of their namespaces and names.
  using Entries = std::map<std::string_view, const Entry*>;

  /// `prefix`: of Berth's annotations, "berth.dev".
  PodTable(std::shared_ptr<const model::AcceleratorCatalog> catalog, const std::string& prefix);

  /// Sets what is known of the pod. Pods that have ended, and bound pods without devices, are
  /// dropped.
  void Upsert(model::Pod pod);
  /// Removes the pod. No effect if it is unknown, or if its name belongs to another UID by now.
  void Delete(const model::Pod& pod);
  /// The pod exists but cannot be read: it stays as it was.
  void Keep(const std::string& namespace_name, const std::string& name);

  /// A list of all pods begins.
  void BeginReplace() { ++epoch_; }
  /// The list is complete: removes the pods that were not in it.
  void EndReplace();

  /// The pod, or null. Valid until it changes.
  const Entry* Find(const std::string& namespace_name, const std::string& name) const;
  /// The pods that are bound to the node, or nominated for it if `planned`.
  const Entries& On(const std::string& node, bool planned) const;
  /// All pods that wait.
  const Entries& waiting() const { return waiting_; }
  /// All pods.
  const std::unordered_map<std::string, Entry>& entries() const { return entries_; }

  /// Increases with every change of a pod that waits, or waited.
  std::uint64_t waiting_version() const { return waiting_version_; }
  /// Returns the nodes whose pods have changed since the last call.
  std::set<std::string> TakeTouched() { return std::exchange(touched_, {}); }

 private:
  // Whether the board shows the pod.
  bool IsShown(const model::Pod& pod) const;
  // Entry::owner of the pod, which still has all of its annotations.
  std::string OwnerOf(const model::Pod& pod) const;
  // Add the entry to what finds it, and remove it from there.
  void Link(const std::string& key, const Entry& entry);
  void Unlink(const std::string& key, const Entry& entry);
  void Erase(std::unordered_map<std::string, Entry>::iterator found);

  const std::shared_ptr<const model::AcceleratorCatalog> catalog_;
  const std::string created_by_;
  const std::string prefix_;
  std::unordered_map<std::string, Entry> entries_;  // by "<namespace>/<name>"
  std::unordered_map<std::string, Entries> bound_;
  std::unordered_map<std::string, Entries> planned_;
  Entries waiting_;
  std::uint64_t waiting_version_ = 0;
  std::set<std::string> touched_;
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::board
