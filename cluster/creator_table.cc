#include "cluster/creator_table.h"

#include <string>

#include "model/utf8.h"

namespace berth::cluster {

std::uint32_t CreatorTable::Hold(std::string_view name) {
  if (name.empty()) return kNobody;
  const std::string key(model::WholeCharacters(name, kMaxBytes));
  const auto [found, is_new] = numbers_.try_emplace(key, kNobody);
  if (is_new) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.emplace_back();
    }
    found->second = free_.back();
    free_.pop_back();
    entries_[found->second].name = key;
  }
  ++entries_[found->second].holders;
  return found->second;
}

void CreatorTable::Release(std::uint32_t number) {
  if (number == kNobody || --entries_[number].holders > 0) return;
  numbers_.erase(entries_[number].name);
  entries_[number] = {};
  free_.push_back(number);
}

}  // namespace berth::cluster
