#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "kube/unreadable_object.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::cluster {

/// Which pods Services select. Not thread-safe.
class ServiceIndex {
 public:
  /// Labels of one selector that are kept. One of more counts as if it asked for these alone, and
  /// so selects some pods too many; nobody writes so many.
  static constexpr std::size_t kMaxLabels = 32;

  /// The Service is as given. One without a selector selects nothing and costs nothing.
  void Upsert(const model::Service& service);

  /// The Service exists and cannot be read. It selects what it selected when it was last read; one
  /// of which nothing is known may select any pod of its namespace, and without a name any pod.
  void Quarantine(const kube::UnreadableObject& service);

  /// The Service exists no more. No effect where it is unknown.
  void Remove(const model::Service& service);

  /// Begins a list of all Services, as NodeTable::BeginReplace does it.
  void BeginReplace() { ++epoch_; }
  void EndReplace();

  /// Whether a Service of its namespace selects `pod`, which is not bound, or may do so.
  bool Selects(const model::Pod& pod) const;

  /// Services that select.
  std::size_t size() const;

 private:
  struct Record {
    /// Empty: it may select any pod.
    model::StringMap selector;
    std::uint32_t epoch = 0;
  };
  using Services = std::map<std::string, Record>;

  bool Selects(const std::string& namespace_name, const model::StringMap& labels) const;

  absl::flat_hash_map<std::string, Services> by_namespace_;
  std::uint32_t epoch_ = 0;
};

}  // namespace berth::cluster
