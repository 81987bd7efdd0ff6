#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/config_field.h"
#include "policies/admission/framework.h"
#include "policies/admission/policies.h"
#include "policies/admission/request.h"
#include "policies/policy_list.h"

// The configuration of the admission policies, generated from the list in policies.h:
//
//   admission:
//     policies:
//       isolation: {mode: Warn}
//       guaranteedQos: {mode: Enforce, cpu: Raise}   # mode, and the policy's own fields beside it
//
// See model/config_field.h for VisitFields.

namespace berth::policies::admission {

/// The settings of one policy: its mode, and beside it the policy's own fields.
template <typename Policy>
struct PolicySettings {
  static constexpr std::string_view kKey = Policy::kConfigKey;

  Mode mode = Policy::kDefaultMode;
  typename Policy::Config config;

  friend bool operator==(const PolicySettings&, const PolicySettings&) = default;
};

template <typename Visitor, typename Policy>
void VisitFields(Visitor& visit, PolicySettings<Policy>& settings) {
  visit("mode", settings.mode, "Enforce, Warn or Off; the namespace's mode can only weaken it");
  VisitFields(visit, settings.config);
}

/// The block admission.policies.
using PoliciesConfig = SettingsOf<PolicySettings, AllPolicies>;

/// A controller that creates objects on behalf of others.
struct ControllerSpec {
  /// The controller's user name at the API server:
  /// "system:serviceaccount:kubeflow:training-operator".
  std::string user;
  /// Kind of the objects for which it creates pods or Jobs, as their ownerReference names it.
  std::string owner;

  friend bool operator==(const ControllerSpec&, const ControllerSpec&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ControllerSpec& spec) {
  visit.Required("user", spec.user, "User name of the controller's service account");
  visit.Required("owner", spec.owner,
                 "Kind of the objects that own the pods and Jobs that it creates");
}

/// What a template in an object of another kind is a template of.
enum class TemplateOf : std::uint8_t {
  /// Of pods: it has metadata and the spec of a pod.
  kPods,
  /// Of Jobs: it has metadata and the spec of a Job, with the template of its pods.
  kJobs,
};

/// How the configuration spells them.
std::span<const model::EnumName<TemplateOf>> EnumNames(TemplateOf);

/// Where objects of another kind contain templates of pods or Jobs.
struct TemplateSpec {
  /// API group, without a version; empty for the core group.
  std::string group;
  std::string kind;
  /// JSON pointer; "*" stands for every member of a map or list.
  std::string path;
  TemplateOf of = TemplateOf::kPods;
  /// JSON pointers to numbers in the object, whose product is how many times it uses the template.
  /// A "*" stands for the same member as the one of `path` at its place. Empty if the template has
  /// no part in gangs.
  std::vector<std::string> replicas = {};
  /// JSON pointer to the size of a gang in an object that makes several. Empty if all templates
  /// with `replicas` are one gang.
  std::string gang_size = {};
  /// JSON pointers, each perhaps with "=" and a text or truth value. If one of them is there, and
  /// is that, the object starts its pods one after the other.
  std::vector<std::string> in_turn = {};

  friend bool operator==(const TemplateSpec&, const TemplateSpec&) = default;
};

template <typename Visitor>
void VisitFields(Visitor& visit, TemplateSpec& spec) {
  visit("group", spec.group, "API group, such as kubeflow.org");
  visit.Required("kind", spec.kind, "Kind, such as PyTorchJob");
  visit.Required("path", spec.path,
                 "JSON pointer to the pod template; * stands for every member: "
                 "/spec/pytorchReplicaSpecs/*/template");
  visit("of", spec.of,
        "Pods, or Jobs if the path leads to the templates of Jobs: what becomes of the Jobs is "
        "foretold, too");
  visit("replicas", spec.replicas,
        "JSON pointers to numbers whose product is how many pods or Jobs are made of the template; "
        "* stands for the member that it stands for in path. A missing number is 1. All templates "
        "of the object with this field are one gang");
  visit("gangSize", spec.gang_size,
        "JSON pointer to the size of each gang, in place of replicas, for an object that makes "
        "several gangs");
  visit("inTurn", spec.in_turn,
        "JSON pointers, each perhaps with =TEXT: if one is there (with that text), the object "
        "starts its pods in turn, and is no gang");
}

/// Kubernetes' own controllers that create pods, or objects with templates of pods, with their
/// service accounts.
std::vector<ControllerSpec> KubernetesControllers();

/// Network interfaces, virtual machines' devices and the like, of which pods without accelerators
/// ask for some, too.
std::vector<std::string> CommonOrdinaryResources();

/// The part of the block admission that decides about objects. The server's own settings are in the
/// same block of the file.
struct AdmissionConfig {
  /// Frameworks whose profiles count beside `controllers` and `templates`. AllControllers() and
  /// AllTemplates() in framework_profiles.h put them together.
  std::vector<Framework> frameworks;
  /// Controllers in addition to KubernetesControllers(), which always count.
  std::vector<ControllerSpec> controllers;
  /// Kinds with pod templates that Berth does not know by itself.
  std::vector<TemplateSpec> templates;
  /// Shell patterns of extended resources that are no accelerators. See UnknownDevices.
  std::vector<std::string> ordinary_resources = CommonOrdinaryResources();
  /// Annotations by which pods ask other schedulers for a part of a device.
  std::vector<std::string> fraction_annotations;
  /// Names of namespaces whose Jobs may keep their own retries (model::kRetriesAnnotation).
  std::vector<std::string> own_retries;
  PoliciesConfig policies;

  friend bool operator==(const AdmissionConfig&, const AdmissionConfig&) = default;
};

/// Returns every error in `config`, with paths below `admission`; empty if it is valid. Also checks
/// policies against each other: missingLimits AllowRetryless requires jobRetries in mode Enforce.
std::vector<model::FieldError> Validate(const AdmissionConfig& config);

}  // namespace berth::policies::admission
