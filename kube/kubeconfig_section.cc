#include "kube/kubeconfig_section.h"

#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "yaml/document.h"

namespace berth::kube {

YAML::Node Section::Value(const std::string& key) const {
  const bool is_map = node_ && node_.IsMap();
  return is_map ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
}

std::string Section::Field(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void Section::Fail(const std::string& key, std::string_view what) const {
  status_->Update(absl::InvalidArgumentError(fmt::format("{}: {} {}", file_, Field(key), what)));
}

void Section::Fail(std::string_view what) const {
  status_->Update(absl::InvalidArgumentError(fmt::format("{}: {} {}", file_, path_, what)));
}

bool Section::Has(const std::string& key) const {
  const YAML::Node value = Value(key);
  return value && !value.IsNull();
}

Section Section::Map(const std::string& key) const {
  return {Value(key), file_, Field(key), *status_};
}

std::vector<Section> Section::Items(const std::string& key) const {
  const YAML::Node list = Value(key);
  std::vector<Section> items;
  for (std::size_t i = 0; list && list.IsSequence() && i < list.size(); ++i) {
    if (!list[i].IsMap()) continue;
    items.emplace_back(list[i], file_, fmt::format("{}[{}]", Field(key), i), *status_);
  }
  return items;
}

std::vector<std::string> Section::Texts(const std::string& key) const {
  const YAML::Node list = Value(key);
  std::vector<std::string> texts;
  for (std::size_t i = 0; list && list.IsSequence() && i < list.size(); ++i) {
    if (!list[i].IsScalar()) Fail(key, "has an item that is no text");
    if (list[i].IsScalar()) texts.push_back(list[i].Scalar());
  }
  return texts;
}

std::string Section::Text(const std::string& key) const {
  const YAML::Node value = Value(key);
  if (!value || value.IsNull()) return "";
  if (value.IsScalar()) return value.Scalar();
  status_->Update(absl::InvalidArgumentError(
      fmt::format("{}:{}: {}: expected text", file_, value.Mark().line + 1, Field(key))));
  return "";
}

bool Section::Flag(const std::string& key) const {
  const std::string text = Text(key);
  if (text.empty() || text == "false") return false;
  if (text != "true") Fail(key, fmt::format("is \"{}\": expected true or false", text));
  return true;
}

std::string Section::Below(const std::string& path) const {
  return (std::filesystem::path(file_).parent_path() / path).string();
}

TextSource Section::Credential(const std::string& name) const {
  const std::string encoded = Text(name + "-data");
  if (encoded.empty()) return File(name);
  std::string text;
  if (!absl::Base64Unescape(encoded, &text)) Fail(name + "-data", "is not base64");
  return TextSource::Text(text);
}

TextSource Section::File(const std::string& key) const {
  const std::string path = Text(key);
  if (path.empty()) return {};
  TextSource source = TextSource::File(Below(path));
  const absl::StatusOr<std::string> text = source.Read();
  if (!text.ok()) Fail(key, std::string(text.status().message()));
  return source;
}

absl::StatusOr<KubeconfigFiles> KubeconfigFiles::Read(const std::vector<std::string>& files) {
  KubeconfigFiles read;
  absl::Status missing = absl::NotFoundError("no kubeconfig file is named");
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadWholeFile(file);
    if (absl::IsNotFound(text.status())) {
      missing = text.status();
      continue;
    }
    if (!text.ok()) return text.status();
    const yaml::YamlDocuments yaml = yaml::ParseYaml(*text, file);
    if (!yaml.errors.empty()) return absl::InvalidArgumentError(ToString(yaml.errors.front()));
    // What follows the first document that has content does not count, but has to be YAML.
    read.roots_.push_back(
        {.file = file, .node = yaml.documents.empty() ? YAML::Node() : yaml.documents.front()});
  }
  if (read.roots_.empty()) return missing;
  return read;
}

std::string KubeconfigFiles::files() const {
  std::vector<std::string> names;
  for (const Root& root : roots_) names.push_back(root.file);
  return fmt::format("{}", fmt::join(names, ":"));
}

Section KubeconfigFiles::Context(const std::string& name, absl::Status& status) const {
  std::string current;
  for (const Root& root : roots_) {
    if (!current.empty()) break;
    current = Section(root.node, root.file, "", status).Text("current-context");
  }
  const std::string& chosen = name.empty() ? current : name;
  if (!chosen.empty()) {
    return Named("contexts", "context", chosen,
                 name.empty() ? "current-context" : "the context asked for", status);
  }
  Section none(YAML::Node(), files(), "current-context", status);
  none.Fail("is not set; set it with kubectl config use-context NAME");
  return none;
}

Section KubeconfigFiles::Named(const std::string& list, const std::string& inner,
                               const std::string& name, const std::string& named_by,
                               absl::Status& status) const {
  const std::string path = fmt::format("{}[\"{}\"].{}", list, name, inner);
  for (const Root& root : roots_) {
    for (const Section& entry : Section(root.node, root.file, "", status).Items(list)) {
      if (entry.Text("name") != name) continue;
      return {entry.Map(inner).node(), root.file, path, status};
    }
  }
  const Section place(YAML::Node(), files(), named_by, status);
  place.Fail(fmt::format("names \"{}\", which is not in {}", name, list));
  return {YAML::Node(), files(), path, status};
}

std::vector<std::string> KubeconfigFiles::Names(const std::string& list,
                                                absl::Status& status) const {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Root& root : roots_) {
    for (const Section& entry : Section(root.node, root.file, "", status).Items(list)) {
      std::string name = entry.Text("name");
      if (name.empty() || !known.insert(name).second) continue;
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace berth::kube
