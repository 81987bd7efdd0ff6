#include "controller/refusals.h"

#include <charconv>
#include <string>

namespace berth::controller {

namespace {

// Returns the number that ends right before `end`; 0 if there is none.
std::size_t NumberBefore(std::string_view text, std::size_t end) {
  const std::size_t before = text.substr(0, end).find_last_not_of("0123456789");
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::size_t number = 0;
  std::from_chars(text.data() + begin, text.data() + end, number);
  return number;
}

std::size_t CountOf(std::string_view message, const std::string& reason) {
  const std::string part = " " + reason;
  std::size_t at = message.find(part);
  for (; at != std::string_view::npos; at = message.find(part, at + 1)) {
    // Another reason may begin with the same words.
    const std::string_view rest = message.substr(at + part.size());
    if (rest.empty() || rest.front() == ',' || rest.front() == '.')
      return NumberBefore(message, at);
  }
  return 0;
}

}  // namespace

std::vector<Refusals> ReadRefusals(std::string_view message,
                                   const policies::scheduling::ReasonTable& reasons) {
  std::vector<Refusals> refusals;
  for (std::size_t id = 1; id < reasons.size(); ++id) {
    const auto reason = static_cast<policies::scheduling::ReasonId>(id);
    const std::size_t nodes = CountOf(message, reasons[reason].text);
    if (nodes > 0) refusals.push_back({reason, nodes});
  }
  return refusals;
}

}  // namespace berth::controller
