#include "cli/mutation_output.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "cli/unified_diff.h"
#include "yaml/patch.h"
#include "yaml/text.h"

namespace berth::cli {

namespace {

std::string PlaceOf(const ManifestObject& object, const std::string& file) {
  const std::string name = object.name.empty() ? "" : " " + object.name;
  return Printable(fmt::format("{}:{}: {}{}", file, object.line, object.kind.kind, name));
}

bool Changes(const Preview& preview) { return !preview.patch.empty() && preview.denial.empty(); }

// Replaces the object inside the tree that it is a part of.
void Replace(const YAML::Node& document, const std::string& pointer, const YAML::Node& object) {
  YAML::Node place = yaml::NodeAt(document, pointer).value();
  place = object;
}

}  // namespace

std::string MutationRemarks(const Manifest& manifest, const std::vector<Preview>& previews,
                            const std::string& file) {
  std::string text;
  for (std::size_t i = 0; i < previews.size(); ++i) {
    const std::string place = PlaceOf(manifest.objects[i], file);
    for (const std::string& warning : previews[i].warnings) {
      text += fmt::format("{}: warning: {}\n", place, Printable(warning));
    }
    if (!previews[i].not_reviewed.empty()) {
      text += fmt::format("{}: not reviewed: {}\n", place, Printable(previews[i].not_reviewed));
    }
    if (!previews[i].denial.empty()) {
      text += fmt::format("{}: denied: {}\n", place, Printable(previews[i].denial));
    }
  }
  return text;
}

std::string MutationDiff(const Manifest& manifest, const std::vector<Preview>& previews,
                         const std::string& file) {
  std::string text;
  for (std::size_t i = 0; i < previews.size(); ++i) {
    if (!Changes(previews[i])) continue;
    const ManifestObject& object = manifest.objects[i];
    const std::string place = PlaceOf(object, file);
    const YAML::Node before =
        yaml::NodeAt(manifest.documents[object.document], object.pointer).value();
    text += fmt::format("--- {}\n+++ {}, admitted\n{}", place, place,
                        UnifiedDiff(yaml::YamlText(before), yaml::YamlText(previews[i].object)));
  }
  return text;
}

std::string MutationYaml(const Manifest& manifest, const std::vector<Preview>& previews) {
  std::vector<YAML::Node> documents;
  for (const YAML::Node& document : manifest.documents) documents.push_back(yaml::CopyOf(document));
  for (std::size_t i = 0; i < previews.size(); ++i) {
    const ManifestObject& object = manifest.objects[i];
    if (Changes(previews[i])) {
      Replace(documents[object.document], object.pointer, previews[i].object);
    }
  }
  std::string text;
  for (const YAML::Node& document : documents) {
    text += (text.empty() ? "" : "---\n") + yaml::YamlText(document);
  }
  return text;
}

std::string MutationPatches(const Manifest& manifest, const std::vector<Preview>& previews) {
  using Json = nlohmann::ordered_json;
  std::string text;
  for (std::size_t i = 0; i < previews.size(); ++i) {
    if (!Changes(previews[i])) continue;
    const ManifestObject& object = manifest.objects[i];
    const Json line = {{"kind", object.kind.kind},
                       {"namespace", object.namespace_name},
                       {"name", object.name},
                       {"patch", Json::parse(previews[i].patch)}};
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace berth::cli
