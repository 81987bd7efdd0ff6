#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_view.h"

namespace berth::cluster {

/// The names of nodes by index, in one contiguous piece of memory. A request compares thousands of
/// names in a row, and here the next name is usually in the processor's cache already; separate
/// strings would be scattered. Not thread-safe.
class NameList {
 public:
  /// The name that was last set for `index`, which must be below the number of entries. The view is
  /// valid until the next Set() of any index.
  std::string_view operator[](model::NodeIndex index) const {
    const Entry& entry = entries_[index];
    return {text_.data() + entry.begin, entry.length};
  }

  /// Sets the name of `index`, which may be any: entries before it that have no name yet get the
  /// empty one. A name no longer than the longest that the index ever had takes no additional
  /// memory; a longer one takes new memory, and the old one is not reused.
  void Set(model::NodeIndex index, std::string_view name);

 private:
  /// The place of one name in text_, in bytes.
  struct Entry {
    /// Where the name begins.
    std::uint32_t begin = 0;
    /// How long the present name is.
    std::uint32_t length = 0;
    /// The longest name that fits at `begin`.
    std::uint32_t room = 0;
  };

  /// By index.
  std::vector<Entry> entries_;
  /// All names, one after the other, with gaps.
  std::string text_;
};

}  // namespace berth::cluster
