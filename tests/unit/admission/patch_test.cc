#include "admission/patch.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/admission/draft.h"
#include "tests/unit/admission/fixtures.h"

namespace berth::admission {
namespace {

using policies::admission::Draft;
using policies::admission::Metadata;

model::Quantity Quantity(std::string_view text) { return model::Quantity::Parse(text).value(); }

struct PatchCase {
  const char* name;
  const char* kind;
  const char* object;
  std::function<void(Draft&)> change;
  /// The patch, with ' for ".
  const char* patch;
};

void PrintTo(const PatchCase& test, std::ostream* out) { *out << test.name; }

class JsonPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(JsonPatchTest, IsMinimalAndMakesTheObjectWhatTheDraftSays) {
  const PatchCase& test = GetParam();
  const ParsedObject object(test.object, test.kind);
  Draft draft(object.workload());
  test.change(draft);
  const std::string patch = JsonPatch(object.root(), object.workload(), draft.workload());

  std::string expected = test.patch;
  std::ranges::replace(expected, '\'', '"');
  EXPECT_EQ(patch, expected);
  const std::string result = Patched(test.object, patch).dump();
  EXPECT_EQ(ParsedObject(result, test.kind).workload(), AsWritten(draft.workload())) << result;
}

constexpr char kPodObject[] =
    R"({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}})";
constexpr char kJobObject[] =
    R"({"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}})";

void Annotate(Draft& draft) { draft.SetAnnotation(Metadata::kObject, "b.dev/a~b", "x\"\n"); }
void AnnotatePods(Draft& draft) { draft.SetAnnotation(Metadata::kPods, "b", "x"); }
void Nothing(Draft&) {}

INSTANTIATE_TEST_SUITE_P(
    Annotations, JsonPatchTest,
    testing::Values(
        PatchCase{"Nothing", "Pod", kPodObject, Nothing, ""},
        PatchCase{
            "WithoutMetadata", "Pod", "{}", Annotate,
            R"([{'op':'add','path':'/metadata','value':{'annotations':{'b.dev/a~b':'x\'\n'}}}])"},
        PatchCase{"Without", "Pod", kPodObject, Annotate,
                  R"([{'op':'add','path':'/metadata/annotations','value':{'b.dev/a~b':'x\'\n'}}])"},
        PatchCase{"Null", "Pod", R"({"metadata": {"annotations": null}})", Annotate,
                  R"([{'op':'add','path':'/metadata/annotations','value':{'b.dev/a~b':'x\'\n'}}])"},
        PatchCase{"Others", "Pod", R"({"metadata": {"annotations": {"z": "1"}}})", Annotate,
                  R"([{'op':'add','path':'/metadata/annotations/b.dev~1a~0b','value':'x\'\n'}])"},
        PatchCase{
            "Replaced", "Pod", R"({"metadata": {"annotations": {"b.dev/a~b": "1"}}})", Annotate,
            R"([{'op':'replace','path':'/metadata/annotations/b.dev~1a~0b','value':'x\'\n'}])"},
        PatchCase{"Removed", "Pod", R"({"metadata": {"annotations": {"a/b": "1", "c": "2"}}})",
                  [](Draft& draft) { draft.RemoveAnnotation(Metadata::kObject, "a/b"); },
                  R"([{'op':'remove','path':'/metadata/annotations/a~1b'}])"},
        PatchCase{
            "OfJob", "Job", kJobObject, Annotate,
            R"([{'op':'add','path':'/metadata','value':{'annotations':{'b.dev/a~b':'x\'\n'}}}])"},
        PatchCase{
            "OfTemplate", "Job", R"({"spec": {"template": {"metadata": {}}}})", AnnotatePods,
            R"([{'op':'add','path':'/spec/template/metadata/annotations','value':{'b':'x'}}])"},
        PatchCase{
            "OfTemplateWithoutMetadata", "Job", kJobObject, AnnotatePods,
            R"([{'op':'add','path':'/spec/template/metadata','value':{'annotations':{'b':'x'}}}])"}),
    testing::PrintToStringParamName());

void Limit(Draft& draft) {
  draft.SetLimit(0, "cpu", Quantity("8"));
  draft.SetRequest(0, "cpu", Quantity("8"));
  draft.SetLimit(0, "memory", Quantity("80Gi"));
}

