#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::model {

/// Amounts by resource name: "cpu" in thousandths of a core, everything else in whole units (bytes,
/// devices), as kube-scheduler counts them (pkg/scheduler/framework/types.go, Resource).
///
/// A sorted vector: nodes and pods name fewer than a dozen resources. Sums saturate.
/// Thread-compatible.
class Resources {
 public:
  using Entry = std::pair<std::string, std::int64_t>;

  /// The amount of `name`; 0 where it is not listed.
  std::int64_t Get(std::string_view name) const;

  /// Whether `name` is listed, be it with 0.
  bool Has(std::string_view name) const;

  void Set(std::string_view name, std::int64_t amount);

  /// Adds `amount`, which may be negative, to that of `name`.
  void Add(std::string_view name, std::int64_t amount);

  /// Adds every amount of `other`.
  void Add(const Resources& other);

  bool empty() const { return entries_.empty(); }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  friend bool operator==(const Resources&, const Resources&) = default;

 private:
  std::vector<Entry> entries_;  // ascending by name, each name once
};

}  // namespace berth::model
