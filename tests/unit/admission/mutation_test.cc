// Whatever becomes of a review on its way, it is refused with a sentence or answered with a valid
// AdmissionReview: no crash, no hang. The sanitizers' builds run this too.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admission/reviewer.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"
#include "tests/unit/admission/manifest_generator.h"
#include "tests/unit/mutator.h"

namespace berth::admission {
namespace {

constexpr int kRounds = 4000;

std::string ReviewOf(unsigned seed) {
  ManifestGenerator generator(seed);
  const bool is_job = generator.Chance(50);
  const ManifestGenerator::Json object = is_job ? generator.Job() : generator.Pod();
  return ManifestGenerator::Json{
      {"apiVersion", "admission.k8s.io/v1"},
      {"kind", "AdmissionReview"},
      {"request",
       {{"uid", "u"},
        {"kind", {{"group", is_job ? "batch" : ""}, {"version", "v1"}, {"kind", object["kind"]}}},
        {"operation", generator.Word({"CREATE", "UPDATE"})},
        {"userInfo", {{"username", "alice"}, {"groups", {"a"}}}},
        {"object", object},
        {"oldObject", object}}}}
      .dump();
}

TEST(MutationTest, ReviewsAreAnsweredOrRefused) {
  const Reviewer reviewer(
      std::make_shared<const policies::admission::AdmissionEngine>(
          std::make_shared<const model::AcceleratorCatalog>(
              model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
          "berth.dev", "1.2.3", policies::admission::AdmissionConfig()),
      {});
  tests::Mutator mutate;
  kube::JsonParser parser;
  int refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const std::string body = mutate(ReviewOf(static_cast<unsigned>(round)));
    const auto review = ReadReview(parser, body);
    if (!review.ok()) {
      ++refused;
      ASSERT_FALSE(review.status().message().empty());
      continue;
    }
    const NamespaceRules rules{.mode = policies::admission::Mode::kEnforce};
    for (const Verdict& verdict :
         {reviewer.Mutate(*review, rules), reviewer.Validate(*review, rules)}) {
      ASSERT_TRUE(nlohmann::json::accept(ReviewReply(review->uid, verdict.answer)));
    }
  }
  EXPECT_GT(refused, kRounds / 100);
  EXPECT_LT(refused, kRounds - kRounds / 100);
}

}  // namespace
}  // namespace berth::admission
