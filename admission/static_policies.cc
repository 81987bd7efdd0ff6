#include "admission/static_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "admission/static_rules.h"

namespace berth::admission {

using policies::admission::Mode;
using policies::admission::PolicySettings;

namespace {

constexpr std::string_view kHead =
    R"(# The part of Berth's admission that kube-apiserver can do by itself, since Kubernetes 1.36.
# Instead of editing it, change Berth's configuration and write it anew with `berth policies`.
#
# What becomes of each policy of Berth's:
)";

constexpr std::string_view kFoot =
    R"(#
# For pods and Jobs alone. Authors are not told what was changed, nor what will become of the pods
# of other kinds. The annotation @prefix@/applied is not written.
)";

// What the comments say of a policy that has a static part.
struct Told {
  std::string_view policy;
  std::string_view what;
};

constexpr std::string_view kSame = "as the webhook does it";

constexpr Told kTold[] = {
    {"creator",
     "as the webhook does it, but not for the pods of custom resources, and updates\n"
     "#     may change it"},
    {"guaranteed-qos",
     "as the webhook does it with missingLimits Deny. Pods that set neither a request nor a\n"
     "#     limit are denied. spec.resources is judged, but not changed"},
    {"job-retries",
     "Jobs that the webhook would give any retries end with their first failure, and when\n"
     "#     their pod is drained or preempted"},
    {"accelerator-affinity", kSame},
    {"accelerator-memory", kSame},
    {"isolation", kSame},
    {"checkpoint", "left out: what asks for checkpoints is denied"},
    {"scheduler-name", kSame},
};

std::string TextOf(std::string_view policy, Mode mode) {
  if (mode == Mode::kOff) return "Off";
  const auto told = std::ranges::find(kTold, policy, &Told::policy);
  if (told == std::end(kTold)) return "left out; only the webhook does it";
  return std::string(told->what) + (mode == Mode::kWarn ? "; only warns" : "");
}

constexpr std::string_view kApi = "admissionregistration.k8s.io/v1";
constexpr std::string_view kName = "berth-static";

std::string Indented(std::string_view text, int spaces) {
  std::string result;
  const std::string margin(static_cast<std::size_t>(spaces), ' ');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) result += margin + std::string(text.substr(0, end));
    result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// A block scalar, because CEL has quotation marks of both kinds.
std::string BlockScalar(std::string_view name, std::string_view value, int spaces) {
  const std::string margin(static_cast<std::size_t>(spaces), ' ');
  while (value.starts_with('\n')) value.remove_prefix(1);
  return fmt::format("{}{}: |-\n{}", margin, name, Indented(value, spaces + 2));
}

std::string Rule(std::string_view group, std::string_view resource, std::string_view operations) {
  return fmt::format(
      "    - {{apiGroups: [{}], apiVersions: [v1], resources: [{}], operations: [{}], scope: "
      "Namespaced}}\n",
      group, resource, operations);
}

std::string Head(std::string_view kind, const std::string& name) {
  return fmt::format("---\napiVersion: {}\nkind: {}\nmetadata: {{name: {}}}\nspec:\n", kApi, kind,
                     name);
}

// Objects that Berth leaves alone: those of DaemonSets, those that kubelets create, and those that
// are being deleted (AdmissionEngine::Concerns). `of_daemons` lets in the pods of DaemonSets.
std::string Conditions(const CelFacts& facts, bool of_daemons) {
  const std::string no_daemon = "@controller@ != 'DaemonSet'";
  const std::string judged = of_daemons ? "request.kind.kind == 'Pod' || " + no_daemon : no_daemon;
  return "  matchConditions:\n  - name: not-of-a-node\n" +
         BlockScalar("expression", "!('system:nodes' in request.userInfo.?groups.orValue([]))", 4) +
         "  - name: not-of-a-daemon\n" + BlockScalar("expression", facts.Fill(judged, ""), 4) +
         "  - name: not-deleted\n    expression: '!has(object.metadata.deletionTimestamp)'\n";
}

std::string Constraints(bool pods, bool jobs, std::string_view operations) {
  return "  failurePolicy: Fail\n  matchConstraints:\n    resourceRules:\n" +
         (pods ? Rule("\"\"", "pods", operations) : "") +
         (jobs ? Rule("batch", "jobs", operations) : "");
}

std::string Variables(const std::vector<CelVariable>& variables) {
  std::string yaml = "  variables:\n";
  for (const CelVariable& variable : variables) {
    yaml += fmt::format("  - name: {}\n", variable.name);
    yaml += BlockScalar("expression", variable.expression, 4);
  }
  return yaml;
}

