#include "kube/json_object_splitter.h"

#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "kube/json.h"
#include "kube/path.h"

namespace berth::kube {

namespace {

// Which bytes end a run that needs no attention.
using Marks = std::array<bool, 256>;

constexpr Marks MarksOf(std::string_view marks) {
  Marks table{};
  for (const char mark : marks) table[static_cast<unsigned char>(mark)] = true;
  return table;
}

constexpr Marks kOutsideStrings = MarksOf("\"{}[]");
constexpr Marks kInStrings = MarksOf("\"\\");
constexpr std::string_view kBlanks = " \t\r\n";

std::size_t FindMark(std::string_view text, std::size_t at, const Marks& marks) {
  while (at < text.size() && !marks[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

std::string TextOr(simdjson::simdjson_result<simdjson::dom::element> value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

}  // namespace

void JsonObjectSplitter::Append(std::string_view bytes) {
  const bool in_object = place_ == Place::kItem || (place_ == Place::kDocument && !is_list_);
  const std::size_t dropped = in_object && !too_large_ ? begin_ : at_;
  buffer_.erase(0, dropped);
  at_ -= dropped;
  begin_ = begin_ > dropped ? begin_ - dropped : 0;
  string_begin_ -= std::min(string_begin_, dropped);
  string_end_ -= std::min(string_end_, dropped);
  buffer_.append(bytes);
}

absl::StatusOr<std::optional<JsonObjectSplitter::Object>> JsonObjectSplitter::Next() {
  if (error_.ok() && FindEnd()) return Take();
  if (!error_.ok()) return error_;
  DropIfTooLarge();
  return std::nullopt;
}

absl::Status JsonObjectSplitter::CheckEnd() const {
  if (!error_.ok()) return error_;
  if (place_ == Place::kOutside) return absl::OkStatus();
  return absl::InvalidArgumentError("the text breaks off within an object");
}

bool JsonObjectSplitter::FindEnd() {
  while (at_ < buffer_.size()) {
    if (in_string_) {
      ScanString();
      continue;
    }
    SkipPlain();
    if (at_ < buffer_.size() && OnMark(buffer_[at_++])) return true;
    if (!error_.ok()) return false;
  }
  return false;
}

void JsonObjectSplitter::SkipPlain() {
  if (place_ == Place::kOutside) {
    at_ = std::min(buffer_.find_first_not_of(kBlanks, at_), buffer_.size());
  } else {
    at_ = FindMark(buffer_, at_, kOutsideStrings);
  }
}

bool JsonObjectSplitter::OnMark(char mark) {
  if (place_ == Place::kOutside && mark != '{') {
    error_ = absl::InvalidArgumentError(
        fmt::format("expected API objects, as kubectl get -o json writes them, got {}",
                    Quoted(std::string_view(buffer_).substr(at_ - 1))));
    return false;
  }
  if (mark == '{' || mark == '[') return OnOpening(mark);
  if (mark == '}' || mark == ']') return OnClosing();
  in_string_ = true;
  string_begin_ = at_;
  return false;
}

bool JsonObjectSplitter::OnOpening(char mark) {
  ++depth_;
  if (place_ == Place::kOutside) {
    place_ = Place::kDocument;
    begin_ = at_ - 1;
    is_list_ = too_large_ = false;
    list_kind_.clear();
    list_api_version_.clear();
  } else if (place_ == Place::kItems) {
    place_ = Place::kItem;
    begin_ = at_ - 1;
    too_large_ = false;
  } else if (place_ == Place::kDocument && depth_ == 2 && mark == '[' && IsKeyItems()) {
    ReadFront();
    place_ = Place::kItems;
    is_list_ = true;
  }
  return false;
}

// Returns whether an object ends. Whether brackets match, the parser of the object tells.
bool JsonObjectSplitter::OnClosing() {
  --depth_;
  if (place_ == Place::kItem && depth_ == 2) {
    place_ = Place::kItems;
    return true;
  }
  if (place_ == Place::kItems) place_ = Place::kDocument;
  if (depth_ > 0) return false;
  place_ = Place::kOutside;
  return !is_list_;
}

void JsonObjectSplitter::ScanString() {
  if (escaped_) {
    escaped_ = false;
    ++at_;
  }
  at_ = FindMark(buffer_, at_, kInStrings);
  if (at_ >= buffer_.size()) return;
  escaped_ = buffer_[at_] == '\\';
  in_string_ = escaped_;
  if (!in_string_) string_end_ = at_;
  ++at_;
}

bool JsonObjectSplitter::IsKeyItems() const {
  if (is_list_ || too_large_) return false;
  const std::string_view text(buffer_);
  return text.substr(string_begin_, string_end_ - string_begin_) == "items";
}

void JsonObjectSplitter::ReadFront() {
  // Closed here, the list is one without items.
  const std::string front = buffer_.substr(begin_, at_ - begin_) + "]}";
  continue_token_.clear();
  JsonParser parser;
  const auto list = parser.Parse(front);
  if (!list.ok()) return;
  const std::string kind = TextOr((*list)["kind"]);
  if (kind.ends_with("List")) list_kind_ = kind.substr(0, kind.size() - 4);
  if (!list_kind_.empty()) list_api_version_ = TextOr((*list)["apiVersion"]);
  continue_token_ = TextOr((*list)["metadata"]["continue"]);
}

void JsonObjectSplitter::DropIfTooLarge() {
  const bool in_object = place_ == Place::kItem || (place_ == Place::kDocument && !is_list_);
  too_large_ = too_large_ || (in_object && at_ - begin_ > most_bytes_);
}

JsonObjectSplitter::Object JsonObjectSplitter::Take() {
  const bool whole = !too_large_ && at_ - begin_ <= most_bytes_;
  Object object{.text = {},
                .list_kind = list_kind_,
                .list_api_version = list_api_version_,
                .is_item = is_list_,
                .too_large = !whole};
  if (whole) object.text = std::string_view(buffer_).substr(begin_, at_ - begin_);
  begin_ = at_;
  too_large_ = false;
  return object;
}

}  // namespace berth::kube
