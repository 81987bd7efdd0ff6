#include <tuple>
#include <utility>

#include "admission/static_rules.h"

namespace berth::admission {

using policies::admission::AcceleratorAffinityPolicy;
using policies::admission::AcceleratorMemoryPolicy;
using policies::admission::CheckpointPolicy;
using policies::admission::GuaranteedQosPolicy;
using policies::admission::IsolationPolicy;
using policies::admission::JobRetriesPolicy;
using policies::admission::Mode;
using policies::admission::PoliciesConfig;
using policies::admission::PolicySettings;

namespace {

constexpr std::string_view kJob = "request.kind.kind == 'Job'";

// The pods before an update come after those that it makes of them.
constexpr std::string_view kPods = R"cel(
(oldObject == null ? [dyn(object)] : [dyn(object), dyn(oldObject)])
  .map(o, variables.job ? o.spec.template : o))cel";

constexpr std::string_view kField = "variables.job ? 'spec.template.' : ''";

constexpr std::string_view kObjections =
    "variables.found[0].filter(f, size(variables.found) == 1 || !(f in variables.found[1]))";

// QosObjections
constexpr std::string_view kGuaranteedQos = R"cel(
variables.pods.map(pod, (has(pod.spec.resources) ?
    [{'field': dyn('resources'), 'whole': dyn(true), 'resources': pod.spec.resources}] :
    pod.spec.?initContainers.orValue([]).transformList(i, c, {
      'field': dyn('initContainers[' + string(i) + '].resources'), 'whole': dyn(false),
      'resources': dyn(c.?resources.orValue({}))}) +
    pod.spec.containers.transformList(i, c, {
      'field': dyn('containers[' + string(i) + '].resources'), 'whole': dyn(false),
      'resources': dyn(c.?resources.orValue({}))}))
  .map(p, {'field': p.field,
    'limits': dyn(['cpu', 'memory'].map(r, p.resources.?limits[?r].orValue('0'))),
    'requests': dyn(['cpu', 'memory'].map(r, p.resources.?requests[?r]
      .or(p.whole ? optional.none() : p.resources.?limits[?r]).orValue('0')))})
  .map(p, [['cpu', 'memory'].transformList(i, r,
        !quantity(p.limits[i]).isGreaterThan(quantity('0')), r)]
      .filter(lacking, size(lacking) > 0)
      .map(lacking, variables.field + 'spec.' + p.field + '.limits lacks ' +
        lacking.join(' and ')) +
    ['cpu', 'memory'].transformList(i, r,
      quantity(p.limits[i]).isGreaterThan(quantity('0')) &&
        quantity(p.requests[i]).compareTo(quantity(p.limits[i])) != 0,
      variables.field + 'spec.' + p.field + '.requests.' + r +
        (quantity(p.requests[i]).isGreaterThan(quantity(p.limits[i])) ?
          ' is above the limit' : ' is not the same as the limit')))
  .flatten()))cel";

constexpr std::string_view kAcceleratorAffinity = R"cel(
variables.pods.map(pod, [@asked@].map(asked, size(asked) == 0 ? [] :
    @named-models@.filter(m, !(m in @models@) || !@models@[m].exists(r, r in asked)))[0]
  .map(m, variables.field + 'metadata.annotations[@prefix@/accelerators] names ' + m +
    (m in @models@ ? ', of which the pod asks for no resource' :
      ', which is not in the catalogue'))
  .transformList(i, text, i == 0, text)))cel";

constexpr std::string_view kAcceleratorMemory = R"cel(
variables.pods.map(pod, size(@asked@) == 0 ? [] :
  @named-memory@.filter(t, !@is-memory-size@)
    .map(t, variables.field + 'metadata.annotations[@prefix@/accelerator-memory] is "' + t +
      '", which is not a size from 1Mi to 64Pi')))cel";

constexpr std::string_view kIsolation = R"cel(
variables.pods.map(pod,
  @isolation-concerns@ && !@isolated@ && !@unknown-devices@ && !@wants-accelerators@ &&
      !@let-in@ ?
    ['spec.affinity.nodeAffinity allows nodes with accelerators, but the pod asks for none'] :
    []))cel";

// CheckpointPolicy::ClaimFor. A trainer that was promised checkpoints must not run without them.
constexpr std::string_view kCheckpoint = R"cel(
variables.pods.map(pod,
  [pod.?metadata.?annotations[?'@prefix@/checkpoint'].orValue('false')]
    .filter(t, t != 'false')
    .map(t, variables.field + 'metadata.annotations[@prefix@/checkpoint] asks for checkpoints, ' +
      'which only the webhook gives')))cel";

