#include "cli/mutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/mutation_output.h"
#include "process/engine.h"
#include "yaml/text.h"

namespace berth::cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<Preview> Previews(const std::string& manifest, const Creation& creation) {
  return PreviewsOf(ParseManifest(manifest, "f"), *process::MakeReviewer({}), creation);
}

const Creation kByAlice{.namespace_name = "team",
                        .rules = {.mode = policies::admission::Mode::kEnforce},
                        .user = {.name = "alice", .groups = {}}};

// With a node already, so that only the creator is written.
constexpr char kPod[] =
    "apiVersion: v1\nkind: Pod\nspec:\n  nodeName: n\n  containers:\n    - name: c\n"
    "      resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}\n";

TEST(PreviewsOf, ShowsPodsAsTheyWouldBeStored) {
  const auto previews = Previews(kPod, kByAlice);
  ASSERT_THAT(previews, SizeIs(1));
  EXPECT_THAT(previews[0].denial, IsEmpty());
  EXPECT_THAT(previews[0].patch, HasSubstr("created-by"));
  EXPECT_THAT(yaml::YamlText(previews[0].object), HasSubstr("berth.dev/created-by: \"alice\"\n"));
  EXPECT_THAT(yaml::YamlText(previews[0].object), HasSubstr("limits: {cpu: 1, memory: 1Gi}"));
}

TEST(PreviewsOf, KnowsTheGroupsOfWhoCreatesThem) {
  Creation kubelet = kByAlice;
  kubelet.user = {.name = "system:node:n1", .groups = {"system:nodes"}};
  const auto previews = Previews(kPod, kubelet);
  ASSERT_THAT(previews, SizeIs(1));
  EXPECT_THAT(previews[0].patch, IsEmpty()) << "what a kubelet makes is left alone";
}

TEST(PreviewsOf, ForetellsWhatBecomesOfTemplatesAndLeavesThemAlone) {
  const auto previews = Previews(
      "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: [{name: "
      "c}]}}}\n",
      kByAlice);
  ASSERT_THAT(previews, SizeIs(1));
  EXPECT_THAT(previews[0].warnings, testing::Contains(HasSubstr("berth, pods: ")));
  EXPECT_THAT(previews[0].patch + previews[0].denial, IsEmpty());
}

TEST(MutationRemarks, ObeyNoNameOfTheManifest) {
  const Manifest manifest = ParseManifest(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: \"p\\e[31m\"}\nspec:\n  containers:\n"
      "    - name: \"c\\e]0;t\\a\\nf:9: x\"\n",
      "f");
  const auto previews = PreviewsOf(manifest, *process::MakeReviewer({}), kByAlice);
  const std::string remarks = MutationRemarks(manifest, previews, "f");
  EXPECT_THAT(remarks, HasSubstr("f:1: Pod p [31m: "));
  EXPECT_THAT(remarks, Not(HasSubstr("\nf:9")));
  for (const std::string& text : {remarks, MutationDiff(manifest, previews, "f")}) {
    EXPECT_THAT(text, Not(AnyOf(HasSubstr("\x1b"), HasSubstr("\a"))));
  }
}

TEST(PreviewsOf, SaysNothingOfOtherKinds) {
  const auto previews = Previews("apiVersion: v1\nkind: Service\n", kByAlice);
  ASSERT_THAT(previews, SizeIs(1));
  EXPECT_THAT(previews[0].warnings, IsEmpty());
  EXPECT_THAT(previews[0].patch + previews[0].denial, IsEmpty());
}

TEST(PreviewsOf, SayWhatIsNotReviewedAndWhatToWrite) {
  const auto why = [](const std::string& manifest) {
    return Previews(manifest, kByAlice).front().not_reviewed;
  };
  EXPECT_EQ(why("apiVersion: batch/v1beta1\nkind: CronJob\n"),
            "CronJob of batch/v1beta1 is an old API version; write apiVersion: batch/v1");
  EXPECT_EQ(why("apiVersion: extensions/v1beta1\nkind: Deployment\n"),
            "Deployment of extensions/v1beta1 is an old API version; write apiVersion: apps/v1");
  EXPECT_EQ(why("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {tasks: [{template: "
                "{spec: {containers: [{name: c}]}}}]}\n"),
            "Job of batch.volcano.sh/v1alpha1 is an unknown kind with pod templates; list in "
            "admission.templates its path /spec/tasks/*/template");
  EXPECT_EQ(why("apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"),
            "InferenceService of serving.kserve.io/v1beta1 is an unknown kind; if it has pods, "
            "Berth reviews them when they are created");
  EXPECT_THAT(why("apiVersion: v1\nkind: PodTemplate\ntemplate: {spec: {containers: [{name: "
                  "c}]}}\n"),
              HasSubstr("its path /template"));
  for (const char* reviewed :
       {kPod, "apiVersion: apps/v1\nkind: Deployment\n", "apiVersion: v1\nkind: ConfigMap\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n"}) {
    EXPECT_THAT(why(reviewed), IsEmpty()) << reviewed;
  }
}

TEST(PreviewsOf, ChangesOneOfTwoObjectsThatShareAnAnchor) {
  const auto previews = Previews(
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: &m "
      "{labels: {a: b}}}\n- {apiVersion: v1, kind: Service, metadata: *m}\n",
      kByAlice);
  ASSERT_THAT(previews, SizeIs(2));
  EXPECT_THAT(yaml::YamlText(previews[1].object), testing::Not(HasSubstr("created-by")));
}

TEST(PreviewsOf, DeniesWhatCannotBeRead) {
  const auto previews = Previews("apiVersion: v1\nkind: Pod\nspec: 5\n", kByAlice);
  ASSERT_THAT(previews, SizeIs(1));
  EXPECT_EQ(previews[0].denial, "berth: spec: expected an object, got number");
}

}  // namespace
}  // namespace berth::cli
