#pragma once

#include <algorithm>
#include <cstdint>

#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::extender {

/// A judgement and how long it holds, in 8 bytes. Times count from a moment that whoever keeps it
/// knows. A plain value.
class PackedJudgement {
 public:
  /// Judgements that time may change hold for less than this: 18 hours.
  static constexpr model::Duration kLongest{0xFFFF};

  /// Holds at no time.
  PackedJudgement() = default;

  /// `judgement` as of a moment at or after `begin`, from which times count. It is taken to hold
  /// for no longer than it does; at no time, if its reason is beyond the 16,383rd.
  PackedJudgement(const policies::scheduling::DatedJudgement& judgement, model::Time begin)
      : score_(judgement.score),
        reason_((judgement.fits ? judgement.would_refuse : judgement.reason) & kReasonMask),
        fits_(judgement.fits),
        last_(judgement.last),
        until_(Until(judgement, begin)) {}

  /// Whether it holds when so much time went by; below kLongest.
  bool HoldsAt(model::Duration elapsed) const { return elapsed.count() < until_; }

  policies::scheduling::Judgement Unpack() const {
    const auto reason = static_cast<policies::scheduling::ReasonId>(reason_);
    return {.fits = fits_ != 0,
            .reason = fits_ ? policies::scheduling::kNoReason : reason,
            .would_refuse = fits_ ? reason : policies::scheduling::kNoReason,
            .score = score_,
            .last = last_ != 0};
  }

 private:
  static constexpr policies::scheduling::ReasonId kReasonMask = (1 << 14) - 1;

  static std::uint16_t Until(const policies::scheduling::DatedJudgement& judgement,
                             model::Time begin) {
    if (std::max(judgement.reason, judgement.would_refuse) > kReasonMask) return 0;
    if (judgement.valid_until <= begin) return 0;
    if (judgement.valid_until == model::kForever) return 0xFFFF;
    return static_cast<std::uint16_t>(std::min(judgement.valid_until - begin, kLongest).count());
  }

  std::uint32_t score_ = 0;
  std::uint16_t reason_ : 14 = 0;
  std::uint16_t fits_ : 1 = 0;
  std::uint16_t last_ : 1 = 0;
  std::uint16_t until_ = 0;  // seconds after the beginning
};

static_assert(sizeof(PackedJudgement) == 8);

}  // namespace berth::extender
