#include "extender/shortlisted_pods.h"

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace berth::extender {
namespace {

std::uint64_t HashOfText(std::string_view text) {
  return absl::HashOf(absl::string_view(text.data(), text.size()));
}

}  // namespace

bool ShortlistedPods::AskedAgain(std::string_view uid, model::Time now) {
  if (uid.empty()) return false;
  const std::uint64_t hash = HashOfText(uid);
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = pods_.try_emplace(hash, Pod{.time = now});
  Pod& pod = known->second;
  const bool again = !is_new && now - pod.time < kSoon;
  pod.asked_again = again;
  if (!again) pod.only_node = 0;
  if (is_new || now > pod.time) {
    answers_.push_back({hash, now});
    pod.time = now;
  }
  ForgetOldest(now);
  return again;
}

void ShortlistedPods::SetOnlyNode(std::string_view uid, std::string_view node) {
  const std::lock_guard lock(mutex_);
  const auto known = pods_.find(HashOfText(uid));
  if (known != pods_.end()) known->second.only_node = HashOfText(node);
}

std::vector<std::size_t> ShortlistedPods::PlacesThatFailed(
    std::string_view uid, std::span<const std::string_view> names) const {
  std::vector<std::size_t> places;
  const std::lock_guard lock(mutex_);
  const auto known = pods_.find(HashOfText(uid));
  if (known == pods_.end() || !known->second.asked_again) return places;
  const std::uint64_t failed = known->second.only_node;
  for (std::size_t place = 0; failed != 0 && place < names.size(); ++place) {
    if (HashOfText(names[place]) == failed) places.push_back(place);
  }
  return places;
}

void ShortlistedPods::ForgetOldest(model::Time now) {
  while (!answers_.empty()) {
    const Answer oldest = answers_.front();
    if (answers_.size() <= most_ && now - oldest.time < kSoon) return;
    answers_.pop_front();
    const auto known = pods_.find(oldest.pod);
    if (known != pods_.end() && known->second.time == oldest.time) pods_.erase(known);
  }
}

}  // namespace berth::extender
