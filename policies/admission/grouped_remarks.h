#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Remarks on containers; what is the same of several is said once: "memory of 'a', 'b' and 7 more
/// set to 4Gi". A pod may have thousands, and nobody reads as many. Thread-compatible.
class GroupedRemarks {
 public:
  /// `before`, the container's name, `after`.
  void Add(std::string_view before, std::string_view container, std::string_view after);

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
