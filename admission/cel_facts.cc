#include "admission/cel_facts.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "policies/admission/framework_profiles.h"

namespace berth::admission {

using policies::admission::ControllerSpec;
using policies::admission::GuaranteedQosPolicy;
using policies::admission::JobRetriesPolicy;
using policies::admission::PolicySettings;
using policies::admission::SchedulerNamePolicy;

namespace {

struct Fact {
  std::string_view name;
  std::string_view expression;
};

constexpr Fact kFacts[] = {
    // JobRetriesPolicy::Concerns
    {"retries-concern", R"cel((size(@asked@) > 0 || @claims@ || !@memory-limits@ || @marked@))cel"},
    // IsolationPolicy::IsConcerned
    {"isolation-concerns",
     R"cel((@pod@.spec.?nodeName.orValue('') == '' && !@claims@ && size(@asked@) == 0))cel"},
    // UnknownDevices::In
    {"unknown-devices", R"cel((@containers@.exists(c, ['limits', 'requests'].exists(f,
  c.?resources[?f].orValue({}).exists(r, r.contains('/') && !(r in @resources@) &&
    quantity(c.resources[f][r]).isGreaterThan(quantity('0')) && !@ordinary@ &&
    (r.startsWith('deviceclass.resource.kubernetes.io/') ||
      !r.startsWith('requests.') && !r.contains('kubernetes.io/'))))) ||
  @fractions@.exists(a, @pod@.?metadata.?annotations[?a].hasValue())))cel"},
    // IsolationPolicy::WantsAccelerators
    {"wants-accelerators", R"cel((
  dyn(@pod@.spec.?nodeSelector.orValue({}).transformList(k, v,
    {'key': dyn(k), 'operator': dyn('In'), 'values': dyn([v])})) +
  dyn(@terms@.map(t, t.?matchExpressions.orValue([])).flatten())
).exists(e,
  e.operator == 'Exists' && e.key in @labels@ ||
  e.operator == 'In' && (e.key == '@prefix@/accelerator' ||
    e.?values.orValue([]).exists(v, @recognises@))))cel"},
    // IsolationPolicy::IsIsolated
    {"isolated", R"cel((@required@.hasValue() && @terms@.all(t,
  size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) == 0 ||
  t.?matchExpressions.orValue([]).exists(e,
    e.key == '@prefix@/accelerator' && e.operator == 'DoesNotExist'))))cel"},
    // IsolationPolicy::AsksToBeLetIn
    {"let-in", R"cel((
  @pod@.?metadata.?annotations[?'@prefix@/allow-accelerator-nodes'].orValue('') == 'true' &&
  namespaceObject.metadata.?labels[?'@prefix@/allow-accelerator-nodes'].orValue('') == 'true'
))cel"},
    // IsRestartedByOwner
    {"restarted-by-owner", R"cel((object.metadata.?ownerReferences.orValue([]).exists(o,
  o.?controller.orValue(false) && o.apiVersion.split('/')[0] + '/' + o.kind in @retry-owners@ &&
  (@controller@ == o.kind || @user@.startsWith('system:serviceaccount:') &&
    !@user@.startsWith('system:serviceaccount:' + request.namespace + ':')))))cel"},
    // Whether the rule r may go on ignoring what it matches: MayIgnore. A disruption, which may be
    // the fault of a pod that fills the disk of its node, is not ignored here.
    {"may-ignore", R"cel((s.limited && !has(r.onExitCodes) &&
  !r.?onPodConditions.orValue([]).exists(c, c.type in [
    'PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready',
    'PodResizePending', 'PodResizeInProgress', 'AllContainersRestarting'] ||
    c.type == 'DisruptionTarget' && c.?status.orValue('True') == 'True')))cel"},
    // IsRunByKubernetes
    {"run-by-kubernetes", R"cel((object.spec.?managedBy.orValue('') in
  ['', 'kubernetes.io/job-controller']))cel"},
    {"terms", R"cel(@required@.?nodeSelectorTerms.orValue([]))cel"},
    {"required", R"cel(@pod@.spec.?affinity.?nodeAffinity
  .?requiredDuringSchedulingIgnoredDuringExecution)cel"},
    // AcceleratorAffinityPolicy::ModelsOf
    {"named-models", R"cel(@pod@.?metadata.?annotations[?'@prefix@/accelerators'].orValue('')
  .split(',').map(m, m.trim()).filter(m, m != ''))cel"},
    // model::ParseMemoryMinimum
    {"named-memory", R"cel([@pod@.?metadata.?annotations[?'@prefix@/accelerator-memory']]
  .filter(t, t.hasValue()).map(t, t.value().trim()))cel"},
    {"is-memory-size", R"cel((isQuantity(t) && !quantity(t).isLessThan(quantity('1Mi')) &&
  !quantity(t).isGreaterThan(quantity('64Pi'))))cel"},
    // AsksForAccelerators, as the resources that the pods ask for
    {"asked", R"cel(@resources@.filter(r, @containers@.exists(c,
  ['limits', 'requests'].exists(f,
    quantity(c.?resources[?f][?r].orValue('0')).isGreaterThan(quantity('0'))))))cel"},
    // HasMemoryLimits
    {"memory-limits", R"cel((
  quantity(@pod@.spec.?resources.?limits[?'memory'].orValue('0')).isGreaterThan(quantity('0')) ||
  @containers@.all(c,
    quantity(c.?resources.?limits[?'memory'].orValue('0')).isGreaterThan(quantity('0')))))cel"},
    {"claims", R"cel((size(@pod@.spec.?resourceClaims.orValue([])) > 0))cel"},
    // IsMarkedRetryless
    {"marked",
     R"cel((@pod@.?metadata.?annotations[?'@prefix@/retryless'].orValue('') == 'true'))cel"},
    {"containers", R"cel((@pod@.spec.?initContainers.orValue([]) + @pod@.spec.containers))cel"},
    // ControllerOf
    {"controller", R"cel([@users@[?@user@].orValue([])].map(mine,
  @owner@.filter(k, k in mine || @user@ == 'system:kube-controller-manager' && k in @owners@) +
  mine + [''])[0][0])cel"},
    {"owner", R"cel(object.metadata.?ownerReferences.orValue([])
  .filter(o, o.?controller.orValue(false)).map(o, string(o.kind)))cel"},
    {"user", R"cel(request.userInfo.?username.orValue(''))cel"},
};