INSTANTIATE_TEST_SUITE_P(
    Resources, JsonPatchTest,
    testing::Values(
        PatchCase{"Without", "Pod", kPodObject, Limit,
                  "[{'op':'add','path':'/spec/containers/0/resources','value':{'limits':{'cpu':'8',"
                  "'memory':'80Gi'},'requests':{'cpu':'8'}}}]"},
        PatchCase{"Empty", "Pod", R"({"spec": {"containers": [{"resources": {}}]}})", Limit,
                  "[{'op':'add','path':'/spec/containers/0/resources/limits','value':{'cpu':'8',"
                  "'memory':'80Gi'}},{'op':'add','path':'/spec/containers/0/resources/requests',"
                  "'value':{'cpu':'8'}}]"},
        PatchCase{
            "Partly", "Pod",
            R"({"spec": {"containers": [{"resources": {"requests": null, "limits":
                      {"cpu": "2", "memory": "80Gi", "x.io/y": "1"}}}]}})",
            Limit,
            "[{'op':'replace','path':'/spec/containers/0/resources/limits/cpu','value':'8'},"
            "{'op':'add','path':'/spec/containers/0/resources/requests','value':{'cpu':'8'}}]"},
        PatchCase{"SameAmount", "Pod",
                  R"({"spec": {"containers": [{"resources": {"requests": {"cpu": 8},
                      "limits": {"cpu": "8000m", "memory": "81920Mi"}}}]}})",
                  Limit, ""},
        PatchCase{"OfInitContainers", "Pod",
                  R"({"spec": {"initContainers": [null, {"name": "i"}], "containers": [{}]}})",
                  Limit,
                  "[{'op':'add','path':'/spec/initContainers/1/resources','value':{'limits':{'cpu':"
                  "'8','memory':'80Gi'},'requests':{'cpu':'8'}}}]"},
        PatchCase{
            "OfTheSecondContainerOfAJob", "Job",
            R"({"spec": {"template": {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}}}})",
            [](Draft& draft) { draft.SetLimit(1, "x.io/gpu", Quantity("1")); },
            "[{'op':'add','path':'/spec/template/spec/containers/1/resources','value':"
            "{'limits':{'x.io/gpu':'1'}}}]"},
        PatchCase{"OfThePod", "Pod", R"({"spec": {"resources": {"limits": {"cpu": "1"}}}})",
                  [](Draft& draft) {
                    draft.SetPodLimit("cpu", Quantity("2"));
                    draft.SetPodRequest("cpu", Quantity("2"));
                  },
                  "[{'op':'replace','path':'/spec/resources/limits/cpu','value':'2'},"
                  "{'op':'add','path':'/spec/resources/requests','value':{'cpu':'2'}}]"},
        PatchCase{"OfAPodThatHasNone", "Pod", kPodObject,
                  [](Draft& draft) { draft.SetPodLimit("cpu", Quantity("2")); }, ""}),
    testing::PrintToStringParamName());

void Avoid(Draft& draft) { draft.RequireOfNodes({"b.dev/accelerator", "DoesNotExist", {}}); }
void Want(Draft& draft) { draft.RequireOfNodes({"b.dev/accelerator", "In", {"A100", "V100"}}); }

constexpr char kTerms[] = R"({"spec": {"affinity": {"podAffinity": {}, "nodeAffinity": {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "k", "operator": "Exists"}]}, {}, null,
      {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}}}}})";

INSTANTIATE_TEST_SUITE_P(
    NodeAffinity, JsonPatchTest,
    testing::Values(
        PatchCase{
            "Without", "Pod", kPodObject, Avoid,
            "[{'op':'add','path':'/spec/affinity','value':{'nodeAffinity':"
            "{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':"
            "[{'matchExpressions':[{'key':'b.dev/accelerator','operator':'DoesNotExist'}]}]}}}}]"},
        PatchCase{"Null", "Pod", R"({"spec": {"affinity": null}})", Want,
                  "[{'op':'add','path':'/spec/affinity','value':{'nodeAffinity':"
                  "{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':"
                  "[{'matchExpressions':[{'key':'b.dev/accelerator','operator':'In','values':"
                  "['A100','V100']}]}]}}}}]"},
        PatchCase{
            "OnlyPreferred", "Pod",
            R"({"spec": {"affinity": {"nodeAffinity": {
                      "preferredDuringSchedulingIgnoredDuringExecution": []}}}})",
            Avoid,
            "[{'op':'add','path':'/spec/affinity/nodeAffinity/"
            "requiredDuringSchedulingIgnoredDuringExecution','value':{'nodeSelectorTerms':"
            "[{'matchExpressions':[{'key':'b.dev/accelerator','operator':'DoesNotExist'}]}]}}]"},
        PatchCase{"EveryTermThatIsNotEmpty", "Pod", kTerms, Avoid,
                  "[{'op':'add','path':'/spec/affinity/nodeAffinity/"
                  "requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/"
                  "matchExpressions/-','value':{'key':'b.dev/accelerator','operator':"
                  "'DoesNotExist'}},{'op':'add','path':'/spec/affinity/nodeAffinity/"
                  "requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/3/"
                  "matchExpressions','value':[{'key':'b.dev/accelerator','operator':"
                  "'DoesNotExist'}]}]"}),
    testing::PrintToStringParamName());

