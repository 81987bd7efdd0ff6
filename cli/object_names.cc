#include "cli/object_names.h"

#include <fmt/format.h>

#include <cstddef>

#include "kube/path.h"
#include "model/annotation.h"
#include "model/label.h"

namespace berth::cli {

namespace {

// ValidateReleaseName in helm.sh/helm/v3/pkg/chartutil/validate_name.go (v3.22.0).
constexpr std::size_t kMostReleaseBytes = 53;

absl::Status Wrong(std::string_view name, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("{} is not the name of {}", kube::Quoted(name), what));
}

}  // namespace

absl::Status CheckNamespaceName(std::string_view name) {
  if (model::IsDnsLabel(name)) return absl::OkStatus();
  return Wrong(name,
               "a namespace; write one such as team-vision, of at most 63 lower-case letters, "
               "digits and '-'");
}

absl::Status CheckNamespaceIfAny(std::string_view name) {
  return name.empty() ? absl::OkStatus() : CheckNamespaceName(name);
}

absl::Status CheckNamespaceList(std::string_view list) {
  const std::vector<std::string_view> names = model::SplitList(list);
  if (names.empty()) return CheckNamespaceName(list);
  for (const std::string_view name : names) {
    const absl::Status named = CheckNamespaceName(name);
    if (!named.ok()) return named;
  }
  return absl::OkStatus();
}

std::vector<std::string> NamespacesIn(const std::vector<std::string>& lists) {
  std::vector<std::string> namespaces;
  for (const std::string& list : lists) {
    for (const std::string_view name : model::SplitList(list)) namespaces.emplace_back(name);
  }
  return namespaces;
}

absl::Status CheckPodName(std::string_view name) {
  if (model::IsDnsSubdomain(name)) return absl::OkStatus();
  return Wrong(name, "a pod; write one such as train-7x2lq, without its kind");
}

absl::Status CheckReleaseName(std::string_view name) {
  if (name.size() <= kMostReleaseBytes && model::IsDnsSubdomain(name)) return absl::OkStatus();
  return Wrong(name, "a Helm release; write one that `helm list` shows, such as berth");
}

}  // namespace berth::cli