std::string CelList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + CelText(text);
  return "[" + list + "]";
}

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

// The resources of each model, of which pods that name it have to ask for one.
std::string ModelsOf(const model::AcceleratorCatalog& catalog) {
  std::string map;
  for (model::AcceleratorCatalog::Index i = 0; std::cmp_less(i, catalog.size()); ++i) {
    std::vector<std::string> resources = {catalog[i].resource};
    for (const model::DeviceSlice& slice : catalog[i].slices) resources.push_back(slice.resource);
    map += (map.empty() ? "" : ",\n  ") + CelText(catalog[i].name) + ": " + CelList(resources);
  }
  return "{" + map + "}";
}

// The labels of which an accelerator's node has some value, Berth's own first.
std::string LabelsOf(const StaticSource& source) {
  std::vector<std::string> labels = {source.prefix + "/accelerator"};
  for (model::AcceleratorCatalog::Index i = 0; std::cmp_less(i, source.catalog.size()); ++i) {
    for (const model::NodeMatcher& matcher : source.catalog[i].nodes) {
      AddOnce(matcher.label, labels);
    }
  }
  return CelList(labels);
}

// AcceleratorCatalog::RecognisesLabel for the label e.key with the value v.
std::string RecognisesOf(const model::AcceleratorCatalog& catalog) {
  std::string any;
  for (model::AcceleratorCatalog::Index i = 0; std::cmp_less(i, catalog.size()); ++i) {
    for (const model::NodeMatcher& matcher : catalog[i].nodes) {
      any += (any.empty() ? "" : " ||\n      ") + ("e.key == " + CelText(matcher.label)) +
             " && v.matches(" + CelText(matcher.matches) + ")";
    }
  }
  return any.empty() ? "false" : any;
}