void MountCheckpoints(Draft& draft) {
  draft.AddVolume({"berth", "claim"});
  draft.AddMount(0, {"berth", "/checkpoints", "train/0"});
  draft.AddMount(0, {"berth", "/more", ""});
  draft.AddEnv(0, {"CHECKPOINT_DIR", "/checkpoints"});
}

INSTANTIATE_TEST_SUITE_P(
    Lists, JsonPatchTest,
    testing::Values(
        PatchCase{
            "Without", "Pod", kPodObject, MountCheckpoints,
            "[{'op':'add','path':'/spec/containers/0/env','value':[{'name':'CHECKPOINT_DIR',"
            "'value':'/checkpoints'}]},{'op':'add','path':'/spec/containers/0/volumeMounts',"
            "'value':[{'name':'berth','mountPath':'/checkpoints','subPath':'train/0'},"
            "{'name':'berth','mountPath':'/more'}]},{'op':'add','path':'/spec/volumes','value':"
            "[{'name':'berth','persistentVolumeClaim':{'claimName':'claim'}}]}]"},
        PatchCase{"ThatAreThere", "Pod",
                  R"({"spec": {"containers": [{"env": [{"name": "A"}], "volumeMounts": []}],
                      "volumes": [{"name": "v"}]}})",
                  MountCheckpoints,
                  "[{'op':'add','path':'/spec/containers/0/env/-','value':{'name':'CHECKPOINT_DIR',"
                  "'value':'/checkpoints'}},{'op':'add','path':'/spec/containers/0/volumeMounts/-',"
                  "'value':{'name':'berth','mountPath':'/checkpoints','subPath':'train/0'}},{'op':"
                  "'add','path':'/spec/containers/0/volumeMounts/-','value':{'name':'berth',"
                  "'mountPath':'/more'}},{'op':'add','path':'/spec/volumes/-','value':{'name':"
                  "'berth','persistentVolumeClaim':{'claimName':'claim'}}}]"}),
    testing::PrintToStringParamName());

void SetPodFields(Draft& draft) {
  draft.SetTerminationGracePeriod(120);
  draft.SetRestartPolicy("Never");
  draft.SetSchedulerName("berth");
}

INSTANTIATE_TEST_SUITE_P(
    PodFields, JsonPatchTest,
    testing::Values(
        PatchCase{"Without", "Pod", kPodObject, SetPodFields,
                  "[{'op':'add','path':'/spec/restartPolicy','value':'Never'},{'op':'add','path':"
                  "'/spec/schedulerName','value':'berth'},{'op':'add','path':"
                  "'/spec/terminationGracePeriodSeconds','value':120}]"},
        PatchCase{"ThatAreThere", "Pod",
                  R"({"spec": {"restartPolicy": "Always", "schedulerName": null,
                      "terminationGracePeriodSeconds": 30}})",
                  SetPodFields,
                  "[{'op':'replace','path':'/spec/restartPolicy','value':'Never'},{'op':'add',"
                  "'path':'/spec/schedulerName','value':'berth'},{'op':'replace','path':"
                  "'/spec/terminationGracePeriodSeconds','value':120}]"}),
    testing::PrintToStringParamName());

void AddGate(Draft& draft) { draft.AddSchedulingGate("berth.dev/gang"); }

INSTANTIATE_TEST_SUITE_P(
    SchedulingGates, JsonPatchTest,
    testing::Values(
        PatchCase{"Without", "Pod", kPodObject, AddGate,
                  "[{'op':'add','path':'/spec/schedulingGates','value':[{'name':'berth.dev/gang'}]"
                  "}]"},
        PatchCase{"BesideOthers", "Pod",
                  R"({"spec": {"schedulingGates": [{"name": "example.com/quota"}]}})", AddGate,
                  "[{'op':'add','path':'/spec/schedulingGates/-','value':{'name':'berth.dev/gang'}"
                  "}]"},
        PatchCase{"ThatAreThere", "Pod",
                  R"({"spec": {"schedulingGates": [{"name": "berth.dev/gang"}]}})", AddGate, ""}),
    testing::PrintToStringParamName());

void SetGroup(Draft& draft) { draft.SetSchedulingGroup("berth-train"); }

INSTANTIATE_TEST_SUITE_P(
    SchedulingGroups, JsonPatchTest,
    testing::Values(
        PatchCase{
            "Without", "Pod", kPodObject, SetGroup,
            "[{'op':'add','path':'/spec/schedulingGroup','value':{'podGroupName':'berth-train'}"
            "}]"},
        PatchCase{"ThatAreThere", "Pod",
                  R"({"spec": {"schedulingGroup": {"podGroupName": "berth-train"}}})", SetGroup,
                  ""}),
    testing::PrintToStringParamName());

