#include "cli/pod_manifest.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/terminal.h"
#include "kube/json.h"
#include "yaml/document.h"
#include "yaml/file.h"
#include "yaml/json.h"

namespace berth::cli {

namespace {

using simdjson::dom::element;

// Where objects have their pod template. This is not a list of kinds, because operators bring their
// own.
constexpr std::string_view kTemplates[] = {"/spec/template", "/spec/jobTemplate/spec/template",
                                           "/template"};

absl::Status Error(const std::string& file, std::string_view message) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", file, Printable(message)));
}

std::string TextAt(element object, std::string_view pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

std::string NameOf(element object) {
  const std::string kind = TextAt(object, "/kind");
  const std::string name = TextAt(object, "/metadata/name");
  return (kind.empty() ? "object without kind" : kind) + (name.empty() ? "" : " " + name);
}

struct Found {
  element pod;
  std::string path;  // for errors in the pod
};

std::optional<Found> FindPod(element object) {
  const std::string kind = TextAt(object, "/kind");
  if (kind == "Pod") return Found{object, kind};
  for (const std::string_view pointer : kTemplates) {
    element pod_template;
    if (object.at_pointer(std::string(pointer) + "/spec/containers").error()) continue;
    if (object.at_pointer(pointer).get(pod_template)) continue;
    std::string path = kind + std::string(pointer);
    for (char& c : path) c = c == '/' ? '.' : c;
    return Found{pod_template, std::move(path)};
  }
  return std::nullopt;
}

// Takes the first pod out of the objects that it gets.
class Finder {
 public:
  explicit Finder(std::string file) : file_(std::move(file)) {}

  absl::Status AddDocument(std::string_view json) {
    const auto root = parser_.Parse(json);
    if (!root.ok()) return Error(file_, std::string(root.status().message()));
    const absl::Status holds = kube::CheckHoldsObjects(*root);
    if (!holds.ok()) return Error(file_, std::string(holds.message()));
    simdjson::dom::array items;
    if (root->at_pointer("/items").get(items)) return Add(*root);
    for (const element item : items) {
      if (const absl::Status added = Add(item); !added.ok()) return added;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PodManifest> Take() {
    if (found_) return std::move(manifest_);
    if (manifest_.skipped.empty()) return Error(file_, "is empty; give the manifest of a pod");
    return Error(file_, fmt::format("has neither a pod nor an object with a pod template, only: {}",
                                    fmt::join(manifest_.skipped, ", ")));
  }

 private:
  absl::Status Add(element object) {
    const auto found = found_ ? std::nullopt : FindPod(object);
    if (!found) {
      manifest_.skipped.push_back(NameOf(object));
      return absl::OkStatus();
    }
    auto pod = kube::PodFromJson(found->pod, found->path);
    if (!pod.ok()) return Error(file_, std::string(pod.status().message()));
    found_ = true;
    manifest_.pod = *std::move(pod);
    manifest_.json = simdjson::minify(found->pod);
    const bool is_template = found->path != "Pod";
    manifest_.what = (is_template ? "pod template of " : "") + NameOf(object);
    return absl::OkStatus();
  }

  const std::string file_;
  kube::JsonParser parser_;
  PodManifest manifest_;
  bool found_ = false;
};

bool LooksLikeJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

absl::StatusOr<PodManifest> ParsePodManifest(std::string_view text, const std::string& file) {
  Finder finder(file);
  if (LooksLikeJson(text)) {
    const absl::Status added = finder.AddDocument(text);
    return added.ok() ? finder.Take() : added;
  }
  const yaml::YamlDocuments yaml = yaml::ParseYaml(text, file);
  if (!yaml.errors.empty()) return absl::InvalidArgumentError(yaml::ToString(yaml.errors));
  for (const YAML::Node& document : yaml.documents) {
    if (!document.IsMap()) return Error(file, "is not a Kubernetes object, which is a map");
    const absl::Status added = finder.AddDocument(yaml::JsonTextOf(document));
    if (!added.ok()) return added;
  }
  return finder.Take();
}

absl::StatusOr<PodManifest> ReadPodManifest(const std::string& file) {
  const auto text = yaml::ReadFile(file, yaml::kMaxYamlBytes);
  if (!text.ok()) return Error(yaml::DisplayName(file), std::string(text.status().message()));
  return ParsePodManifest(*text, yaml::DisplayName(file));
}

}  // namespace berth::cli
