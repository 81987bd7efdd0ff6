#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "kube/json.h"
#include "kube/json_model.h"
#include "kube/path.h"
#include "kube/readable.h"
#include "model/utf8.h"

namespace berth::kube {
namespace {

/// Returns the end of the document that begins `text`: after its last closing bracket. If brackets
/// do not match, it is the end of the text, and the parser reports what is wrong.
std::size_t DocumentEnd(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// The most bytes of a Status that an error quotes.
constexpr std::size_t kMostSaid = 1000;

/// Whether a kind is one of Kubernetes itself. The groups of all custom resources have a domain.
bool IsOwnVersion(std::string_view api_version) {
  return api_version.find('.') == std::string_view::npos;
}

/// What a v1.Status says.
std::string SaidBy(const JsonValue& status) {
  for (const char* field : {"message", "reason"}) {
    const std::string_view said = status.Field(field).String();
    if (!said.empty()) return model::Shortened(said, kMostSaid);
  }
  return "no reason is given";
}

bool IsCore(const JsonValue& object) {
  const std::string_view version = object.Field("apiVersion").String();
  return version.empty() || version == "v1";
}

/// Reads a node or a pod and adds it to `to`, or to the unreadable objects.
template <typename T>
void AddReadable(const JsonValue& object, std::string_view kind, T (*read)(const JsonValue&),
                 std::vector<T>& to, Objects& objects) {
  absl::StatusOr<T> made = ReadAlone(object, read);
  if (made.ok()) {
    to.push_back(*std::move(made));
  } else {
    objects.unreadable.push_back(UnreadableFromJson(object, kind, made.status()));
  }
}

/// Adds an object, or the objects of a list. `kind` applies if the object has none, like the items
/// of a NodeList.
void AddObject(const JsonValue& object, std::string_view kind, Objects& objects) {
  const JsonValue own_kind = object.Field("kind");
  if (!own_kind.absent()) kind = own_kind.String();
  if (!IsCore(object)) {
    ++objects.skipped;
  } else if (kind == "Node") {
    AddReadable<model::Node>(object, kind, NodeFromJson, objects.nodes, objects);
  } else if (kind == "Pod") {
    AddReadable<model::Pod>(object, kind, PodFromJson, objects.pods, objects);
  } else if (kind.ends_with("List")) {
    const std::string_view item_kind = kind.substr(0, kind.size() - 4);
    object.Field("items").ForEachItem(
        [&](const JsonValue& item) { AddObject(item, item_kind, objects); });
  } else if (kind.empty()) {
    own_kind.Report("is missing; every API object has one");
  } else {
    ++objects.skipped;
  }
}

}  // namespace

absl::Status CheckHoldsObjects(simdjson::dom::element document) {
  absl::Status ignored;  // whoever reads the objects tells of it
  const Path path("");
  const JsonValue root(document, path, ignored);
  const std::string_view kind = root.Field("kind").String();
  if (!ignored.ok() || !IsOwnVersion(root.Field("apiVersion").String())) return absl::OkStatus();
  if (kind == "Status") {
    return absl::InvalidArgumentError("is a Status, an API server's answer in place of objects: " +
                                      SaidBy(root));
  }
  // An empty list may have null.
  if (!kind.ends_with("List") || document["items"].error() != simdjson::NO_SUCH_FIELD) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format("is a {} without items", Quoted(kind)));
}

absl::StatusOr<Objects> ObjectsFromJson(std::string_view text) {
  constexpr std::string_view kJsonSpace = " \t\r\n";
  Objects objects;
  JsonParser parser;
  absl::Status error;
  for (std::size_t number = 1; number == 1 || !text.empty(); ++number) {
    const std::string_view document = text.substr(0, DocumentEnd(text));
    const auto root = parser.Parse(document);
    if (!root.ok()) return root.status();
    // The paths in the first document, usually the only one, begin at its fields.
    const std::string name = number == 1 ? "" : fmt::format("document {}", number);
    error = CheckHoldsObjects(*root);
    if (!error.ok()) return Path(name).Error(std::string(error.message()));
    AddObject(JsonValue(*root, Path(name), error), "", objects);
    if (!error.ok()) return error;
    text.remove_prefix(document.size());
    text.remove_prefix(std::min(text.find_first_not_of(kJsonSpace), text.size()));
  }
  return objects;
}

}  // namespace berth::kube
