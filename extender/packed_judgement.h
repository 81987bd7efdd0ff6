#pragma once

#include <algorithm>
#include <cstdint>

#include "model/time.h"
#include "policies/scheduling/engine.h"

namespace berth::extender {

/// A judgement and how long it holds, in 8 bytes. Times are relative to a moment that the owner
/// remembers. A plain value.
class PackedJudgement {
 public:
  /// Judgements that time may change hold for less than this, 18 hours; longer times are cut.
  static constexpr model::Duration kLongest{0xFFFF};

  /// A judgement that holds at no time.
  PackedJudgement() = default;

  /// Packs `judgement`, with its time relative to `begin`, which is not later than the time of the
  /// judgement. Its time may be cut, never extended. If its reason is beyond the 16,383rd, the
  /// result holds at no time. `reason` and `would_refuse` share a field, because only one of them
  /// can be set.
  PackedJudgement(const policies::scheduling::DatedJudgement& judgement, model::Time begin)
      : score_(judgement.score),
        reason_((judgement.fits ? judgement.would_refuse : judgement.reason) & kReasonMask),
        fits_(judgement.fits),
        last_(judgement.last),
        until_(Until(judgement, begin)) {}

  /// Returns whether the judgement still holds when `elapsed` has passed since `begin`. `elapsed`
  /// must be less than kLongest.
  bool HoldsAt(model::Duration elapsed) const { return elapsed.count() < until_; }

  /// Returns the judgement without its times. Only if it holds.
  policies::scheduling::Judgement Unpack() const {
    const auto reason = static_cast<policies::scheduling::ReasonId>(reason_);
    return {.fits = fits_ != 0,
            .reason = fits_ ? policies::scheduling::kNoReason : reason,
            .would_refuse = fits_ ? reason : policies::scheduling::kNoReason,
            .score = score_,
            .last = last_ != 0};
  }

 private:
  // The greatest reason that fits into reason_.
  static constexpr policies::scheduling::ReasonId kReasonMask = (1 << 14) - 1;

  // Returns until_ for a judgement: 0 for never, 0xFFFF for always.
  static std::uint16_t Until(const policies::scheduling::DatedJudgement& judgement,
                             model::Time begin) {
    if (std::max(judgement.reason, judgement.would_refuse) > kReasonMask) return 0;
    if (judgement.valid_until <= begin) return 0;
    if (judgement.valid_until == model::kForever) return 0xFFFF;
    return static_cast<std::uint16_t>(std::min(judgement.valid_until - begin, kLongest).count());
  }

  // The fields of Judgement.
  std::uint32_t score_ = 0;
  // Why the node is refused, or, if it fits, why it would be in mode Enforce.
  std::uint16_t reason_ : 14 = 0;
  std::uint16_t fits_ : 1 = 0;
  std::uint16_t last_ : 1 = 0;
  std::uint16_t until_ = 0;  // seconds after `begin`; 0xFFFF: for ever
};

static_assert(sizeof(PackedJudgement) == 8);

}  // namespace berth::extender
