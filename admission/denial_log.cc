#include "admission/denial_log.h"

#include "model/utf8.h"
#include "policies/admission/creator.h"
#include "server/log.h"

namespace berth::admission {
namespace {

// Bytes of what the request names. As much of a user as created-by has.
constexpr std::size_t kMaxText = policies::admission::CreatorPolicy::kMaxNameBytes;

}  // namespace

void DenialLog::OnReviewed(const Review& review, const Verdict& verdict) {
  if (verdict.answer.denial.empty()) return;
  const auto held_back = limiter_.Admit();
  if (!held_back) return;
  server::Log(server::LogLevel::kInfo, "denied",
              {{"kind", model::Shortened(review.kind.kind, kMaxText)},
               {"namespace", model::Shortened(review.namespace_name, kMaxText)},
               {"user", model::Shortened(review.user.name, kMaxText)},
               {"reason", verdict.answer.denial},
               {"heldBack", *held_back}});
}

}  // namespace berth::admission
