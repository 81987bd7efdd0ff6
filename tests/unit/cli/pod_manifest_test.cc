#include "cli/pod_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/json.h"

namespace berth::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPodManifest = R"(apiVersion: v1
kind: Pod
metadata:
  name: train
  namespace: team
  annotations: {berth.dev/accelerators: "A100", number: "5"}
spec:
  containers:
  - name: main
    resources: {limits: {nvidia.com/gpu: 2, cpu: 1.5, memory: 4Gi}}
)";

// A controller whose template, at `indent`, asks for 3 GPUs.
std::string Controller(const std::string& kind, const std::string& in_front, int indent) {
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  return "kind: " + kind + "\nmetadata: {name: it}\n" + in_front + blanks + "template:\n" + blanks +
         "  metadata: {annotations: {a: b}}\n" + blanks +
         "  spec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: '3'}}}]}\n";
}

TEST(ParsePodManifest, ReadsAPod) {
  const auto manifest = ParsePodManifest(kPodManifest, "f");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->what, "Pod train");
  EXPECT_EQ(manifest->pod.name, "train");
  EXPECT_EQ(manifest->pod.namespace_, "team");
  EXPECT_EQ(model::Find(manifest->pod.annotations, "berth.dev/accelerators"), "A100");
  EXPECT_EQ(model::Find(manifest->pod.annotations, "number"), "5");
  EXPECT_EQ(manifest->pod.requests.Get("nvidia.com/gpu"), 2);
  EXPECT_EQ(manifest->pod.requests.Get("cpu"), 1500);
  EXPECT_THAT(manifest->skipped, IsEmpty());
}

TEST(ParsePodManifest, ReadsJson) {
  const auto manifest = ParsePodManifest(
      R"( {"kind": "Pod", "metadata": {"name": "\ud83d\ude80"}, "spec": {"containers": []}})", "f");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->pod.name, "\xf0\x9f\x9a\x80");
}

// What a server is sent must be the same pod.
TEST(ParsePodManifest, KeepsThePodOrTemplateAsJson) {
  for (const std::string& text : {std::string(kPodManifest), Controller("Job", "spec:\n", 2)}) {
    const auto manifest = ParsePodManifest(text, "f");
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    kube::JsonParser parser;
    const auto json = parser.Parse(manifest->json);
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_EQ(kube::PodFromJson(*json, "Pod").value(), manifest->pod);
  }
}

TEST(ParsePodManifest, FindsThePodTemplate) {
  for (const char* kind : {"Job", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"}) {
    const auto manifest = ParsePodManifest(Controller(kind, "spec:\n", 2), "f");
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    EXPECT_EQ(manifest->what, "pod template of " + std::string(kind) + " it");
    EXPECT_EQ(manifest->pod.requests.Get("nvidia.com/gpu"), 3);
    EXPECT_EQ(model::Find(manifest->pod.annotations, "a"), "b");
  }
  const auto cron =
      ParsePodManifest(Controller("CronJob", "spec:\n  jobTemplate:\n    spec:\n", 6), "f");
  ASSERT_TRUE(cron.ok()) << cron.status();
  EXPECT_EQ(cron->pod.requests.Get("nvidia.com/gpu"), 3);
  const auto bare = ParsePodManifest(Controller("PodTemplate", "", 0), "f");
  ASSERT_TRUE(bare.ok()) << bare.status();
  EXPECT_EQ(bare->pod.requests.Get("nvidia.com/gpu"), 3);
}

TEST(ParsePodManifest, TakesTheFirstPodAndNamesTheRest) {
  const std::string text = "kind: Service\nmetadata: {name: web}\n---\n" +
                           std::string(kPodManifest) + "---\n" + Controller("Job", "spec:\n", 2) +
                           "---\n{a: b}\n";
  const auto manifest = ParsePodManifest(text, "f");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->what, "Pod train");
  EXPECT_THAT(manifest->skipped, ElementsAre("Service web", "Job it", "object without kind"));
}

TEST(ParsePodManifest, LooksIntoLists) {
  const auto manifest = ParsePodManifest(
      R"({"kind": "List", "items": [{"kind": "Secret", "metadata": {"name": "s"}},
          {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": []}}]})",
      "f");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  EXPECT_EQ(manifest->what, "Pod p");
  EXPECT_THAT(manifest->skipped, ElementsAre("Secret s"));
}

TEST(ParsePodManifest, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "f: is empty; give the manifest of a pod"},
      {"just text", "f: is not a Kubernetes object, which is a map"},
      {"- kind: Pod", "f: is not a Kubernetes object, which is a map"},
      {"kind: Service\nmetadata: {name: web}",
       "f: has neither a pod nor an object with a pod template, only: Service web"},
      {"kind: Job\nspec: {template: {spec: {}}}",
       "f: has neither a pod nor an object with a pod template, only: Job"},
      {"kind: Service\nmetadata: {name: \"a\\nb\"}",
       "f: has neither a pod nor an object with a pod template, only: Service a b"},
      {R"({"kind": "Status", "message": "pods \"x\" not found"})",
       "f: is a Status, an API server's answer in place of objects: pods \"x\" not found"},
      {R"({"kind": "Pod", "metadata": {"name": "tra)",
       "f: the text is not JSON: it ends early, within an object or an array"},
      {"a: [", "f:1: is not YAML: end of sequence flow not found"},
      {"kind: Pod\nkind: Job", "f:2: kind: is given in line 1 already; keep one"},
  };
  for (const auto& test : cases) {
    const auto manifest = ParsePodManifest(test.text, "f");
    EXPECT_EQ(manifest.status().code(), absl::StatusCode::kInvalidArgument) << test.text;
    EXPECT_EQ(manifest.status().message(), test.error) << test.text;
  }
}

TEST(ParsePodManifest, NamesTheFieldThatIsWrong) {
  const struct {
    std::string text;
    const char* place;
  } cases[] = {
      {"kind: Pod\nmetadata: {annotations: {a: 5}}\nspec: {containers: []}",
       "f: Pod.metadata.annotations"},
      {"kind: Pod\nspec: {containers: [{resources: {limits: {nvidia.com/gpu: 1e3Ki}}}]}",
       "f: Pod.spec.containers[0].resources.limits[\"nvidia.com/gpu\"]"},
      {"kind: Job\nspec: {template: {spec: {containers: 5}}}",
       "f: Job.spec.template.spec.containers"},
      {"{\"kind\": \"Pod\",", "f: "},
      {std::string(100'000, '[').insert(0, "{\"a\": "), "f: "},
  };
  for (const auto& test : cases) {
    const auto manifest = ParsePodManifest(test.text, "f");
    ASSERT_FALSE(manifest.ok()) << test.text.substr(0, 80);
    EXPECT_THAT(std::string(manifest.status().message()), testing::StartsWith(test.place));
    EXPECT_LT(manifest.status().message().size(), 300u);
  }
}

TEST(ReadPodManifest, NamesTheFile) {
  EXPECT_EQ(ReadPodManifest("/nonexistent.yaml").status().message(),
            "/nonexistent.yaml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace berth::cli