// The expression of RE2 that matches what fnmatch's pattern does.
std::string RegexOf(std::string_view pattern) {
  constexpr std::string_view kPlain = "-_/";
  std::string regex = "^";
  for (const char c : pattern) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       kPlain.find(c) != std::string_view::npos;
    if (c == '*' || c == '?') {
      regex += c == '*' ? ".*" : ".";
    } else {
      regex += (plain || c == '[' || c == ']' ? "" : "\\") + std::string(1, c);
    }
  }
  return regex + "$";
}

// Whether a pattern of admission.ordinaryResources matches the resource r.
std::string OrdinaryOf(const std::vector<std::string>& patterns) {
  std::string any;
  for (const std::string& pattern : patterns) {
    any += (any.empty() ? "" : " ||\n      ") + ("r.matches(" + CelText(RegexOf(pattern)) + ")");
  }
  return "(" + (any.empty() ? "false" : any) + ")";
}

// Whether the cpu limit of the place p is lowered to its request.
std::string LowersCpuOf(const policies::admission::GuaranteedQosConfig& config) {
  if (config.cpu == policies::admission::CpuRule::kLower) return "true";
  return "p.container in " + CelList(config.lower_cpu_of);
}

// The kinds for which each user creates objects, in the order of the configuration.
std::string UsersOf(const std::vector<ControllerSpec>& controllers) {
  std::map<std::string, std::vector<std::string>> kinds;
  for (const ControllerSpec& spec : controllers) AddOnce(spec.owner, kinds[spec.user]);
  std::string map;
  for (const auto& [user, owners] : kinds) {
    map += (map.empty() ? "" : ",\n  ") + CelText(user) + ": " + CelList(owners);
  }
  return "{" + map + "}";
}

std::string OwnersOf(const std::vector<ControllerSpec>& controllers) {
  std::vector<std::string> kinds;
  for (const ControllerSpec& spec : controllers) AddOnce(spec.owner, kinds);
  return CelList(kinds);
}

}  // namespace

std::string CelText(std::string_view text) { return nlohmann::json(text).dump(); }

CelFacts::CelFacts(const StaticSource& source) {
  const auto& policies = source.admission.policies.all;
  const auto& qos = std::get<PolicySettings<GuaranteedQosPolicy>>(policies).config;
  const std::vector<ControllerSpec> controllers = AllControllers(source.admission);
  literals_ = {
      {"prefix", source.prefix},
      {"resources", CelList(source.catalog.resources())},
      {"models", ModelsOf(source.catalog)},
      {"labels", LabelsOf(source)},
      {"recognises", RecognisesOf(source.catalog)},
      {"users", UsersOf(controllers)},
      {"owners", OwnersOf(controllers)},
      {"scheduler", CelText(std::get<PolicySettings<SchedulerNamePolicy>>(policies).config.name)},
      {"retry-owners", CelList(std::get<PolicySettings<JobRetriesPolicy>>(policies).config.owners)},
      {"lowers-cpu", LowersCpuOf(qos)},
      {"ordinary", OrdinaryOf(source.admission.ordinary_resources)},
      {"fractions", CelList(source.admission.fraction_annotations)},
  };
}

std::string CelFacts::Fill(std::string_view text, std::string_view pod) const {
  std::string filled;
  for (std::size_t begin = text.find('@'); begin != std::string_view::npos;
       begin = text.find('@')) {
    const std::size_t end = text.find('@', begin + 1);
    filled += text.substr(0, begin);
    filled += Named(text.substr(begin + 1, end - begin - 1), pod);
    text.remove_prefix(end + 1);
  }
  return filled.append(text);
}

std::string CelFacts::Named(std::string_view name, std::string_view pod) const {
  if (name == "pod") return std::string(pod);
  const auto fact = std::ranges::find(kFacts, name, &Fact::name);
  if (fact != std::end(kFacts)) return Fill(fact->expression, pod);
  return literals_.find(name)->second;
}

}  // namespace berth::admission
