#include "tests/simulation/weather.h"

#include <array>

namespace berth::simulation {

Time Weather::Latency() {
  if (!calm_ && chance_->Percent(3)) return Time(chance_->Between(100, 5000));
  return Time(chance_->Between(0, 20));
}

int Weather::DrawRetryAfter() {
  if (chance_->Percent(30)) return 0;
  return chance_->Percent(5) ? 86'400 : chance_->Between(1, 40);
}

Fate Weather::DrawStatus() {
  struct Refusal {
    int code;
    const char* reason;
  };
  static constexpr std::array<Refusal, 8> kRefusals = {{{401, "Unauthorized"},
                                                        {403, "Forbidden"},
                                                        {404, "NotFound"},
                                                        {408, "Timeout"},
                                                        {429, "TooManyRequests"},
                                                        {500, "InternalError"},
                                                        {503, "ServiceUnavailable"},
                                                        {504, "Timeout"}}};
  const Refusal& refusal =
      kRefusals[static_cast<std::size_t>(chance_->Below(static_cast<int>(kRefusals.size())))];
  const bool tells_when = refusal.code == 429 || refusal.code >= 503;
  return {.mishap = Mishap::kStatus,
          .code = refusal.code,
          .reason = refusal.reason,
          .retry_after_seconds = tells_when ? DrawRetryAfter() : 0};
}

Fate Weather::Draw(bool watch) {
  if (calm_ || !chance_->Percent(mishaps_)) return {};
  static constexpr std::array kOfAll = {Mishap::kReset,   Mishap::kSilence, Mishap::kHtml,
                                        Mishap::kGarbage, Mishap::kCut,     Mishap::kStall};
  static constexpr std::array kOfWatches = {Mishap::kGarbage, Mishap::kCut, Mishap::kStall,
                                            Mishap::kEnd,     Mishap::kCut, Mishap::kErrorEvent};
  if (chance_->Percent(25)) return DrawStatus();
  const auto& mishaps = watch && chance_->Percent(80) ? kOfWatches : kOfAll;
  Fate fate{
      .mishap =
          mishaps[static_cast<std::size_t>(chance_->Below(static_cast<int>(mishaps.size())))]};
  fate.code = chance_->Percent(60) ? 410 : 500;
  fate.reason = fate.code == 410 ? "Expired" : "InternalError";
  fate.after = Time(chance_->Percent(30) ? 0 : chance_->Between(0, 60'000));
  return fate;
}

}  // namespace berth::simulation
