#include "config/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "config/values.h"
#include "model/suggest.h"
#include "yaml/document.h"
#include "yaml/file.h"
#include "yaml/scalar.h"

namespace berth::config {

namespace {

// A value of the file, its path and its line.
struct Place {
  const YAML::Node& node;
  const std::string& path;
  int line;
};

// Whether `path` is `outer` or below it.
bool IsWithin(std::string_view path, std::string_view outer) {
  if (!path.starts_with(outer)) return false;
  return path.size() == outer.size() || path[outer.size()] == '.' || path[outer.size()] == '[';
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  void AddError(int line, std::string path, std::string message) {
    errors_.push_back({file_, line, std::move(path), std::move(message)});
  }

  // Adds the errors of Validate(). Leaves out those about values that could not be read: these
  // still have their defaults, and the user did not write them.
  void AddFindings(const std::vector<model::FieldError>& findings) {
    const std::vector<yaml::SourceError> unread = errors_;
    for (const model::FieldError& finding : findings) {
      const auto explains = [&](const yaml::SourceError& error) {
        return !error.path.empty() && IsWithin(finding.path, error.path);
      };
      if (std::any_of(unread.begin(), unread.end(), explains)) continue;
      AddError(LineOfPath(finding.path), finding.path, finding.message);
    }
  }

  template <typename T>
  void Read(const Place& place, T& value) {
    lines_[place.path] = place.line;
    if (place.node.IsNull()) return;
    if constexpr (requires { ReadValue(place.node, value); }) {
      Report(ReadValue(place.node, value), place);
    } else if constexpr (std::is_enum_v<T>) {
      ReadEnum(place, value);
    } else {
      ReadStruct(place, value);
    }
  }

  template <typename T>
  void Read(const Place& place, std::vector<T>& values) {
    lines_[place.path] = place.line;
    if (place.node.IsNull()) return;
    if (!place.node.IsSequence()) {
      return AddError(place.line, place.path,
                      fmt::format("must be a list, got {}", Describe(yaml::TypeOf(place.node))));
    }
    values.assign(place.node.size(), T{});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const YAML::Node item = place.node[i];
      const std::string path = yaml::ItemPath(place.path, i);
      if (item.IsNull()) AddError(yaml::LineOf(item), path, "is empty; write a value or remove it");
      Read({item, path, yaml::LineOf(item)}, values[i]);
    }
  }

  std::vector<yaml::SourceError> TakeErrors() {
    std::stable_sort(errors_.begin(), errors_.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(errors_);
  }

 private:
  void Report(const absl::Status& status, const Place& place) {
    if (!status.ok()) AddError(place.line, place.path, std::string(status.message()));
  }

  template <typename T>
  void ReadEnum(const Place& place, T& value) {
    const auto names = EnumNames(value);
    std::vector<std::string_view> words;
    for (const auto& name : names) words.push_back(name.name);
    std::size_t position = 0;
    const absl::Status status = ReadName(place.node, words, position);
    if (status.ok()) value = names[position].value;
    Report(status, place);
  }

  template <typename T>
  void ReadStruct(const Place& place, T& value);

  // The line of `path`, or of the nearest enclosing value in the file.
  int LineOfPath(std::string path) const {
    while (true) {
      const auto line = lines_.find(path);
      if (line != lines_.end()) return line->second;
      if (path.empty()) return 0;
      const std::size_t end = path.find_last_of(".[");
      path.resize(end == std::string::npos ? 0 : end);
    }
  }

  std::string file_;
  std::map<std::string, int> lines_;
  std::vector<yaml::SourceError> errors_;
};

// The visitor that fills the fields of one struct from one map, and then reports unknown keys.
class StructReader {
 public:
  StructReader(Reader& reader, const Place& place) : reader_(reader), place_(place) {}

  template <typename T>
  void operator()(std::string_view key, T& value, std::string_view /*help*/) {
    known_.push_back(key);
    for (const auto& entry : place_.node) {
      if (entry.first.Scalar() != key) continue;
      reader_.Read({entry.second, yaml::FieldPath(place_.path, key), yaml::LineOf(entry.first)},
                   value);
    }
  }

