#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "doctor/gather.h"

namespace berth::doctor {

namespace {

using kube::JsonValue;
using Json = nlohmann::json;

constexpr const char* kReviews = "/apis/authorization.k8s.io/v1/";

// One of the chart's Deployments.
struct Process {
  std::string component;
  std::string service_account;
};

Json AttributesOf(const kube::Need& need) {
  const std::string resource(need.permission.resource);
  const std::size_t slash = resource.find('/');
  Json attributes = {{"group", need.permission.api_group},
                     {"resource", resource.substr(0, slash)},
                     {"verb", need.permission.verb}};
  if (slash != std::string::npos) attributes["subresource"] = resource.substr(slash + 1);
  if (!need.namespace_name.empty()) attributes["namespace"] = need.namespace_name;
  if (!need.name.empty()) attributes["name"] = need.name;
  return attributes;
}

absl::StatusOr<RightFacts> Review(kube::Api& api, const std::string& user, const Place& place,
                                  const kube::Need& need) {
  Json spec = {{"resourceAttributes", AttributesOf(need)}};
  const bool self = user.empty();
  if (!self) {
    spec["user"] = user;
    spec["groups"] = {"system:serviceaccounts", "system:serviceaccounts:" + place.namespace_name,
                      "system:authenticated"};
  }
  const std::string resource = self ? "selfsubjectaccessreviews" : "subjectaccessreviews";
  const Json body = {{"apiVersion", "authorization.k8s.io/v1"},
                     {"kind", self ? "SelfSubjectAccessReview" : "SubjectAccessReview"},
                     {"spec", spec}};
  RightFacts right{.user = user, .what = kube::ToString(need)};
  const absl::Status asked =
      api.Create(kReviews + resource, {{"authorization.k8s.io", resource, "create"}}, body.dump(),
                 [&right](const JsonValue& review) {
                   const JsonValue status = review.Field("status");
                   right.allowed = status.Field("allowed").Boolean();
                 });
  if (!asked.ok()) return asked;
  return right;
}

absl::StatusOr<std::vector<Process>> GatherProcesses(kube::Api& api, const Place& place) {
  std::vector<Process> processes;
  const absl::Status listed = api.List(
      fmt::format("/apis/apps/v1/namespaces/{}/deployments", place.namespace_name),
      NeedsOf(Source::kRights, place).front(),
      [&processes](const JsonValue& deployment) {
        const JsonValue metadata = deployment.Field("metadata");
        const JsonValue labels = metadata.Field("labels");
        const JsonValue spec = deployment.Field("spec");
        const JsonValue pod = spec.Field("template");
        const JsonValue pod_spec = pod.Field("spec");
        processes.push_back(
            {.component = std::string(labels.Field("app.kubernetes.io/component").String()),
             .service_account = std::string(pod_spec.Field("serviceAccountName").String())});
      },
      {.labels = "app.kubernetes.io/instance=" + place.release});
  if (!listed.ok()) return listed;
  if (!processes.empty()) return processes;
  return absl::NotFoundError(
      fmt::format("nothing of release {} is deployed in namespace {}; give --release and "
                  "--namespace of the Helm release",
                  place.release, place.namespace_name));
}

absl::Status ReviewAll(kube::Api& api, const std::string& user, const Place& place,
                       const std::vector<kube::Need>& needs, std::vector<RightFacts>& rights) {
  for (const kube::Need& need : needs) {
    auto right = Review(api, user, place, need);
    if (!right.ok()) return right.status();
    rights.push_back(*std::move(right));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<RightFacts>> GatherRights(kube::Api& api, const Questions& questions,
                                                     const std::vector<kube::Need>& own) {
  const Place& place = questions.place;
  std::vector<RightFacts> rights;
  const absl::Status mine = ReviewAll(api, "", place, own, rights);
  if (!mine.ok()) return mine;
  const auto processes = GatherProcesses(api, place);
  if (!processes.ok()) return processes.status();
  for (const Process& process : *processes) {
    const auto needs = questions.processes.find(process.component);
    if (needs == questions.processes.end()) continue;
    const std::string user = ServiceAccountUser(place.namespace_name, process.service_account);
    const absl::Status theirs = ReviewAll(api, user, place, needs->second, rights);
    if (!theirs.ok()) return theirs;
  }
  return rights;
}

}  // namespace berth::doctor
