#include <tuple>
#include <utility>

#include "admission/static_rules.h"

namespace berth::admission {

using policies::admission::Mode;
using policies::admission::PoliciesConfig;
using policies::admission::PolicySettings;

namespace {

// Operations are maps {op, path, value}, because kube-apiserver has the type JSONPatch only in the
// expression of the mutation itself. All values are dyn: CEL has only maps of one type.

constexpr std::string_view kAt = "variables.job ? '/spec/template' : ''";

constexpr std::string_view kCreator = R"cel(
!variables.job && variables.controller != '' ?
  (variables.controller == 'Job' && object.metadata.ownerReferences.exists(o,
      o.?controller.orValue(false) && o.kind == 'Job' && o.apiVersion.startsWith('batch/')) ||
    !@pod@.?metadata.?annotations[?'@prefix@/created-by'].hasValue() ? [] : [{
      'op': dyn('remove'), 'path': dyn('/metadata/annotations/@prefix@~1created-by'),
      'value': dyn('')}]) :
  (variables.job ? ['', variables.at] : ['']).filter(root, @user@ != '').map(root,
    ((root == '' ? has(object.metadata.annotations) : has(@pod@.metadata.annotations)) ? [] : [{
      'op': dyn('add'), 'path': dyn(root + '/metadata/annotations'), 'value': dyn({})}]) + [{
      'op': dyn('add'), 'path': dyn(root + '/metadata/annotations/@prefix@~1created-by'),
      'value': dyn(@user@)}]).flatten())cel";

// The containers with their place in the object.
constexpr std::string_view kPlaces = R"cel(
@pod@.spec.?initContainers.orValue([]).transformList(i, c, {
    'path': dyn(variables.at + '/spec/initContainers/' + string(i) + '/resources'),
    'name': dyn('init container ' + c.name), 'container': c.name,
    'resources': dyn(c.?resources.orValue({}))}) +
  @pod@.spec.containers.transformList(i, c, {
    'path': dyn(variables.at + '/spec/containers/' + string(i) + '/resources'),
    'name': dyn('container ' + c.name), 'container': c.name,
    'resources': dyn(c.?resources.orValue({}))}))cel";

// LimitRangerDefaults: "cpu limit for container a"
constexpr std::string_view kLimitRanged = R"cel(
[@pod@.?metadata.?annotations[?'kubernetes.io/limit-ranger'].orValue('')]
  .filter(t, t.startsWith('LimitRanger plugin set: '))
  .map(t, t.substring(24).split(';').map(c, c.trim()).map(c,
    [' limit for ', ' request for '].filter(w, c.contains(w)).map(w, c.indexOf(w)).map(i,
      c.substring(0, i).split(',').map(r, r.trim() + c.substring(i)))))
  .flatten(3))cel";

// EqualizeContainers: what is moved from limits to requests, or from requests to limits.
constexpr std::string_view kMoves = R"cel(
has(@pod@.spec.resources) ? [] : variables.places.map(p, ['cpu', 'memory'].map(r, {
    'path': p.path, 'resource': dyn(r), 'lowers': dyn(r == 'cpu' && @lowers-cpu@),
    'request': dyn(p.resources.?requests[?r].or(p.resources.?limits[?r]).orValue('0')),
    'limit': dyn(p.resources.?limits[?r].orValue('0')),
    'nobodys-request': dyn(r + ' request for ' + p.name in variables.ranged),
    'nobodys-limit': dyn(r + ' limit for ' + p.name in variables.ranged)})).flatten()
  .map(m, {'path': m.path, 'resource': m.resource, 'request': m.request, 'limit': m.limit,
    'order': dyn(quantity(m.request).compareTo(quantity(m.limit))),
    'negative': dyn([m.request, m.limit].exists(q, quantity(q).isLessThan(quantity('0')))),
    'lowers': dyn(m.lowers && quantity(m.request).isGreaterThan(quantity('0'))),
    'stays': dyn(quantity(m.limit).compareTo(quantity('0')) == 0 ?
      m['nobodys-request'] : !m['nobodys-limit'])})
  .filter(m, !m.negative && (m.order < 0 || m.order > 0 && !m.stays))
  .map(m, m.order < 0 && !m.lowers ?
    {'path': m.path, 'field': dyn('requests'), 'resource': m.resource, 'value': m.limit} :
    {'path': m.path, 'field': dyn('limits'), 'resource': m.resource, 'value': m.request}))cel";

constexpr std::string_view kResources = R"cel(
variables.places.filter(p, variables.moves.exists(m, m.path == p.path)).map(p,
    ['requests', 'limits'].filter(f, !(f in p.resources)).map(f, {
      'op': dyn('add'), 'path': dyn(p.path + '/' + f), 'value': dyn({})}) +
    variables.moves.filter(m, m.path == p.path).map(m, {
      'op': dyn('add'), 'path': dyn(m.path + '/' + m.field + '/' + m.resource),
      'value': m.value})).flatten() +
  (variables.job && @pod@.?metadata.?annotations[?'@prefix@/retryless'].hasValue() ? [{
    'op': dyn('remove'), 'path': dyn('/spec/template/metadata/annotations/@prefix@~1retryless'),
    'value': dyn('')}] : []))cel";

