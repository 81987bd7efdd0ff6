// What holds for every pod and Job, with all policies: of the JSON as it comes and as it goes.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admission/patch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/accelerator.h"
#include "policies/admission/engine.h"
#include "re2/re2.h"
#include "tests/unit/admission/fixtures.h"
#include "tests/unit/admission/manifest_generator.h"

namespace berth::admission {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kPatchSeeds = 3000;

const policies::admission::AdmissionEngine& PatchEngine() {
  static const policies::admission::AdmissionEngine engine(
      std::make_shared<const model::AcceleratorCatalog>(
          model::AcceleratorCatalog::Make(model::AcceleratorCatalog::Defaults()).value()),
      "berth.dev", "1.2.3", policies::admission::AdmissionConfig());
  return engine;
}

/// An object that somebody creates in a namespace of mode enforce.
struct Creation {
  std::string text;
  std::string kind;
  policies::admission::Request request;
  std::size_t unknown = 0;
};

Creation CreationOf(unsigned seed) {
  ManifestGenerator generator(seed);
  const bool is_job = generator.Chance(50);
  const Json object = is_job ? generator.Job() : generator.Pod();
  const std::string user =
      generator.Word({"alice", "system:serviceaccount:kube-system:job-controller",
                      "system:serviceaccount:kube-system:replicaset-controller",
                      "system:kube-controller-manager"});
  return {.text = object.dump(),
          .kind = is_job ? "Job" : "Pod",
          .request = {.namespace_name = "team",
                      .user = {.name = user, .groups = {}},
                      .mode = policies::admission::Mode::kEnforce,
                      .accelerator_nodes_allowed = generator.Chance(20)},
          .unknown = generator.unknown()};
}

/// What comes of it.
struct Reviewed {
  model::Workload reported;
  std::string patch;
  std::string denial;
};

Reviewed ReviewedOf(const Creation& creation, const std::string& text) {
  const ParsedObject object(text, creation.kind);
  policies::admission::Outcome outcome = PatchEngine().Mutate(creation.request, object.workload());
  std::string patch = JsonPatch(object.root(), object.workload(), outcome.workload);
  return {std::move(outcome.workload), std::move(patch), std::move(outcome.denial)};
}

/// docs/admission.md lists them for people.
bool IsWritable(const std::string& path) {
  static const re2::RE2 writable(
      "(/spec/template)?/metadata(/annotations(/berth.dev~1[a-z-]+)?)?|"
      "(/spec/template)?/spec/("
      "(initContainers|containers)/[0-9]+/(resources(/(requests|limits)(/[^/]+)?)?|"
      "env(/-)?|volumeMounts(/-)?|restartPolicy|restartPolicyRules|"
      "resizePolicy/[0-9]+/restartPolicy)|"
      "resources/(requests|limits)(/[^/]+)?|"
      "affinity(/nodeAffinity(/requiredDuringSchedulingIgnoredDuringExecution"
      "(/nodeSelectorTerms/[0-9]+/matchExpressions(/-)?)?)?)?|"
      "volumes(/-)?|terminationGracePeriodSeconds|restartPolicy|schedulerName)|"
      "/spec/(backoffLimit|backoffLimitPerIndex|podReplacementPolicy|"
      "podFailurePolicy(/rules/(-|[0-9]+(/action)?))?)|/status/qosClass");
  return re2::RE2::FullMatch(path, writable);
}

TEST(PatchPropertyTest, MakesExactlyWhatIsReportedAndNothingElse) {
  std::size_t changed = 0;
  std::size_t denied = 0;
  for (unsigned seed = 0; seed < kPatchSeeds; ++seed) {
    const Creation creation = CreationOf(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + creation.text);
    const Reviewed reviewed = ReviewedOf(creation, creation.text);
    const std::string result = Patched(creation.text, reviewed.patch).dump();
    ASSERT_EQ(ParsedObject(result, creation.kind).workload(), AsWritten(reviewed.reported))
        << reviewed.patch;
    changed += reviewed.patch.empty() ? 0 : 1;
    if (!reviewed.denial.empty()) {
      ++denied;
      ASSERT_EQ(reviewed.patch, "");
    }
  }
  // The generator makes objects of every fate.
  EXPECT_GT(changed, kPatchSeeds / 4);
  EXPECT_LT(changed + denied, kPatchSeeds);
}

TEST(PatchPropertyTest, WritesOnlyWhatIsListed) {
  for (unsigned seed = 0; seed < kPatchSeeds; ++seed) {
    const Reviewed reviewed = ReviewedOf(CreationOf(seed), CreationOf(seed).text);
    if (reviewed.patch.empty()) continue;
    for (const Json& operation : Json::parse(reviewed.patch)) {
      const std::string path = operation["path"];
      ASSERT_TRUE(IsWritable(path)) << "seed " << seed << ": " << path;
      if (operation["op"] == "remove") {
        ASSERT_TRUE(path.find("/annotations/berth.dev~1") != std::string::npos ||
                    path.ends_with("/restartPolicyRules") || path == "/status/qosClass")
            << path;
      }
    }
  }
}

TEST(PatchPropertyTest, KeepsUnknownFields) {
  for (unsigned seed = 0; seed < kPatchSeeds; ++seed) {
    const Creation creation = CreationOf(seed);
    const std::string result =
        Patched(creation.text, ReviewedOf(creation, creation.text).patch).dump();
    for (std::size_t i = 0; i < creation.unknown; ++i) {
      const std::string field = "\"unknown-" + std::to_string(i) +
                                "\":{\"number\":" + std::to_string(i) +
                                ",\"text\":\"\u00fc\\\"\\n\",\"list\":[null,1.5,{}]}";
      ASSERT_NE(result.find(field), std::string::npos) << "seed " << seed << result;
    }
  }
}

TEST(PatchPropertyTest, LeavesItsOwnOutputAlone) {
  for (unsigned seed = 0; seed < kPatchSeeds; ++seed) {
    const Creation creation = CreationOf(seed);
    const Reviewed once = ReviewedOf(creation, creation.text);
    if (!once.denial.empty()) continue;
    const std::string result = Patched(creation.text, once.patch).dump();
    const Reviewed twice = ReviewedOf(creation, result);
    ASSERT_EQ(twice.patch, "") << "seed " << seed << creation.text;
    ASSERT_EQ(twice.denial, "") << "seed " << seed << creation.text;
  }
}

}  // namespace
}  // namespace berth::admission