  template <typename T>
  void Required(std::string_view key, T& value, std::string_view help) {
    const YAML::Node node = place_.node[std::string(key)];
    if (!node.IsDefined() || node.IsNull()) {
      reader_.AddError(place_.line, yaml::FieldPath(place_.path, key), "is missing");
    }
    (*this)(key, value, help);
  }

  // Whether the map has a value for that key.
  bool Has(const std::string& key) const {
    const YAML::Node node = place_.node[key];
    return node.IsDefined() && !node.IsNull();
  }

  void RefuseUnknownKeys() {
    for (const auto& entry : place_.node) {
      const std::string& key = entry.first.Scalar();
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::string hint = model::DidYouMean(key, known_);
      reader_.AddError(yaml::LineOf(entry.first), yaml::FieldPath(place_.path, key),
                       hint.empty()
                           ? "there is no such field; the fields are " + model::Join(known_)
                           : "there is no such field" + hint);
    }
  }

 private:
  Reader& reader_;
  const Place& place_;
  std::vector<std::string_view> known_;
};

template <typename T>
void Reader::ReadStruct(const Place& place, T& value) {
  if (!place.node.IsMap()) {
    return AddError(
        place.line, place.path,
        fmt::format("must be a map of fields, got {}", Describe(yaml::TypeOf(place.node))));
  }
  StructReader fields(*this, place);
  VisitFields(fields, value);
  fields.RefuseUnknownKeys();
  const auto written = [&fields](const std::string& key) { return fields.Has(key); };
  if constexpr (requires { FillIn(value, written); }) FillIn(value, written);
}

// The text under a key of the document, or an empty string.
std::string TextOf(const YAML::Node& document, const char* key) {
  const YAML::Node node = document[key];
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : "";
}

// Reading a file of another kind or version would only give misleading errors.
bool RefuseOtherKinds(const YAML::Node& document, Reader& reader) {
  bool refused = false;
  for (const auto& [key, supported] :
       {std::pair{"apiVersion", kConfigApiVersion}, std::pair{"kind", kConfigKind}}) {
    const std::string text = TextOf(document, key);
    if (text == supported) continue;
    refused = true;
    const YAML::Node node = document[key];
    reader.AddError(node.IsDefined() ? yaml::LineOf(node) : yaml::LineOf(document), key,
                    node.IsDefined()
                        ? fmt::format("\"{}\" is not supported; write {}", text, supported)
                        : fmt::format("is missing; write {}", supported));
  }
  return refused;
}

std::string CountError(std::size_t documents) {
  if (documents > 1) return "has several documents; keep one";
  return fmt::format("is empty; write at least \"apiVersion: {}\" and \"kind: {}\"",
                     kConfigApiVersion, kConfigKind);
}

void ReadDocument(const std::vector<YAML::Node>& documents, Reader& reader,
                  BerthConfiguration& config) {
  if (documents.size() != 1) {
    return reader.AddError(documents.size() > 1 ? yaml::LineOf(documents[1]) : 0, "",
                           CountError(documents.size()));
  }
  const YAML::Node& document = documents.front();
  if (!document.IsMap()) {
    return reader.AddError(
        yaml::LineOf(document), "",
        fmt::format("must be a map of fields, got {}", Describe(yaml::TypeOf(document))));
  }
  if (RefuseOtherKinds(document, reader)) return;
  reader.Read({document, "", yaml::LineOf(document)}, config);
  reader.AddFindings(Validate(config));
}

}  // namespace

ConfigReading ParseConfig(std::string_view text, const std::string& file) {
  ConfigReading result;
  yaml::YamlDocuments yaml = yaml::ParseYaml(text, file);
  result.errors = std::move(yaml.errors);
  if (!result.ok()) return result;
  Reader reader(file);
  ReadDocument(yaml.documents, reader, result.config);
  result.errors = reader.TakeErrors();
  return result;
}

ConfigReading ReadConfig(const std::string& file) {
  auto text = yaml::ReadFile(file, yaml::kMaxYamlBytes);
  ConfigReading result;
  if (text.ok()) {
    result = ParseConfig(*text, yaml::DisplayName(file));
    result.text = *std::move(text);
    return result;
  }
  result.errors.push_back({yaml::DisplayName(file), 0, "", std::string(text.status().message())});
  return result;
}

}  // namespace berth::config