// Whether all containers have memory limits after the moves, and the Job is not one that must never
// be retried.
constexpr std::string_view kLimited = R"cel(
(quantity(@pod@.spec.?resources.?limits[?'memory'].orValue('0')).isGreaterThan(quantity('0')) ||
  variables.places.all(p,
    quantity(p.resources.?limits[?'memory'].orValue('0')).isGreaterThan(quantity('0')) ||
    variables.moves.exists(m,
      m.path == p.path && m.field == 'limits' && m.resource == 'memory'))) &&
!variables.marked)cel";

// JobRetriesPolicy, as if it never allowed a retry: how many it allows depends on too much.
constexpr std::string_view kRetries = R"cel(
!variables.job || !@run-by-kubernetes@ || !@retries-concern@ ||
    variables.limited && @restarted-by-owner@ ? [] :
  [{'limited': variables.limited}].map(s,
    dyn(object).spec.?podFailurePolicy.?rules.orValue([]).transformList(i, r,
      r.action == 'Ignore' && !@may-ignore@, {
        'op': dyn('replace'), 'path': dyn('/spec/podFailurePolicy/rules/' + string(i) + '/action'),
        'value': dyn('Count')}))[0] +
  (has(object.spec.podFailurePolicy) ? [{
    'op': dyn('add'), 'path': dyn('/spec/podReplacementPolicy'), 'value': dyn('Failed')}] : []) +
  [has(object.spec.backoffLimitPerIndex) ? 'backoffLimitPerIndex' : 'backoffLimit'].map(f, {
    'op': dyn('add'), 'path': dyn('/spec/' + f), 'value': dyn(0)}) + [{
    'op': dyn('add'), 'path': dyn('/spec/template/spec/restartPolicy'),
    'value': dyn('Never')}])cel";

// AcceleratorAffinityPolicy
constexpr std::string_view kModels = R"cel(
[@named-models@].map(named, [@asked@].map(asked,
  size(asked) > 0 && size(named) > 0 &&
    named.all(m, m in @models@ && @models@[m].exists(r, r in asked)) ?
  [{'key': dyn('@prefix@/accelerator'), 'operator': dyn('In'), 'values': dyn(named.distinct())}] :
  []))[0][0])cel";

// AcceleratorMemoryPolicy. Fractions of a byte are rounded up, whole GiB down.
constexpr std::string_view kMemory = R"cel(
@named-memory@.filter(t, size(@asked@) > 0 && @is-memory-size@)
  .map(t, quantity(t).asApproximateFloat())
  .map(b, double(int(b)) == b ? int(b) : int(b) + 1)
  .map(b, b / 1073741824)
  .map(g, {'key': dyn('@prefix@/accelerator-memory'),
    'operator': dyn(g == 0 ? 'Exists' : 'Gt'),
    'values': dyn(g == 0 ? [] : [string(g - 1)])}))cel";

// IsolationPolicy
constexpr std::string_view kIsolating = R"cel(
@isolation-concerns@ && !@unknown-devices@ && !@wants-accelerators@ && !@let-in@ ?
  [{'key': dyn('@prefix@/accelerator'), 'operator': dyn('DoesNotExist'), 'values': dyn([])}] :
  [])cel";

// Draft::RequireOfNodes: in every term that is not empty, because an empty one matches no node.
// They are appended one by one: Kubernetes 1.37 makes no JSON of structs that a value takes from
// the object (reflectSchemalessTypedStruct in k8s.io/apiserver/pkg/cel/common, v0.37.2).
constexpr std::string_view kAffinity = R"cel(
size(variables.requirements) == 0 ? [] : @required@.hasValue() ?
  @terms@.transformList(i, t,
      size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) > 0,
      [variables.at + '/spec/affinity/nodeAffinity/' +
        'requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/' + string(i) +
        '/matchExpressions'].map(path,
    (has(t.matchExpressions) ? [] : [{
      'op': dyn('add'), 'path': dyn(path), 'value': dyn([])}]) +
    variables.requirements.filter(r,
      !t.?matchExpressions.orValue([]).exists(e, e.key == r.key && e.operator == r.operator &&
        e.?values.orValue([]) == r.values)).map(r, {
      'op': dyn('add'), 'path': dyn(path + '/-'), 'value': dyn(r)})).flatten()).flatten() :
  (has(@pod@.spec.affinity) ? [] : [{
    'op': dyn('add'), 'path': dyn(variables.at + '/spec/affinity'), 'value': dyn({})}]) +
  (@pod@.spec.?affinity.?nodeAffinity.hasValue() ? [] : [{
    'op': dyn('add'), 'path': dyn(variables.at + '/spec/affinity/nodeAffinity'),
    'value': dyn({})}]) + [{
    'op': dyn('add'), 'path': dyn(variables.at + '/spec/affinity/nodeAffinity/' +
      'requiredDuringSchedulingIgnoredDuringExecution'),
    'value': dyn({'nodeSelectorTerms': [{'matchExpressions': variables.requirements}]})}])cel";