// The namespaces whose mode is between two modes, both included: selectors of labels.
std::string Namespaces(Mode least, Mode most, const StaticSource& source,
                       const StaticScope& scope) {
  const auto within = [&](Mode mode) { return mode >= least && mode <= most; };
  constexpr std::pair<Mode, std::string_view> kModes[] = {
      {Mode::kEnforce, "enforce"}, {Mode::kWarn, "warn"}, {Mode::kOff, "\"off\""}};
  const bool unlabelled = within(scope.unlabelled);
  std::string values;
  for (const auto& [mode, name] : kModes) {
    // An unknown value counts as no label.
    if (within(mode) == unlabelled) continue;
    values += (values.empty() ? "" : ", ") + std::string(name);
  }
  std::string yaml = fmt::format(
      "  matchResources:\n    namespaceSelector:\n      matchExpressions:\n"
      "      - {{key: {}/admission, operator: {}, values: [{}]}}\n",
      source.prefix, unlabelled ? "NotIn" : "In", values);
  if (scope.excluded.empty()) return yaml;
  // In quotes: YAML would take a namespace such as 2024 or null for something else than a text.
  return yaml + fmt::format(
                    "      - {{key: kubernetes.io/metadata.name, operator: NotIn, values: "
                    "{}}}\n",
                    nlohmann::json(scope.excluded).dump());
}

// Writes the objects of one configuration.
class Writer {
 public:
  Writer(const StaticSource& source, const StaticScope& scope)
      : source_(source), scope_(scope), facts_(source) {}

  std::string Write() {
    WriteHead();
    const auto& policies = source_.admission.policies;
    WriteMutation(MutationOf(facts_, policies));
    for (const StaticValidation& validation : ValidationsOf(facts_, policies)) {
      WriteValidation(validation);
    }
    return std::move(yaml_);
  }

 private:
  void WriteHead() {
    yaml_ = kHead;
    ForEachPolicy(source_.admission.policies, [this]<typename Policy>(
                                                  const PolicySettings<Policy>& settings) {
      yaml_ += fmt::format("#   {}: {}\n", Policy::kName, TextOf(Policy::kName, settings.mode));
    });
    yaml_ += facts_.Fill(kFoot, "");
  }

  void WriteMutation(const StaticMutation& mutation) {
    if (mutation.patch.empty()) return;
    const std::string name(kName);
    yaml_ += Head("MutatingAdmissionPolicy", name) + Constraints(true, true, "CREATE") +
             Conditions(facts_, mutation.of_daemons) + "  reinvocationPolicy: IfNeeded\n" +
             Variables(mutation.variables) +
             "  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n" +
             BlockScalar("expression", mutation.patch, 6);
    yaml_ += Head("MutatingAdmissionPolicyBinding", name) +
             fmt::format("  policyName: {}\n", name) +
             Namespaces(Mode::kEnforce, Mode::kEnforce, source_, scope_);
  }

  void WriteValidation(const StaticValidation& validation) {
    const std::string name = fmt::format("{}-{}", kName, validation.policy);
    yaml_ += Head("ValidatingAdmissionPolicy", name) +
             Constraints(validation.pods, validation.jobs, "CREATE, UPDATE") +
             Conditions(facts_, false) + Variables(validation.variables) +
             "  validations:\n  - expression: size(variables.objections) == 0\n" +
             BlockScalar("messageExpression",
                         fmt::format("'berth {}: ' + variables.objections[0] +\n  {}",
                                     validation.policy, CelText("; " + validation.advice)),
                         4);
    const bool enforces = validation.mode == Mode::kEnforce;
    if (enforces) WriteBinding(name, "enforce", Mode::kEnforce, Mode::kEnforce, "Deny");
    WriteBinding(name, "warn", Mode::kWarn, enforces ? Mode::kWarn : Mode::kEnforce, "Warn, Audit");
  }

  void WriteBinding(const std::string& policy, std::string_view suffix, Mode least, Mode most,
                    std::string_view actions) {
    yaml_ += Head("ValidatingAdmissionPolicyBinding", fmt::format("{}-{}", policy, suffix)) +
             fmt::format("  policyName: {}\n  validationActions: [{}]\n", policy, actions) +
             Namespaces(least, most, source_, scope_);
  }

  const StaticSource& source_;
  const StaticScope& scope_;
  const CelFacts facts_;
  std::string yaml_;
};

}  // namespace

std::string StaticPoliciesYaml(const StaticSource& source, const StaticScope& scope) {
  return Writer(source, scope).Write();
}

}  // namespace berth::admission
