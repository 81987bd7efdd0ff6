#include "board/query.h"

#include <algorithm>
#include <charconv>

#include "kube/percent.h"

namespace berth::board {

namespace {

std::string Unescape(std::string_view text) {
  // The page writes blanks as URLSearchParams does.
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return kube::PercentDecoded(spaced).value_or("");
}

}  // namespace

std::string ParameterOf(std::string_view target, std::string_view name) {
  const std::size_t mark = target.find('?');
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : rest.size());
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == name) {
      return Unescape(part.substr(equals + 1));
    }
  }
  return "";
}

std::uint64_t NumberOf(std::string_view target, std::string_view name) {
  const std::string text = ParameterOf(target, name);
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_number ? number : 0;
}

}  // namespace berth::board
