#include "admission/denial_log.h"

#include "server/log.h"

namespace berth::admission {

void DenialLog::OnReviewed(const Review& review, const Verdict& verdict) {
  if (verdict.answer.denial.empty()) return;
  const auto held_back = limiter_.Admit();
  if (!held_back) return;
  server::Log(server::LogLevel::kInfo, "denied",
              {{"kind", review.kind.kind},
               {"namespace", review.namespace_name},
               {"user", review.user.name},
               {"reason", verdict.answer.denial},
               {"heldBack", *held_back}});
}

}  // namespace berth::admission
