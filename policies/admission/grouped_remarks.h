#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Collects remarks about containers, and says what applies to several only once: "memory of 'a',
/// 'b' and 7 more set to 4Gi". A pod may have thousands of containers, and nobody reads that many
/// remarks. Thread-compatible.
class GroupedRemarks {
 public:
  /// Adds the remark `before`, the container's name in quotes, `after`. Remarks with the same
  /// `before` and `after` form a group. After the first few groups, all others go into one general
  /// group.
  void Add(std::string_view before, std::string_view container, std::string_view after);

  /// Writes each group as one change to `remarks`.
  void WriteTo(Remarks& remarks) const;

 private:
  struct Group {
    std::string before;
    std::string after;
    std::vector<std::string> names;  // the first ones
    std::size_t more = 0;
  };
  Group& GroupFor(std::string_view before, std::string_view after);

  std::vector<Group> groups_;
};

}  // namespace berth::policies::admission
