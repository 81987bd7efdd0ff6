#include "cluster/name_list.h"

#include <algorithm>

namespace berth::cluster {

void NameList::Set(model::NodeIndex index, std::string_view name) {
  if (index >= entries_.size()) entries_.resize(index + 1);
  Entry& entry = entries_[index];
  const auto length = static_cast<std::uint32_t>(name.size());
  if (length > entry.room) {
    entry.begin = static_cast<std::uint32_t>(text_.size());
    entry.room = length;
    text_ += name;
  } else {
    std::copy(name.begin(), name.end(), text_.begin() + entry.begin);
  }
  entry.length = length;
}

}  // namespace berth::cluster
