#include "report/judge.h"

#include <algorithm>
#include <utility>

#include "kube/json.h"
#include "kube/json_model.h"
#include "kube/json_value.h"
#include "model/accelerator_requests.h"
#include "model/annotation.h"
#include "policies/admission/creator.h"
#include "policies/admission/origin.h"
#include "report/pod_compute.h"

namespace berth::report {

namespace {

using kube::JsonValue;
using policies::admission::PolicyEffect;
using policies::admission::User;

constexpr std::string_view kNodesGroup = "system:nodes";
constexpr std::string_view kSystemAccounts = "system:serviceaccount:kube-system:";

bool IsKubernetesGroup(std::string_view group) {
  return group.empty() || group == "apps" || group == "batch";
}

// Whether the configuration does not know the controller that makes what the owner controls. It is
// taken for a service account of some namespace, as operators have.
bool IsStandIn(const User& user) { return user.name.ends_with(":unknown-operator"); }

admission::GroupVersionKind KindOf(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return {"", std::string(api_version.empty() ? "v1" : api_version), std::string(kind)};
  }
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1)),
          std::string(kind)};
}

model::OwnerReference ControllerOf(const JsonValue& metadata) {
  model::OwnerReference controller;
  metadata.Field("ownerReferences").ForEachItem([&](const JsonValue& owner) {
    if (controller.controller || !owner.Field("controller").Boolean()) return;
    controller = {.kind = owner.Field("kind").Text(),
                  .name = owner.Field("name").Text(),
                  .controller = true,
                  .group = KindOf(owner.Field("apiVersion").String(), "").group,
                  .uid = owner.Field("uid").Text()};
  });
  return controller;
}

bool HasCondition(const JsonValue& status, std::string_view one, std::string_view other) {
  bool found = false;
  status.Field("conditions").ForEachItem([&](const JsonValue& condition) {
    const std::string_view type = condition.Field("type").String();
    found =
        found || ((type == one || type == other) && condition.Field("status").String() == "True");
  });
  return found;
}

bool HasEnded(const JsonValue& object, std::string_view kind) {
  const JsonValue status = object.Field("status");
  if (kind == "Job") return HasCondition(status, "Complete", "Failed");
  const std::string_view phase = kind == "Pod" ? status.Field("phase").String() : "";
  return phase == "Succeeded" || phase == "Failed";
}

Seen NamespaceOf(const JsonValue& object, const std::string& mode, const std::string& allow) {
  const JsonValue metadata = object.Field("metadata");
  const model::StringMap labels = metadata.Field("labels").StringMap();
  return SeenNamespace{.name = metadata.Field("name").Text(),
                       .mode = std::string(model::Find(labels, mode).value_or("")),
                       .accelerator_nodes_allowed = model::Find(labels, allow) == "true"};
}

kube::UnreadableObject Unreadable(simdjson::dom::element object, std::string_view kind,
                                  const absl::Status& error) {
  absl::Status ignored;
  return kube::UnreadableFromJson(JsonValue(object, kube::Path(""), ignored), kind, error);
}

}  // namespace

struct Judge::Identity {
  admission::GroupVersionKind kind;
  std::string namespace_name;
  std::string name;
  std::string uid;
  model::OwnerReference controller;
  bool deleted = false;
  bool ended = false;
  // Whether it asks to be let onto nodes with accelerators.
  bool asks_to_be_let_in = false;

  bool IsCore(std::string_view core_kind) const {
    return kind.group.empty() && kind.version == "v1" && kind.kind == core_kind;
  }
};

struct Judge::Foretold {
  Opinion opinion;
  // Whether Berth knows the kind, and whether it only looks at its templates.
  bool judged = false;
  bool is_template = false;
  model::Workload before;
  model::Workload after;
};

Judge::Judge(Rules rules)
    : rules_(std::move(rules)),
      mode_label_(model::kAdmissionLabel.Below(rules_.scheduling->prefix())),
      allow_name_(model::kAllowAcceleratorNodes.Below(rules_.scheduling->prefix())) {}