// What JobRetriesPolicy asks of a Job.
constexpr std::string_view kStances = R"cel(
(oldObject == null ? [dyn(object)] : [dyn(object), dyn(oldObject)])
  .map(o, {'spec': o.spec, 'concerned': dyn(@retries-concern@),
    'limited': dyn(@memory-limits@ && !@marked@), 'containers': dyn(@containers@),
    'field': dyn(has(o.spec.backoffLimitPerIndex) ? 'backoffLimitPerIndex' : 'backoffLimit'),
    'limit': dyn(o.spec.?backoffLimitPerIndex.orValue(o.spec.?backoffLimit.orValue(6)))}))cel";

// JobRetriesPolicy::Breaches. A limit is no worse than before unless it is higher, and no update
// can change the rules.
constexpr std::string_view kJobRetries = R"cel(
variables.stances.map(s, !@run-by-kubernetes@ || !s.concerned ||
    s.limited && @restarted-by-owner@ ? [] :
  [s.limit].filter(l, l > 0 && l >= variables.stances[0].limit)
    .map(l, 'spec.' + s.field + ' lets the Job fail on node after node') +
  [s.spec.template.spec.?restartPolicy.orValue('Always')].filter(p, p != 'Never')
    .map(p, 'spec.template.spec.restartPolicy is not Never') +
  s.containers.filter(c, !(c.?restartPolicy.orValue('Never') in ['Never', 'Always']) ||
      c.?restartPolicy.orValue('') == 'Always' && c in s.spec.template.spec.containers ||
      c.?restartPolicyRules.orValue([]).exists(r,
        c.?restartPolicy.orValue('') != 'Always' || r.action != 'Restart'))
    .map(c, 'spec.template.spec: container ' + c.name + ' is restarted in place') +
  s.spec.?podFailurePolicy.?rules.orValue([]).transformList(i, r,
    oldObject == null && r.action == 'Ignore' && !@may-ignore@,
    'spec.podFailurePolicy.rules[' + string(i) +
      '].action retries what may have run out of memory')))cel";

// Collects the validations of one configuration.
class Validations {
 public:
  Validations(const CelFacts& facts, const PoliciesConfig& policies)
      : facts_(facts), policies_(policies) {}

  // Judges pods, and Jobs unless `jobs` is false, by what `found` says of each of variables.pods.
  template <typename Policy>
  void Add(std::string_view found, bool jobs, std::string_view advice) {
    Add<Policy>(true, jobs,
                {{"job", std::string(kJob)},
                 {"pods", std::string(kPods)},
                 {"field", std::string(kField)},
                 {"found", facts_.Fill(found, "pod")}},
                advice);
  }

  template <typename Policy>
  void Add(bool pods, bool jobs, std::vector<CelVariable> variables, std::string_view advice) {
    const Mode mode = std::get<PolicySettings<Policy>>(policies_.all).mode;
    if (mode == Mode::kOff) return;
    variables.push_back({"objections", std::string(kObjections)});
    all_.push_back({.policy = Policy::kName,
                    .mode = mode,
                    .pods = pods,
                    .jobs = jobs,
                    .variables = std::move(variables),
                    .advice = facts_.Fill(advice, "")});
  }

  std::vector<StaticValidation> Take() { return std::move(all_); }

 private:
  const CelFacts& facts_;
  const PoliciesConfig& policies_;
  std::vector<StaticValidation> all_;
};

}  // namespace

std::vector<StaticValidation> ValidationsOf(const CelFacts& facts, const PoliciesConfig& policies) {
  Validations all(facts, policies);
  all.Add<GuaranteedQosPolicy>(kGuaranteedQos, true,
                               "write limits of cpu and memory, and the same requests or none");
  all.Add<JobRetriesPolicy>(false, true,
                            {{"stances", facts.Fill(kStances, "o.spec.template")},
                             {"found", facts.Fill(kJobRetries, "")}},
                            "write backoffLimit 0, or backoffLimitPerIndex 0, restartPolicy Never, "
                            "and no rules that have a failure retried");
  all.Add<AcceleratorAffinityPolicy>(
      kAcceleratorAffinity, true, "name models of the catalogue whose resource the pod asks for");
  all.Add<AcceleratorMemoryPolicy>(kAcceleratorMemory, true,
                                   "write the minimum memory of one device, such as 40Gi");
  all.Add<IsolationPolicy>(
      kIsolation, false,
      "write @prefix@/accelerator DoesNotExist in every term of "
      "requiredDuringSchedulingIgnoredDuringExecution, or ask for an accelerator");
  all.Add<CheckpointPolicy>(kCheckpoint, true, "mount the claim yourself, without the annotation");
  return all.Take();
}

}  // namespace berth::admission
