#include "planner/gang_evictions.h"

#include "model/gang.h"
#include "planner/doubling.h"

namespace berth::planner {

void EvictionAttempts::OnTried(Clock::time_point now, Clock::duration pause) {
  tried_ = now;
  due_ = now + pause;
}

void EvictionAttempts::OnFailed(Failure failure) {
  if (!tried_) return;
  if (failure == Failure::kNoAnswer) {
    due_ = *tried_ + Doubled(kAskAgain, unanswered_++, kAgain);
  } else {
    unanswered_ = 0;
    due_ = *tried_ + kAgain;
  }
}

void EvictionAttempts::Shift(Clock::duration span) {
  if (due_) *due_ += span;
  if (tried_) *tried_ += span;
}

void BegunEvictions::Update(Round& round, bool is_first, const IsFreed& is_freed) {
  const auto goes_on = [&round](const std::string& gang) {
    const auto found = round.gangs.evictions.find(gang);
    return found != round.gangs.evictions.end() && found->second.GoesOnAt(round.time);
  };
  std::erase_if(evictions_, [&](const auto& entry) { return !goes_on(entry.first); });
  for (const auto& [gang, begun] : round.gangs.evictions) {
    if (!goes_on(gang)) continue;
    Eviction& eviction = evictions_[gang];
    if (eviction.began < begun.began) {
      eviction = {.needed = static_cast<std::size_t>(begun.pods), .began = begun.began};
      // It may be going on just now.
      eviction.attempts.BeDueAt(round.now + EvictionAttempts::kAgain);
    }
    Judge(gang, eviction, is_freed(gang), round);
    // Who began it does not lead any more.
    if (is_first && eviction.lacked) eviction.attempts.BeDueAt(round.now);
    if (eviction.is_over || !eviction.lacked || !eviction.attempts.AreDue(round.now)) continue;
    eviction.attempts.OnTried(round.now, EvictionAttempts::kAgain);
    const std::size_t slash = gang.find('/');
    round.steps.push_back({.namespace_ = gang.substr(0, slash),
                           .kind = StepKind::kEvictRest,
                           .gang = gang.substr(slash + 1),
                           .text = "its eviction has ended half-way"});
  }
}

void BegunEvictions::Judge(const std::string& gang, Eviction& eviction, bool is_freed,
                           const Round& round) {
  const std::size_t runs = round.gangs.running ? round.gangs.running(gang).size() : 0;
  const bool is_whole = runs >= eviction.needed;
  // At first it may be whole because nobody is gone yet.
  const bool may_be_over = eviction.lacked || eviction.attempts.AreDue(round.now);
  if (is_freed || (is_whole && may_be_over)) eviction.is_over = true;
  eviction.lacked = eviction.lacked || !is_whole;
}

const BegunEvictions::Eviction* BegunEvictions::Find(const std::string& gang) const {
  const auto found = evictions_.find(gang);
  return found == evictions_.end() ? nullptr : &found->second;
}

bool BegunEvictions::IsOpen(const std::string& gang) const {
  const Eviction* eviction = Find(gang);
  return eviction != nullptr && !eviction->is_over;
}

bool BegunEvictions::IsHalfWay(const std::string& gang) const {
  const Eviction* eviction = Find(gang);
  return eviction != nullptr && !eviction->is_over && eviction->lacked;
}

void BegunEvictions::OnRestFailed(const std::string& gang, std::string_view why, Failure failure) {
  const auto found = evictions_.find(gang);
  if (found == evictions_.end()) return;
  // What a budget lacks may be just those pods that wait for the end of the eviction.
  if (failure == Failure::kBudget || why.empty()) found->second.is_over = true;
  found->second.attempts.OnFailed(failure);
}

void BegunEvictions::OnFailed(const std::string& gang, Clock::time_point again) {
  const auto found = evictions_.find(gang);
  if (found == evictions_.end()) return;
  EvictionAttempts& attempts = found->second.attempts;
  if (!attempts.AreDue(again)) attempts.BeDueAt(again);
}

}  // namespace berth::planner
