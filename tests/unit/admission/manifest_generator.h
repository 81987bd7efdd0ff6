#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace berth::admission {

/// Makes up pods and Jobs as people write them: sensible, odd, and with fields of a Kubernetes to
/// come, which are called "unknown-<n>". Quantities may be zero, but can be read.
/// Thread-compatible.
class ManifestGenerator {
 public:
  using Json = nlohmann::ordered_json;

  explicit ManifestGenerator(unsigned seed) : random_(seed) {}

  Json Pod() {
    Json pod = PodTemplate();
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    if (Chance(30)) pod["metadata"]["name"] = "p";
    if (Chance(10)) pod["status"] = {{"qosClass", Word({"Guaranteed", "BestEffort"})}};
    if (Chance(20)) pod["metadata"]["generateName"] = "p-";
    if (Chance(30)) pod["metadata"]["ownerReferences"] = {Owner()};
    return pod;
  }

  Json Job() {
    Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", Metadata()}};
    Json& spec = job["spec"];
    spec = {{"template", PodTemplate()}};
    if (Chance(60)) spec["backoffLimit"] = Number(7);
    if (Chance(20)) spec["backoffLimitPerIndex"] = Number(3);
    if (Chance(20)) spec["completionMode"] = "Indexed";
    if (Chance(30)) spec["podFailurePolicy"] = FailurePolicy();
    if (Chance(20)) spec["suspend"] = Chance(50);
    if (Chance(20)) spec["parallelism"] = Number(5);
    if (Chance(20)) spec["completions"] = Number(5);
    if (Chance(20)) spec["successPolicy"] = {{"rules", {{{"succeededIndexes", "0"}}}}};
    if (Chance(30)) spec["podReplacementPolicy"] = Word({"Failed", "TerminatingOrFailed"});
    if (Chance(5)) spec["managedBy"] = "kueue.x-k8s.io/multikueue";
    return WithUnknown(std::move(job));
  }

  /// How many unknown fields there are so far: "unknown-0" and so on.
  std::size_t unknown() const { return unknown_; }

  bool Chance(int percent) { return Number(100) < percent; }

  std::string Word(std::initializer_list<const char*> words) {
    return words.begin()[Number(static_cast<int>(words.size()))];
  }

