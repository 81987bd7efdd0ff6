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
///   Resources used;
///   used.Add("nvidia.com/gpu", 4);  // 4 devices
///   used.Add("cpu", 1500);          // one and a half cores
///
/// It is a sorted vector, because nodes and pods name fewer than a dozen resources. The first entry
/// is stored inline: most nodes have only one in the snapshot, and it takes no memory elsewhere. A
/// value type: copies are independent, and concurrent reads are safe.
class Resources {
 public:
  /// Name and amount.
  using Entry = std::pair<std::string, std::int64_t>;

  /// Returns the amount of `name`, or null if it is not listed. Valid until the next change.
  const std::int64_t* Find(std::string_view name) const;

  /// Returns the amount of `name`, or 0 if it is not listed.
  std::int64_t Get(std::string_view name) const;

  /// Whether `name` is listed, even with 0.
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  /// Lists `name` with `amount`, replacing the former amount.
  void Set(std::string_view name, std::int64_t amount);

  /// Adds `amount`, which may be negative, to that of `name`, and lists `name` if it was not. Sums
  /// saturate at the limits of int64.
  void Add(std::string_view name, std::int64_t amount);

  /// Adds every amount of `other`, which may be this object.
  void Add(const Resources& other);

  /// Whether no resource is listed.
  bool empty() const { return entries_.empty(); }
  /// Iterates in ascending order of names.
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }

  friend bool operator==(const Resources&, const Resources&) = default;

 private:
  // Returns the amount of `name`, which it lists with 0 if it was not listed.
  std::int64_t& AmountOf(std::string_view name);

  absl::InlinedVector<Entry, 1> entries_;  // ascending by name, each name once
};

}  // namespace berth::model
