// An AdmissionReview: it is refused with a sentence, or answered with a valid one; so is one of
// which only the front is looked at.
#include <memory>
#include <nlohmann/json.hpp>

#include "admission/reviewer.h"
#include "kube/json_sizes.h"
#include "kube/json_text.h"
#include "model/accelerator.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace berth;

const admission::Reviewer& Reviewer() {
  static const admission::Reviewer reviewer(
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::make_shared<const model::AcceleratorCatalog>(
              model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
          "berth.dev", "1.2.3", policies::admission::AdmissionConfig()),
      {{.group = "kubeflow.org",
        .kind = "PyTorchJob",
        .path = "/spec/pytorchReplicaSpecs/*/template"}});
  return reviewer;
}

void Check(const admission::Review& review, const admission::Verdict& verdict,
           policies::admission::Mode mode) {
  fuzz::Require(nlohmann::json::accept(admission::ReviewReply(review.uid, verdict.answer)),
                "the answer is JSON");
  const std::string& patch = verdict.answer.patch;
  fuzz::Require(patch.empty() || nlohmann::json::accept(patch), "the patch is JSON");
  if (mode == policies::admission::Mode::kEnforce) return;
  fuzz::Require(patch.empty() && verdict.answer.denial.empty(), "warn only warns");
}

void CheckWhole(std::string_view body, policies::admission::Mode mode) {
  kube::JsonParser parser(kube::kMaxValues);
  const auto review = admission::ReadReview(parser, body);
  fuzz::RequireSentence(review.status());
  if (!review.ok()) return;
  kube::JsonParser other(kube::kMaxValues);
  fuzz::Require(admission::ReadReview(other, kube::WithoutMembers(body, "managedFields")).ok(),
                "nothing that is required is left out");
  const admission::NamespaceRules rules{.mode = mode};
  Check(*review, Reviewer().Mutate(*review, rules), mode);
  Check(*review, Reviewer().Validate(*review, rules), mode);
}

void CheckFront(std::string_view body, policies::admission::Mode mode) {
  const auto front = admission::ReadReviewFront(body.substr(0, admission::kFrontBytes));
  if (!front) return;
  const admission::Verdict verdict =
      Reviewer().Unread(*front, {.mode = mode}, "too large", admission::Denial::kTooLarge);
  Check(*front, verdict, mode);
  const bool judged = front->kind == admission::GroupVersionKind{"", "v1", "Pod"} &&
                      front->sub_resource.empty() &&
                      front->operation == policies::admission::Operation::kCreate;
  fuzz::Require(
      !judged || verdict.answer.denial.empty() == (mode == policies::admission::Mode::kWarn),
      "enforce denies what it cannot read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const policies::admission::Mode mode :
       {policies::admission::Mode::kWarn, policies::admission::Mode::kEnforce}) {
    CheckWhole(fuzz::TextOf(data, size), mode);
    CheckFront(fuzz::TextOf(data, size), mode);
  }
  return 0;
}
