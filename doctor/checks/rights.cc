#include <fmt/format.h>

#include <map>

#include "doctor/checks/all.h"

namespace berth::doctor::checks {
namespace {

Findings CheckRights(const Facts& facts, const Rules&) {
  std::map<std::string, std::vector<std::string>> missing;
  for (const RightFacts& right : *facts.rights) {
    if (!right.allowed) missing[right.user].push_back(right.what);
  }
  if (missing.empty()) {
    return Ok(fmt::format("{} held", Counted(facts.rights->size(), "right")));
  }
  Findings found;
  for (const auto& [user, what] : missing) {
    if (user.empty()) {
      Append(
          Unknown(fmt::format("you may not {}", Listed(what)),
                  "ask an administrator to bind you the roles that `berth doctor --rbac` prints"),
          found);
    } else {
      Append(Problem(fmt::format("{} may not {}", user, Listed(what)),
                     "the chart grants it: run helm upgrade, and see who changed its roles"),
             found);
    }
  }
  return found;
}

}  // namespace

Check Rights() {
  return {.name = "rights",
          .help = "you and Berth's service accounts have the permissions that they need",
          .needs = {Source::kRights},
          .uses = {},
          .run = CheckRights};
}

}  // namespace berth::doctor::checks
