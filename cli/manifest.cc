#include "cli/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yaml/document.h"
#include "yaml/file.h"
#include "yaml/json.h"
#include "yaml/patch.h"

namespace berth::cli {

namespace {

std::string TextAt(const YAML::Node& object, const char* pointer) {
  const auto node = yaml::NodeAt(object, pointer);
  return node && node->IsScalar() ? node->Scalar() : "";
}

admission::GroupVersionKind KindOf(const YAML::Node& object) {
  const std::string version = TextAt(object, "/apiVersion");
  const std::size_t slash = version.find('/');
  if (slash == std::string::npos) return {"", version, TextAt(object, "/kind")};
  return {version.substr(0, slash), version.substr(slash + 1), TextAt(object, "/kind")};
}

// Collects the objects of the parsed documents. It must not work on copies, because these have no
// line numbers.
class Collector {
 public:
  Collector(const std::string& file, Manifest& manifest) : file_(file), manifest_(manifest) {}

  void Add(const YAML::Node& node, const std::string& pointer) {
    if (!node.IsMap()) {
      return Refuse(node, "is not a Kubernetes object, which is a map with apiVersion and kind");
    }
    admission::GroupVersionKind kind = KindOf(node);
    const auto items = yaml::NodeAt(node, "/items");
    if (kind.kind.ends_with("List") && items && items->IsSequence()) {
      for (std::size_t i = 0; i < items->size(); ++i) {
        Add((*items)[i], fmt::format("{}/items/{}", pointer, i));
      }
      return;
    }
    if (kind.version.empty() || kind.kind.empty()) {
      return Refuse(
          node,
          "has no apiVersion or no kind; write them, such as apiVersion: batch/v1 and kind: Job");
    }
    const std::string name = TextAt(node, "/metadata/name");
    manifest_.objects.push_back(
        {.document = manifest_.documents.size(),
         .pointer = pointer,
         .line = yaml::LineOf(node),
         .kind = std::move(kind),
         .namespace_name = TextAt(node, "/metadata/namespace"),
         .name = name.empty() ? TextAt(node, "/metadata/generateName") : name,
         .json = yaml::JsonTextOf(node)});
  }

 private:
  void Refuse(const YAML::Node& node, std::string message) {
    manifest_.errors.push_back({file_, yaml::LineOf(node), "", std::move(message)});
  }

  const std::string& file_;
  Manifest& manifest_;
};

}  // namespace

Manifest ParseManifest(std::string_view text, const std::string& file) {
  Manifest manifest;
  yaml::YamlDocuments yaml = yaml::ParseYaml(text, file);
  manifest.errors = std::move(yaml.errors);
  if (!manifest.errors.empty()) return manifest;
  Collector collector(file, manifest);
  for (const YAML::Node& document : yaml.documents) {
    collector.Add(document, "");
    manifest.documents.push_back(yaml::CopyOf(document));
  }
  if (manifest.documents.empty()) {
    manifest.errors.push_back({file, 0, "", "is empty; give the manifest of a pod or a Job"});
  }
  return manifest;
}

Manifest ReadManifest(const std::string& file) {
  const auto text = yaml::ReadFile(file, yaml::kMaxYamlBytes);
  if (text.ok()) return ParseManifest(*text, yaml::DisplayName(file));
  Manifest manifest;
  manifest.errors.push_back({yaml::DisplayName(file), 0, "", std::string(text.status().message())});
  return manifest;
}

}  // namespace berth::cli