std::vector<Seen> Judge::Look(simdjson::dom::element object, std::string_view kind,
                              std::string_view api_version) const {
  std::vector<Seen> seen;
  absl::Status error;
  const JsonValue value(object, kube::Path(""), error);
  const JsonValue own_kind = value.Field("kind");
  if (!own_kind.absent()) {
    kind = own_kind.String();
    api_version = value.Field("apiVersion").String();
  }
  const JsonValue metadata = value.Field("metadata");
  Identity identity{.kind = KindOf(api_version, kind),
                    .namespace_name = metadata.Field("namespace").Text(),
                    .name = metadata.Field("name").Text(),
                    .uid = metadata.Field("uid").Text()};
  if (error.ok() && kind.empty()) error = absl::InvalidArgumentError("has no kind");
  if (error.ok() && kind.ends_with("List") && !value.Field("items").absent()) {
    const std::string_view item_kind = kind.substr(0, kind.size() - 4);
    value.Field("items").ForEachItem([&](const JsonValue& item) {
      for (Seen& each : Look(*item.element(), item_kind, item_kind.empty() ? "" : api_version)) {
        seen.push_back(std::move(each));
      }
    });
  } else if (error.ok() && !IsLeftOut(identity)) {
    identity.controller = ControllerOf(metadata);
    identity.deleted = !metadata.Field("deletionTimestamp").absent();
    identity.asks_to_be_let_in = !metadata.Field("annotations").Field(allow_name_).absent();
    identity.ended = HasEnded(value, kind);
    if (error.ok()) LookAt(object, identity, seen);
  }
  if (!error.ok()) seen.emplace_back(Unreadable(object, kind, error));
  return seen;
}

bool Judge::IsLeftOut(const Identity& identity) const {
  if (rules_.only_namespace.empty() || identity.IsCore("Node")) return false;
  const bool is_namespace = identity.IsCore("Namespace");
  return (is_namespace ? identity.name : identity.namespace_name) != rules_.only_namespace;
}

void Judge::LookAt(simdjson::dom::element object, const Identity& identity,
                   std::vector<Seen>& seen) const {
  if (identity.IsCore("Node")) {
    auto node = kube::NodeFromJson(object, "");
    if (node.ok()) {
      seen.emplace_back(*std::move(node));
    } else {
      seen.emplace_back(Unreadable(object, identity.kind.kind, node.status()));
    }
  } else if (identity.IsCore("Namespace")) {
    absl::Status error;
    seen.push_back(NamespaceOf(JsonValue(object, kube::Path(""), error), mode_label_, allow_name_));
    if (!error.ok()) seen.back() = Unreadable(object, identity.kind.kind, error);
  } else {
    seen.push_back(JudgedPodOrMaker(object, identity));
  }
}

Seen Judge::JudgedPodOrMaker(simdjson::dom::element object, const Identity& identity) const {
  auto foretold = Foretell(object, identity, false);
  if (!foretold.ok()) return Unreadable(object, identity.kind.kind, foretold.status());
  if (!foretold->judged) {
    const admission::Review review{.kind = identity.kind, .object = object};
    return OtherObject{admission::ToString(identity.kind), rules_.reviewer->WhyNotReviewed(review)};
  }
  JudgedObject judged{.kind = identity.kind.kind,
                      .is_template = foretold->is_template,
                      .namespace_name = identity.namespace_name,
                      .name = identity.name,
                      .uid = identity.uid,
                      .owner_uid = identity.controller.uid,
                      .ended = identity.ended};
  if (identity.kind.kind == "Pod" && !identity.ended) {
    const auto pod = kube::PodFromJson(object, "");
    if (!pod.ok()) return Unreadable(object, identity.kind.kind, pod.status());
    judged.use = UseOf(*pod, *foretold);
  }
  judged.opinion = std::move(foretold->opinion);
  if (identity.asks_to_be_let_in) {
    auto allowed = Foretell(object, identity, true);
    if (allowed.ok()) judged.where_allowed = std::move(allowed->opinion);
  }
  return judged;
}

User Judge::CreatorFor(const model::OwnerReference& owner) const {
  if (!owner.controller) return {};
  if (owner.kind == "Node" && owner.group.empty()) {
    return {.name = "system:node:" + owner.name, .groups = {std::string(kNodesGroup)}};
  }
  for (const policies::admission::ControllerSpec& spec : rules_.controllers) {
    // Other groups have kinds of the same name, whose objects other controllers own.
    const bool own_group =
        !spec.user.starts_with(kSystemAccounts) || IsKubernetesGroup(owner.group);
    if (spec.owner == owner.kind && own_group) return {.name = spec.user, .groups = {}};
  }
  return {.name = "system:serviceaccount:" + owner.group + ":unknown-operator", .groups = {}};
}

