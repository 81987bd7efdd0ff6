#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "admission/reviewer.h"
#include "gtest/gtest.h"
#include "kube/json.h"
#include "model/accelerator.h"

namespace berth::admission {

inline constexpr NamespaceRules kReviewedEnforced{policies::admission::Mode::kEnforce, false};
inline constexpr NamespaceRules kReviewedWarned{policies::admission::Mode::kWarn, false};
inline const GroupVersionKind kPodKind{"", "v1", "Pod"};
inline const GroupVersionKind kJobKind{"batch", "v1", "Job"};
inline const GroupVersionKind kTrainer{"kubeflow.org", "v1", "PyTorchJob"};

/// With creator and isolation alone, so that other policies' words stand in their own tests.
inline policies::admission::AdmissionConfig TwoPolicies() {
  policies::admission::AdmissionConfig config;
  std::apply([](auto&... policies) { ((policies.mode = policies::admission::Mode::kOff), ...); },
             config.policies.all);
  std::get<policies::admission::PolicySettings<policies::admission::CreatorPolicy>>(
      config.policies.all)
      .mode = policies::admission::Mode::kEnforce;
  std::get<policies::admission::PolicySettings<policies::admission::IsolationPolicy>>(
      config.policies.all)
      .mode = policies::admission::Mode::kEnforce;
  return config;
}

class ReviewerTest : public testing::Test {
 protected:
  /// As the API server would ask; the texts are the objects, empty for none.
  Review ReviewOf(
      const GroupVersionKind& kind, const std::string& object, const std::string& old_object = "",
      policies::admission::Operation operation = policies::admission::Operation::kCreate) {
    Review review{.uid = "u", .kind = kind, .operation = operation, .user = {.name = "alice"}};
    if (!object.empty()) review.object = parser_.Parse(object).value();
    if (!old_object.empty()) review.old_object = old_parser_.Parse(old_object).value();
    return review;
  }

  Review UpdateOf(const GroupVersionKind& kind, const std::string& from, const std::string& to) {
    return ReviewOf(kind, to, from, policies::admission::Operation::kUpdate);
  }

  kube::JsonParser parser_;
  kube::JsonParser old_parser_;
  const Reviewer reviewer_{
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::make_shared<const model::AcceleratorCatalog>(
              model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
          "berth.dev", "1.2.3", TwoPolicies()),
      {{"kubeflow.org", "PyTorchJob", "/spec/replicas/*/template"},
       {"kubeflow.org", "PyTorchJob", "/spec/launcher/template"},
       {"kubeflow.org", "PyTorchJob", "/spec/*/template"}}};
};

/// Asks for a GPU, so that isolation has nothing to say.
inline constexpr char kGpuPod[] =
    R"({"spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}]}})";
inline constexpr char kCpuPod[] = R"({"spec": {"containers": [{"name": "c"}]}})";

inline std::string TemplateOf(const std::string& pod) {
  return R"({"spec": {"template": )" + pod + "}}";
}

}  // namespace berth::admission
