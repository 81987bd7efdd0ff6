#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_view.h"

namespace berth::cluster {

/// Names by index, in one piece of memory: what is compared with thousands of names in a row finds
/// the next one in the cache, where strings of their own would be scattered. Not thread-safe.
class NameList {
 public:
  /// The last that was set for `index`, until the next is set for any index.
  std::string_view operator[](model::NodeIndex index) const {
    const Entry& entry = entries_[index];
    return {text_.data() + entry.begin, entry.length};
  }

  /// `index` may be any; those before it that have no name yet get the empty one. A name no longer
  /// than the longest that the index ever had takes no more memory.
  void Set(model::NodeIndex index, std::string_view name);

 private:
  struct Entry {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    std::uint32_t room = 0;
  };

  std::vector<Entry> entries_;
  std::string text_;
};

}  // namespace berth::cluster
