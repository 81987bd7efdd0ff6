#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace berth::cluster {

/// Stores the names of those who created pods once each, and numbers them: a large cluster has many
/// pods of few people. Counts the holders of each name, and forgets it with the last of them. Owned
/// by PodLedger. Not thread-safe: the snapshot's lock guards it.
class CreatorTable {
 public:
  /// Stands for a creator that is not known. Its name is empty.
  static constexpr std::uint32_t kNobody = 0;
  /// Longer names are cut, because anybody may write an annotation of 256 KiB. Names in Kubernetes
  /// are rarely longer than an e-mail address.
  static constexpr std::size_t kMaxBytes = 256;

  CreatorTable() : entries_(1) {}

  /// Returns the number of the name; kNobody if it is empty. It stays the same until Release() was
  /// called as often as Hold().
  std::uint32_t Hold(std::string_view name);
  /// Undoes one Hold() that returned `number`.
  void Release(std::uint32_t number);

  /// The name with a number that is held, or empty for kNobody. Valid until the next change.
  const std::string& operator[](std::uint32_t number) const { return entries_[number].name; }

  /// The number of different names that are held.
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Entry {
    std::string name;
    std::uint32_t holders = 0;
  };

  /// By number. The first entry is nobody's.
  std::vector<Entry> entries_;
  /// Numbers that belong to no name.
  std::vector<std::uint32_t> free_;
  absl::flat_hash_map<std::string, std::uint32_t> numbers_;
};

}  // namespace berth::cluster