absl::StatusOr<Judge::Foretold> Judge::Foretell(simdjson::dom::element object,
                                                const Identity& identity,
                                                bool accelerator_nodes_allowed) const {
  admission::Review review{.kind = identity.kind,
                           .namespace_name = identity.namespace_name,
                           .user = CreatorFor(identity.controller),
                           .object = object};
  auto fate =
      rules_.reviewer->Foretell(review, {.mode = policies::admission::Mode::kEnforce,
                                         .accelerator_nodes_allowed = accelerator_nodes_allowed});
  if (!fate.ok()) return fate.status();
  Foretold foretold{.judged = fate->judged, .is_template = fate->created.kind.empty()};
  if (IsStandIn(review.user)) {
    std::erase_if(fate->outcome.effects, [](const PolicyEffect& effect) {
      return effect.policy == policies::admission::CreatorPolicy::kName && !effect.denied;
    });
  }
  foretold.opinion = OpinionOf(fate->outcome, foretold.is_template);
  const bool of_daemons =
      (identity.kind.kind == "DaemonSet" || identity.controller.kind == "DaemonSet") &&
      IsKubernetesGroup(identity.controller.group);
  const bool of_node = identity.controller.kind == "Node" && identity.controller.group.empty();
  if (identity.deleted || of_daemons || of_node) foretold.opinion = {.effect = Effect::kLeftAlone};
  foretold.before = std::move(fate->created);
  foretold.after = std::move(fate->outcome.workload);
  return foretold;
}

bool Judge::OnlyWarns(std::string_view policy) const {
  return std::ranges::find(rules_.only_warning, policy) != rules_.only_warning.end();
}

Opinion Judge::OpinionOf(const policies::admission::Outcome& outcome, bool is_template) const {
  Opinion opinion;
  const bool denied = !outcome.denial.empty() || outcome.pods_denied;
  for (const PolicyEffect& effect : outcome.effects) AddFindings(effect, is_template, opinion);
  if (denied) {
    // What is not stored is not changed either.
    std::erase_if(opinion.findings,
                  [](const Finding& each) { return each.effect != Effect::kDenied; });
    opinion.effect = Effect::kDenied;
    return opinion;
  }
  for (const Finding& finding : opinion.findings) {
    opinion.effect = std::max(opinion.effect, finding.effect);
  }
  return opinion;
}

// The engine changes no templates; it says what their pods will meet.
void Judge::AddFindings(const PolicyEffect& effect, bool is_template, Opinion& opinion) const {
  const bool foretells = is_template && effect.would && !OnlyWarns(effect.policy);
  const bool changes = effect.changed || foretells;
  for (const std::string& text : effect.remarks) {
    opinion.findings.push_back({effect.policy, changes ? Effect::kChanged : Effect::kWarned, text});
  }
  // Nobody is told that only the creator is recorded, and nothing else changes then.
  const bool recorded = effect.policy == policies::admission::CreatorPolicy::kName;
  if (changes && effect.remarks.empty() && effect.objections.empty() && !recorded) {
    opinion.findings.push_back({effect.policy, Effect::kChanged, ""});
  }
  const bool denies = effect.denied || foretells;
  for (const std::string& text : effect.objections) {
    opinion.findings.push_back({effect.policy, denies ? Effect::kDenied : Effect::kWarned, text});
  }
}

std::optional<PodUse> Judge::UseOf(const model::Pod& pod, const Foretold& foretold) const {
  if (pod.terminated) return std::nullopt;
  PodUse use{.node = pod.node_name,
             .now = {.cpu = pod.requests.Get("cpu"), .memory = pod.requests.Get("memory")}};
  use.then = use.now;
  if (foretold.opinion.effect == Effect::kChanged) {
    use.then += ComputeOf(foretold.after.pod) - ComputeOf(foretold.before.pod);
  }
  if (model::AcceleratorRequests(pod, rules_.scheduling->catalog()).empty()) return use;
  use.shape = rules_.scheduling->ShapeOf(pod);
  use.asking = model::Pod{
      .annotations = pod.annotations, .tolerations = pod.tolerations, .requests = pod.requests};
  return use;
}

}  // namespace berth::report
