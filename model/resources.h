#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace berth::model {

/// Amounts by resource name: "cpu" in thousandths of a core, everything else in whole units (bytes,
/// devices), as kube-scheduler counts them (pkg/scheduler/framework/types.go, Resource).
///
/// A sorted vector: nodes and pods name fewer than a dozen resources. Of the only one that most
/// nodes have in the snapshot it needs no memory elsewhere. Sums saturate. Thread-compatible.
class Resources {
 public:
  using Entry = std::pair<std::string, std::int64_t>;

  /// The amount of `name`, or null where it is not listed. Until the next change.
  const std::int64_t* Find(std::string_view name) const;

  /// The amount of `name`; 0 where it is not listed.
  std::int64_t Get(std::string_view name) const;

  /// Whether `name` is listed, be it with 0.
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  void Set(std::string_view name, std::int64_t amount);

  /// Adds `amount`, which may be negative, to that of `name`.
  void Add(std::string_view name, std::int64_t amount);

  /// Adds every amount of `other`.
  void Add(const Resources& other);

  bool empty() const { return entries_.empty(); }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }

  friend bool operator==(const Resources&, const Resources&) = default;

 private:
  // Lists `name`, with 0, if it is not.
  std::int64_t& AmountOf(std::string_view name);

  absl::InlinedVector<Entry, 1> entries_;  // ascending by name, each name once
};

}  // namespace berth::model
