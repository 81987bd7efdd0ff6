#include "model/kept_room.h"

#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "model/annotation.h"
#include "model/avoid.h"
#include "model/gang.h"
#include "model/label.h"

namespace berth::model {

namespace {

// Takes the text up to the next `end` off `text`, trimmed.
std::string_view TakeUpTo(char end, std::string_view& text) {
  const std::size_t length = text.find(end);
  const std::string_view taken = Trim(text.substr(0, length));
  text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
  return taken;
}

// Whether it is "<namespace>/<name>". Names of namespaces look like those of gangs, too.
bool IsFullNameOfGang(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && IsGangName(text.substr(0, slash)) &&
         IsGangName(text.substr(slash + 1));
}

// Returns false if the text is not an integer that fits.
template <typename Integer>
bool ReadInteger(std::string_view text, Integer& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool ReadResource(std::string_view text, std::string& resource) {
  if (!IsQualifiedName(text)) return false;
  resource = text;
  return true;
}

bool ReadTime(std::string_view text, Time& time) {
  const std::optional<Time> read = TimeFromRfc3339(text);
  if (read) time = *read;
  return read.has_value();
}

// The fields of an entry, one bit each.
constexpr unsigned kResource = 1;
constexpr unsigned kDevices = 2;
constexpr unsigned kPriority = 4;
constexpr unsigned kCreated = 8;
constexpr unsigned kEndsBy = 16;
constexpr unsigned kUntil = 32;
constexpr unsigned kAllFields = kResource | kDevices | kPriority | kCreated | kEndsBy | kUntil;

// Reads one field into `room`. Returns its bit, or 0 if it cannot be read.
unsigned ReadField(std::string_view key, std::string_view value, KeptRoom& room) {
  if (key == "resource") return ReadResource(value, room.resource) ? kResource : 0;
  if (key == "devices") return ReadInteger(value, room.devices) ? kDevices : 0;
  if (key == "priority") return ReadInteger(value, room.priority) ? kPriority : 0;
  if (key == "created") return ReadTime(value, room.created) ? kCreated : 0;
  if (key == "ends-by") return ReadTime(value, room.ends_by) ? kEndsBy : 0;
  if (key == "until") return ReadTime(value, room.until) ? kUntil : 0;
  return 0;
}

// Fields that are not known are left out: a later version may have written them.
std::optional<KeptRoom> ReadRoom(std::string_view item) {
  const std::string_view gang = TakeUpTo(' ', item);
  if (!IsFullNameOfGang(gang)) return std::nullopt;
  KeptRoom room;
  unsigned read = 0;
  while (!item.empty()) {
    std::string_view value = TakeUpTo(' ', item);
    const std::string_view key = TakeUpTo('=', value);
    read |= ReadField(key, value, room);
  }
  if (read != kAllFields || room.devices <= 0) return std::nullopt;
  room.gang = gang;
  return room;
}

}  // namespace

std::vector<KeptRoom> ParseKeptRooms(std::string_view text) {
  std::vector<KeptRoom> entries;
  for (std::size_t items = 0; !text.empty() && items < kMostKeptRooms; ++items) {
    if (auto room = ReadRoom(TakeUpTo(',', text))) entries.push_back(*std::move(room));
  }
  return entries;
}

std::string KeptRoomsText(const std::vector<KeptRoom>& entries) {
  std::string text;
  for (std::size_t i = 0; i < entries.size() && i < kMostKeptRooms; ++i) {
    const KeptRoom& room = entries[i];
    if (!text.empty()) text += ", ";
    text += room.gang + " resource=" + room.resource + " devices=" + std::to_string(room.devices) +
            " priority=" + std::to_string(room.priority) + " created=" + Rfc3339Text(room.created) +
            " ends-by=" + Rfc3339Text(room.ends_by) + " until=" + Rfc3339Text(room.until);
  }
  return text;
}

}  // namespace berth::model