void StopRestarts(Draft& draft) {
  draft.SetContainerRestartPolicy(0, "Never");
  draft.RemoveRestartRules(0);
  draft.SetResizeRestart(0, 1, "NotRequired");
}

INSTANTIATE_TEST_SUITE_P(
    Restarts, JsonPatchTest,
    testing::Values(
        PatchCase{
            "OfAContainer", "Pod",
            R"({"spec": {"containers": [{"restartPolicy": "OnFailure", "restartPolicyRules": [
                {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}],
                "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"},
                                 {"resourceName": "memory",
                                  "restartPolicy": "RestartContainer"}]}]}})",
            StopRestarts,
            "[{'op':'replace','path':'/spec/containers/0/resizePolicy/1/restartPolicy','value':"
            "'NotRequired'},{'op':'replace','path':'/spec/containers/0/restartPolicy','value':"
            "'Never'},{'op':'remove','path':'/spec/containers/0/restartPolicyRules'}]"},
        PatchCase{"AlreadyStopped", "Job",
                  R"({"spec": {"template": {"spec": {"containers": [{"restartPolicy": "Never",
                      "resizePolicy": [null, {"restartPolicy": "NotRequired"}]}]}}}})",
                  StopRestarts, ""}),
    testing::PrintToStringParamName());

void StopRetries(Draft& draft) {
  draft.SetBackoffLimit(0);
  draft.SetPodReplacementPolicy("Failed");
  draft.PrependFailureRule({.action = "Ignore", .conditions = {"DisruptionTarget"}});
}

void SetRules(Draft& draft) {
  draft.PrependFailureRule({.action = "Ignore", .conditions = {"DisruptionTarget"}});
  draft.PrependFailureRule({.action = "Count", .exit_code_op = "In", .exit_codes = {3}});
  draft.SetFailureRuleAction(3, "FailJob");
  draft.AppendFailureRule({.action = "FailJob", .exit_code_op = "NotIn", .exit_codes = {255}});
}

INSTANTIATE_TEST_SUITE_P(
    JobFields, JsonPatchTest,
    testing::Values(
        PatchCase{"Without", "Job", kJobObject, StopRetries,
                  "[{'op':'add','path':'/spec/backoffLimit','value':0},{'op':'add','path':"
                  "'/spec/podFailurePolicy','value':{'rules':[{'action':'Ignore','onPodConditions':"
                  "[{'type':'DisruptionTarget','status':'True'}]}]}},{'op':'add','path':"
                  "'/spec/podReplacementPolicy','value':'Failed'}]"},
        PatchCase{"ThatAreThere", "Job",
                  R"({"spec": {"backoffLimit": 6, "podReplacementPolicy": "TerminatingOrFailed",
                      "podFailurePolicy": {"rules": []}}})",
                  StopRetries,
                  "[{'op':'replace','path':'/spec/backoffLimit','value':0},{'op':'add','path':"
                  "'/spec/podFailurePolicy/rules/-','value':{'action':'Ignore','onPodConditions':"
                  "[{'type':'DisruptionTarget','status':'True'}]}},{'op':'replace','path':"
                  "'/spec/podReplacementPolicy','value':'Failed'}]"},
        PatchCase{
            "RulesAroundThoseThatAreThere", "Job",
            R"({"spec": {"podFailurePolicy": {"rules": [{"action": "Count"},
                      {"action": "Ignore"}]}}})",
            SetRules,
            "[{'op':'replace','path':'/spec/podFailurePolicy/rules/1/action','value':"
            "'FailJob'},{'op':'add','path':'/spec/podFailurePolicy/rules/0','value':{'action':"
            "'Count','onExitCodes':{'operator':'In','values':[3]}}},{'op':'add','path':"
            "'/spec/podFailurePolicy/rules/1','value':{'action':'Ignore','onPodConditions':"
            "[{'type':'DisruptionTarget','status':'True'}]}},{'op':'add','path':"
            "'/spec/podFailurePolicy/rules/-','value':{'action':'FailJob','onExitCodes':"
            "{'operator':'NotIn','values':[255]}}}]"},
        PatchCase{"PerIndex", "Job", R"({"spec": {"backoffLimitPerIndex": 2}})",
                  [](Draft& draft) { draft.SetBackoffLimitPerIndex(0); },
                  "[{'op':'replace','path':'/spec/backoffLimitPerIndex','value':0}]"},
        PatchCase{"NewlyPerIndex", "Job", R"({"spec": {"backoffLimit": 6}})",
                  [](Draft& draft) {
                    draft.SetBackoffLimitPerIndex(6);
                    draft.SetBackoffLimit(2147483647);
                  },
                  "[{'op':'replace','path':'/spec/backoffLimit','value':2147483647},{'op':'add',"
                  "'path':'/spec/backoffLimitPerIndex','value':6}]"}),
    testing::PrintToStringParamName());

}  // namespace
}  // namespace berth::admission
