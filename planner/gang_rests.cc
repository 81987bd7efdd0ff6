#include "planner/gang_rests.h"

#include "absl/time/time.h"
#include "planner/doubling.h"

namespace berth::planner {

namespace {

std::string TextOf(model::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

}  // namespace

void GangRests::OnFailed(const std::string& gang, std::string_view why, Clock::time_point now,
                         std::chrono::seconds first) {
  Rest& rest = rests_[gang];
  const bool begun = rest.failures == 0 || rest.until.has_value();
  if (begun) ++rest.failures;
  rest.first = first;
  rest.why = why;
  rest.until.reset();
  rest.last = now;
}

std::optional<std::string> GangRests::Reason(const std::string& gang, Clock::time_point now,
                                             model::Time time) {
  const auto found = rests_.find(gang);
  if (found == rests_.end()) return std::nullopt;
  Rest& rest = found->second;
  if (!rest.until) {
    const model::Duration span = Doubled(rest.first, rest.failures - 1, kMost);
    rest.until = rest.last = now + span;
    rest.until_time = model::SaturatingAdd(time, span);
  }
  if (*rest.until <= now) return std::nullopt;
  std::string reason = "rests until " + TextOf(rest.until_time) + ", because " + rest.why;
  if (rest.failures > 1) reason += ", " + std::to_string(rest.failures) + " times so far";
  return reason;
}

void GangRests::Prune(Clock::time_point now,
                      const std::function<bool(const std::string& gang)>& waits) {
  std::erase_if(rests_, [&](const auto& entry) {
    return entry.second.last + kForget <= now && !waits(entry.first);
  });
}

}  // namespace berth::planner