 private:
  /// 0 to below `end`.
  int Number(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  Json WithUnknown(Json object) {
    if (Chance(25)) {
      object["unknown-" + std::to_string(unknown_)] = {
          {"number", unknown_}, {"text", "\u00fc\"\n"}, {"list", {nullptr, 1.5, Json::object()}}};
      ++unknown_;
    }
    return object;
  }

  Json Owner() {
    return {{"apiVersion", "batch/v1"},
            {"kind", Word({"Job", "ReplicaSet", "Other"})},
            {"name", "o"},
            {"controller", Chance(80)}};
  }

  Json Metadata() {
    Json metadata = Json::object();
    if (Chance(15)) return nullptr;
    if (Chance(20)) metadata["annotations"] = nullptr;
    if (Chance(50)) metadata["annotations"] = Annotations();
    return WithUnknown(std::move(metadata));
  }

  Json Annotations() {
    Json annotations = {{"team/a~b", "x"}};
    if (Chance(20)) annotations["berth.dev/created-by"] = "mallory";
    if (Chance(20)) annotations["berth.dev/applied"] = "everything";
    if (Chance(20)) annotations["berth.dev/retryless"] = "true";
    if (Chance(30)) annotations["berth.dev/accelerators"] = Word({"V100", "A100,V100", "None", ""});
    if (Chance(20)) annotations["berth.dev/accelerator-memory"] = Word({"40Gi", "500M", "much"});
    if (Chance(30)) annotations["berth.dev/checkpoint"] = Word({"true", "claim", "/x", ""});
    if (Chance(20)) annotations["berth.dev/checkpoint-key"] = Word({"key", "../x", "a/b"});
    if (Chance(10)) annotations["berth.dev/allow-accelerator-nodes"] = "true";
    return annotations;
  }

  Json Quantity() {
    if (Chance(10)) return Number(4);
    return Word({"1", "2", "500m", "1Gi", "1024Mi", "0", "1e3", "80Gi"});
  }

  Json ResourceList() {
    if (Chance(5)) return nullptr;
    Json list = Json::object();
    for (const char* name : {"cpu", "memory"}) {
      if (Chance(50)) list[name] = Quantity();
    }
    if (Chance(30)) list["nvidia.com/gpu"] = Word({"1", "8", "0"});
    if (Chance(5)) list["x.io/other"] = "3";
    return list;
  }

  Json Resources() {
    Json resources = Json::object();
    if (Chance(50)) resources["requests"] = ResourceList();
    if (Chance(50)) resources["limits"] = ResourceList();
    return WithUnknown(std::move(resources));
  }

  Json Container(int number) {
    Json container = {{"name", "c" + std::to_string(number)}};
    if (Chance(80)) container["resources"] = Resources();
    if (Chance(30)) container["env"] = {WithUnknown({{"name", "A"}, {"value", "b"}})};
    if (Chance(5)) {
      container["env"].push_back({{"name", "CHECKPOINT_DIR"}, {"value", "/mine"}});
    }
    if (Chance(20)) {
      container["volumeMounts"] = {
          {{"name", "v"}, {"mountPath", Word({"/data", "/checkpoints", "/checkpoints/x"})}}};
    }
    if (Chance(20)) container["resizePolicy"] = {ResizePolicy("cpu"), ResizePolicy("memory")};
    if (Chance(15)) container["restartPolicy"] = Word({"Always", "OnFailure", "Never"});
    if (Chance(15)) container["restartPolicyRules"] = {RestartRule()};
    return WithUnknown(std::move(container));
  }

  Json ResizePolicy(const char* resource) {
    return WithUnknown(
        {{"resourceName", resource}, {"restartPolicy", Word({"NotRequired", "RestartContainer"})}});
  }

  // Without unknown fields: Berth removes whole rules.
  Json RestartRule() {
    return {{"action", Word({"Restart", "RestartAllContainers"})},
            {"exitCodes", {{"operator", "In"}, {"values", {42}}}}};
  }

  Json Containers(int at_most, bool init) {
    Json containers = Json::array();
    for (int i = Number(at_most + 1); i >= 0; --i) {
      containers.push_back(Container(i));
      if (init && Chance(40)) containers.back()["restartPolicy"] = "Always";
    }
    return containers;
  }

  Json Term() {
    if (Chance(20)) return Json::object();
    Json term = Json::object();
    if (Chance(80)) {
      term["matchExpressions"] = {{{"key", Word({"zone", "berth.dev/accelerator"})},
                                   {"operator", Word({"In", "DoesNotExist"})},
                                   {"values", {"a"}}}};
    }
    if (Chance(30)) term["matchFields"] = {{{"key", "metadata.name"}}};
    return WithUnknown(std::move(term));
  }

  Json Affinity() {
    Json affinity = {{"podAffinity", Json::object()}};
    if (Chance(30)) return affinity;
    affinity["nodeAffinity"] = Json::object();
    if (Chance(30)) return affinity;
    Json terms = Json::array();
    for (int i = Number(3); i >= 0; --i) terms.push_back(Term());
    affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = {
        {"nodeSelectorTerms", terms}};
    return affinity;
  }

  Json PodTemplate() {
    Json spec = {{"containers", Containers(2, false)}};
    if (Chance(30)) spec["initContainers"] = Containers(1, true);
    if (Chance(15)) spec["resources"] = Resources();
    if (Chance(30)) spec["affinity"] = Chance(20) ? Json(nullptr) : Affinity();
    if (Chance(10)) spec["nodeSelector"] = {{"berth.dev/accelerator", "V100"}};
    if (Chance(20)) spec["volumes"] = {WithUnknown({{"name", "v"}, {"emptyDir", Json::object()}})};
    if (Chance(5)) spec["resourceClaims"] = {{{"name", "gpu"}}};
    if (Chance(60)) spec["restartPolicy"] = Word({"Never", "OnFailure", "Always"});
    if (Chance(30)) spec["terminationGracePeriodSeconds"] = Number(200);
    if (Chance(20)) spec["schedulerName"] = Word({"default-scheduler", "other"});
    if (Chance(5)) spec["nodeName"] = "n";
    Json result = {{"metadata", Metadata()}, {"spec", WithUnknown(std::move(spec))}};
    if (result["metadata"].is_null() && Chance(50)) result.erase("metadata");
    return WithUnknown(std::move(result));
  }

  Json FailurePolicy() {
    Json rules = Json::array();
    for (int i = Number(3); i > 0; --i) {
      Json rule = {{"action", Word({"Ignore", "Count", "FailJob"})}};
      if (Chance(50)) {
        rule["onExitCodes"] = {{"operator", Word({"In", "NotIn"})}, {"values", {137, 255}}};
      } else {
        rule["onPodConditions"] = {{{"type", "DisruptionTarget"}, {"status", "True"}}};
      }
      rules.push_back(WithUnknown(std::move(rule)));
    }
    return {{"rules", rules}};
  }

  std::mt19937 random_;
  std::size_t unknown_ = 0;
};

}  // namespace berth::admission
