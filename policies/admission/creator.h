#pragma once

#include <string>
#include <string_view>

#include "policies/admission/policy.h"

namespace berth::policies::admission {

/// Records who created a pod or Job in the annotation created-by: on Jobs and the template of their
/// pods, and on pods that no controller makes. What was there before is replaced, so nobody passes
/// for another. A pod of a Job of batch keeps what its Job got; one that another controller makes
/// loses what its template claims, because nobody has looked whether it is so: templates of
/// Deployments and other kinds are never changed.
class CreatorPolicy : public AdmissionPolicy {
 public:
  static constexpr std::string_view kName = "creator";
  static constexpr std::string_view kConfigKey = "creator";
  static constexpr Mode kDefaultMode = Mode::kEnforce;
  static constexpr std::string_view kHelp =
      "Annotation created-by: the user who created a pod or Job";
  using Config = NoConfig;

  CreatorPolicy(const PolicyContext& context, const NoConfig&);

  bool Mutate(const Request& request, Draft& draft, Remarks& remarks) const override;

 private:
  void Record(const std::string& user, Draft& draft, Remarks& remarks) const;
  void Disclaim(Draft& draft, Remarks& remarks) const;

  std::string annotation_;
};

}  // namespace berth::policies::admission
