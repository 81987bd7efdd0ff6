#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Collects remarks about containers, and says what applies to several only once. A pod may have
/// thousands of containers, and nobody reads that many remarks. Thread-compatible.
///
///   GroupedRemarks grouped;
///   grouped.Add("memory of ", "a", " set to 4Gi");
///   grouped.Add("memory of ", "b", " set to 4Gi");
///   grouped.WriteTo(remarks);  // memory of 'a' and 'b' set to 4Gi
class GroupedRemarks {
 public:
  /// Adds the remark `before`, the container's name in quotes, `after`. Remarks with the same
  /// `before` and `after` form a group. After the first few groups, all others go into one general
  /// group.
  void Add(std::string_view before, std::string_view container, std::string_view after);

  /// Writes each group as one change to `remarks`.
  void WriteTo(Remarks& remarks) const;

 private:
  // Remarks with the same texts before and after the container's name.
  struct Group {
    std::string before;
    std::string after;
    std::vector<std::string> names;  // the first ones
    std::size_t more = 0;            // how many others
  };
  // The group with these texts, or the general group.
  Group& GroupFor(std::string_view before, std::string_view after);

  std::vector<Group> groups_;
};

}  // namespace berth::policies::admission
