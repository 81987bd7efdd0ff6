#include "cli/mutation.h"

#include <absl/status/status.h>

#include <utility>

#include "kube/json.h"
#include "yaml/patch.h"

namespace berth::cli {

namespace {

admission::Review ReviewOf(const ManifestObject& object, const Creation& creation) {
  admission::Review review;
  review.kind = object.kind;
  review.namespace_name =
      object.namespace_name.empty() ? creation.namespace_name : object.namespace_name;
  review.user = creation.user;
  return review;
}

Preview PreviewOf(const YAML::Node& document, const ManifestObject& object,
                  const admission::Reviewer& reviewer, const Creation& creation) {
  Preview preview{.object = yaml::CopyOf(yaml::NodeAt(document, object.pointer).value())};
  kube::JsonParser parser;
  const auto root = parser.Parse(object.json);
  if (!root.ok()) {
    preview.denial = "berth: " + std::string(root.status().message());
    return preview;
  }
  admission::Review review = ReviewOf(object, creation);
  review.object = *root;
  preview.not_reviewed = reviewer.WhyNotReviewed(review);
  admission::Verdict verdict = reviewer.Preview(review, creation.rules);
  admission::Answer& answer = verdict.answer;
  preview.pods_denied = verdict.pods_denied;
  preview.patch = std::move(answer.patch);
  preview.warnings = std::move(answer.warnings);
  preview.denial = std::move(answer.denial);
  if (preview.patch.empty()) return preview;
  const absl::Status applied = yaml::ApplyPatch(preview.patch, preview.object);
  if (!applied.ok()) preview.denial = "berth: " + std::string(applied.message());
  return preview;
}

}  // namespace

std::vector<Preview> PreviewsOf(const Manifest& manifest, const admission::Reviewer& reviewer,
                                const Creation& creation) {
  std::vector<Preview> previews;
  for (const ManifestObject& object : manifest.objects) {
    previews.push_back(PreviewOf(manifest.documents[object.document], object, reviewer, creation));
  }
  return previews;
}

}  // namespace berth::cli
