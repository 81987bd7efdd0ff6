#include "cluster/creator_table.h"

namespace berth::cluster {
namespace {

// Cuts the text between two characters of UTF-8.
std::string_view CutToFit(std::string_view text) {
  if (text.size() <= CreatorTable::kMaxBytes) return text;
  std::size_t end = CreatorTable::kMaxBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

std::uint32_t CreatorTable::Hold(std::string_view name) {
  if (name.empty()) return kNobody;
  const std::string key(CutToFit(name));
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