// SchedulerNamePolicy
constexpr std::string_view kScheduler = R"cel(
@pod@.spec.?nodeName.orValue('') == '' && size(@asked@) > 0 &&
    @pod@.spec.?schedulerName.orValue('default-scheduler') == 'default-scheduler' ?
  [{'op': dyn('add'), 'path': dyn(variables.at + '/spec/schedulerName'),
    'value': dyn(@scheduler@)}] : [])cel";

constexpr std::string_view kNothing = "[]";

// Collects the variables, and which of them are lists of operations.
class Mutation {
 public:
  explicit Mutation(const CelFacts& facts) : facts_(facts) {}

  void Add(std::string_view name, std::string_view expression) {
    mutation_.variables.push_back({name, facts_.Fill(expression, "variables.pod")});
  }

  void AddOperations(std::string_view name, std::string_view expression) {
    Add(name, expression);
    operations_ += (operations_.empty() ? "variables." : " + variables.") + std::string(name);
  }

  // The same for operations that change pods of DaemonSets, too. Takes the variable `controller`.
  void AddOperationsOnDaemons(std::string_view name, std::string_view expression) {
    AddOperations(name, expression);
    on_daemons_ = "variables." + std::string(name);
    mutation_.of_daemons = true;
  }

  StaticMutation Take() {
    if (!operations_.empty()) {
      const std::string all = on_daemons_.empty() ? operations_
                                                  : "variables.controller == 'DaemonSet' ? " +
                                                        on_daemons_ + " : " + operations_;
      mutation_.patch = "(" + all + ").map(o, JSONPatch{op: o.op, path: o.path, value: o.value})";
    }
    return std::move(mutation_);
  }

 private:
  const CelFacts& facts_;
  StaticMutation mutation_;
  std::string operations_;
  std::string on_daemons_;
};

template <typename Policy>
bool Enforces(const PoliciesConfig& policies) {
  return std::get<PolicySettings<Policy>>(policies.all).mode == Mode::kEnforce;
}

// The policies about limits and retries look at the same containers.
void AddLimitsAndRetries(const PoliciesConfig& policies, Mutation& mutation) {
  const bool equalizes = Enforces<policies::admission::GuaranteedQosPolicy>(policies);
  const bool retries = Enforces<policies::admission::JobRetriesPolicy>(policies);
  if (!equalizes && !retries) return;
  mutation.Add("places", kPlaces);
  mutation.Add("ranged", equalizes ? kLimitRanged : kNothing);
  mutation.Add("moves", equalizes ? kMoves : kNothing);
  if (equalizes) mutation.AddOperations("resources", kResources);
  if (!retries) return;
  // What guaranteed-qos enforces removes the mark.
  mutation.Add("marked", equalizes ? "false" : "@marked@");
  mutation.Add("limited", kLimited);
  mutation.AddOperations("retries", kRetries);
}

void AddAffinity(const PoliciesConfig& policies, Mutation& mutation) {
  std::string all;
  const auto add = [&](bool enforces, std::string_view name, std::string_view expression) {
    if (!enforces) return;
    mutation.Add(name, expression);
    all += (all.empty() ? "variables." : " + variables.") + std::string(name);
  };
  add(Enforces<policies::admission::AcceleratorAffinityPolicy>(policies), "models", kModels);
  add(Enforces<policies::admission::AcceleratorMemoryPolicy>(policies), "memory", kMemory);
  add(Enforces<policies::admission::IsolationPolicy>(policies), "isolation", kIsolating);
  if (all.empty()) return;
  mutation.Add("requirements", all);
  mutation.AddOperations("affinity", kAffinity);
}

}  // namespace

StaticMutation MutationOf(const CelFacts& facts, const PoliciesConfig& policies) {
  using policies::admission::CreatorPolicy;
  using policies::admission::SchedulerNamePolicy;
  Mutation mutation(facts);
  mutation.Add("job", "request.kind.kind == 'Job'");
  mutation.Add("pod", "variables.job ? dyn(object).spec.template : dyn(object)");
  mutation.Add("at", kAt);
  if (Enforces<CreatorPolicy>(policies)) {
    mutation.Add("controller", "@controller@");
    mutation.AddOperationsOnDaemons("creator", kCreator);
  }
  AddLimitsAndRetries(policies, mutation);
  AddAffinity(policies, mutation);
  const auto& scheduler = std::get<PolicySettings<SchedulerNamePolicy>>(policies.all);
  if (scheduler.mode == Mode::kEnforce && !scheduler.config.name.empty()) {
    mutation.AddOperations("scheduler", kScheduler);
  }
  return mutation.Take();
}

}  // namespace berth::admission
