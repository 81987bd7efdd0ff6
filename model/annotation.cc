#include "model/annotation.h"

namespace berth::model {

std::string OwnName::Below(std::string_view prefix) const {
  return std::string(prefix) + "/" + std::string(name);
}

bool OwnName::IsNameOf(std::string_view full_name) const {
  return full_name.ends_with(name) &&
         full_name.substr(0, full_name.size() - name.size()).ends_with('/');
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string_view> SplitList(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty() && items.size() < kMaxListItems) {
    const std::size_t comma = text.find(',');
    const std::string_view item = Trim(text.substr(0, comma));
    if (!item.empty()) items.push_back(item);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return items;
}

}  // namespace berth::model
