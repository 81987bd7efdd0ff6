#include "model/avoid.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "model/annotation.h"

namespace berth::model {

namespace {

constexpr char kFormat[] = "%E4Y-%m-%dT%H:%M:%SZ";
constexpr Time kYear0(Duration(-62'167'219'200));
constexpr Time kYear10000(Duration(253'402'300'800));

// Takes the text up to the next comma off `text`, trimmed.
std::string_view TakeItem(std::string_view& text) {
  const std::size_t end = text.find(',');
  const std::string_view item = Trim(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return item;
}

// Calls visit(owner, text of the time) for each entry, until it returns false.
template <typename Visit>
void ForEachEntry(std::string_view text, Visit visit) {
  std::size_t items = 0;
  while (!text.empty() && items++ < kMostAvoided) {
    const std::string_view item = TakeItem(text);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    if (!visit(item.substr(0, equals), item.substr(equals + 1))) return;
  }
}

}  // namespace

bool IsAvoidOwner(std::string_view uid) {
  constexpr std::size_t kLongest = 64;
  return !uid.empty() && uid.size() <= kLongest && std::ranges::all_of(uid, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
  });
}

std::vector<Avoided> ParseAvoided(std::string_view text) {
  std::vector<Avoided> entries;
  ForEachEntry(text, [&](std::string_view owner, std::string_view time) {
    if (const auto until = TimeFromRfc3339(time)) entries.push_back({std::string(owner), *until});
    return true;
  });
  return entries;
}

std::string AvoidedText(const std::vector<Avoided>& entries) {
  std::string text;
  for (const Avoided& entry : entries) {
    if (!text.empty()) text += ',';
    text += entry.owner + '=' + Rfc3339Text(entry.until);
  }
  return text;
}

std::optional<Time> AvoidedUntil(std::string_view text, std::string_view owner) {
  std::optional<Time> found;
  ForEachEntry(text, [&](std::string_view each, std::string_view time) {
    if (each == owner) found = TimeFromRfc3339(time);
    return !found;
  });
  return found;
}

std::optional<Time> TimeFromRfc3339(std::string_view text) {
  // absl accepts more: blanks around the time, "infinite-future", years of other lengths.
  constexpr std::string_view kShortest = "2006-01-02T15:04:05Z";
  const bool shaped = text.size() >= kShortest.size() && absl::ascii_isdigit(text.front()) &&
                      text[4] == '-' && (text.back() == 'Z' || absl::ascii_isdigit(text.back()));
  absl::Time time;
  if (!shaped || !absl::ParseTime(absl::RFC3339_full, std::string(text), &time, nullptr))
    return std::nullopt;
  const Time read(Duration(absl::ToUnixSeconds(time)));
  // An offset may lead out of the years of four digits, which could not be written again.
  if (read < kYear0 || read >= kYear10000) return std::nullopt;
  return read;
}

std::string Rfc3339Text(Time time) {
  // absl::FromChrono() would count nanoseconds, which overflow in 2262.
  return absl::FormatTime(kFormat, absl::FromUnixSeconds(time.time_since_epoch().count()),
                          absl::UTCTimeZone());
}

}  // namespace berth::model
