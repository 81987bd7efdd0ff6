#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/reviewer.h"
#include "model/accelerator.h"
#include "policies/admission/engine.h"
#include "policies/admission/framework_profiles.h"
#include "policies/scheduling/engine.h"
#include "policies/scheduling/health.h"
#include "report/intake.h"
#include "report/judge.h"
#include "report/summary.h"
#include "report/survey.h"

namespace berth::report {

inline constexpr model::Time kReportTime{model::Duration{1'780'315'200}};

/// The engines of one configuration.
struct Engines {
  policies::admission::AdmissionConfig admission;
  policies::scheduling::SchedulingConfig scheduling;

  std::shared_ptr<const model::AcceleratorCatalog> catalog =
      std::make_shared<const model::AcceleratorCatalog>(
          model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value());

  Judge MakeJudge(std::vector<std::string_view> only_warning = {},
                  const std::string& only_namespace = "") const {
    auto engine = std::make_shared<const policies::admission::AdmissionEngine>(catalog, "berth.dev",
                                                                               "0.1.0", admission);
    return Judge({.reviewer = std::make_shared<const admission::Reviewer>(
                      std::move(engine), policies::admission::AllTemplates(admission)),
                  .scheduling = MakeScheduling(),
                  .controllers = policies::admission::AllControllers(admission),
                  .only_warning = std::move(only_warning),
                  .only_namespace = only_namespace});
  }

  std::shared_ptr<const policies::scheduling::SchedulingEngine> MakeScheduling() const {
    return std::make_shared<const policies::scheduling::SchedulingEngine>(catalog, "berth.dev",
                                                                          scheduling);
  }

  /// Reads a text and reports on it.
  Report ReportOn(std::string_view text, SummaryRules rules = {}) const {
    const Judge judge = MakeJudge();
    Survey survey(catalog);
    Intake intake(judge, survey, 2);
    status = intake.Append(text);
    status.Update(intake.Finish());
    rules.engine = MakeScheduling();
    rules.lists_all = true;
    return Summarize(survey, rules, kReportTime);
  }

  mutable absl::Status status;
};

/// A List of objects.
inline std::string ListOf(const std::vector<std::string>& objects) {
  std::string items;
  for (const std::string& object : objects) items += (items.empty() ? "" : ",\n") + object;
  return R"({"apiVersion": "v1", "items": [)" + items + R"(], "kind": "List"})";
}

/// A node with so many devices of a model, 36 cores and 384 GiB. Without a product it has none.
inline std::string NodeJson(const std::string& name, const std::string& product = "",
                            const std::string& conditions = "") {
  const std::string gpus = product.empty() ? "" : R"(, "nvidia.com/gpu": "8")";
  return fmt::format(
      R"({{"apiVersion": "v1", "kind": "Node", "metadata": {{"name": "{}", "labels": {{{}}}}},
        "status": {{"capacity": {{"cpu": "36", "memory": "384Gi"{}}},
                   "allocatable": {{"cpu": "36", "memory": "384Gi"{}}}, "conditions": [{}]}}}})",
      name, product.empty() ? "" : R"("nvidia.com/gpu.product": ")" + product + "\"", gpus, gpus,
      conditions);
}

inline constexpr const char* kV100 = "Tesla-V100-SXM2-32GB";
inline constexpr const char* kGuaranteed =
    R"("requests": {"cpu": "4", "memory": "16Gi"}, "limits": {"cpu": "4", "memory": "16Gi"})";

/// What a pod says, as far as tests care.
struct PodText {
  std::string name;
  std::string namespace_name = "vision";
  /// Members of resources.
  std::string resources = kGuaranteed;
  std::string node = {};
  /// Further members of metadata, with a comma at the end.
  std::string metadata = {};
  std::string status = R"("phase": "Running", "qosClass": "Guaranteed")";
  /// Further members of the spec, with a comma at the end.
  std::string spec = {};
};

inline std::string PodJson(const PodText& pod) {
  return fmt::format(
      R"({{"apiVersion": "v1", "kind": "Pod", "metadata": {{{} "name": "{}", "namespace": "{}",
        "uid": "uid-{}-{}"}}, "spec": {{{} "nodeName": "{}", "containers": [
          {{"name": "main", "resources": {{{}}}}}]}}, "status": {{{}}}}})",
      pod.metadata, pod.name, pod.namespace_name, pod.namespace_name, pod.name, pod.spec, pod.node,
      pod.resources, pod.status);
}

/// A member of metadata: the controlling owner.
inline std::string OwnedBy(const std::string& api_version, const std::string& kind,
                           const std::string& name) {
  return fmt::format(R"("ownerReferences": [{{"apiVersion": "{}", "kind": "{}", "name": "{}",
                      "uid": "uid-{}", "controller": true}}],)",
                     api_version, kind, name, name);
}

inline std::string JobJson(const std::string& name, const std::string& resources,
                           const std::string& namespace_name = "vision",
                           const std::string& metadata = "") {
  return fmt::format(
      R"({{"apiVersion": "batch/v1", "kind": "Job", "metadata": {{{} "name": "{}",
        "namespace": "{}", "uid": "uid-{}"}}, "spec": {{"backoffLimit": 6, "template": {{"spec": {{
          "restartPolicy": "Never", "containers": [{{"name": "main", "resources": {{{}}}}}]}}}}}}}})",
      metadata, name, namespace_name, name, resources);
}

inline std::string NamespaceJson(const std::string& name, const std::string& labels = "") {
  return fmt::format(
      R"({{"apiVersion": "v1", "kind": "Namespace", "metadata": {{"name": "{}", "labels": {{{}}}}}}})",
      name, labels);
}

}  // namespace berth::report
