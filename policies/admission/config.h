#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/config_field.h"
#include "policies/admission/policies.h"
#include "policies/admission/request.h"

namespace berth::policies::admission {

/// What is configured of every policy: its mode, and fields of its own beside it.
template <typename Policy>
struct PolicySettings {
  Mode mode = Policy::kDefaultMode;
  typename Policy::Config config;
};

template <typename Visitor, typename Policy>
void VisitFields(Visitor& visit, PolicySettings<Policy>& settings) {
  visit("mode", settings.mode, "Enforce, Warn or Off; a namespace's own mode can only weaken it");
  VisitFields(visit, settings.config);
}

/// The settings of all policies of a list, found by type.
template <typename List>
struct SettingsOf;
template <typename... Policies>
struct SettingsOf<PolicyList<Policies...>> {
  std::tuple<PolicySettings<Policies>...> all;
};

/// The block admission.policies.
using PoliciesConfig = SettingsOf<AllPolicies>;

template <typename Visitor, typename... Policies>
void VisitFields(Visitor& visit, SettingsOf<PolicyList<Policies...>>& settings) {
  (visit(Policies::kConfigKey, std::get<PolicySettings<Policies>>(settings.all), Policies::kHelp),
   ...);
}

/// Calls `visit` with the settings of every policy, in the order of the list.
template <typename... Policies, typename Visit>
void ForEachPolicy(const SettingsOf<PolicyList<Policies...>>& settings, Visit visit) {
  (visit(std::get<PolicySettings<Policies>>(settings.all)), ...);
}

/// Who makes objects on behalf of others.
struct ControllerSpec {
  /// As the API server knows it.
  std::string user;
  /// Kind of the objects that it makes pods or Jobs for; their ownerReference names it.
  std::string owner;
};

template <typename Visitor>
void VisitFields(Visitor& visit, ControllerSpec& spec) {
  visit.Required("user", spec.user, "User name of the controller's service account");
  visit.Required("owner", spec.owner, "Kind of the owner of what it makes");
}

/// Where pods' templates are in objects of another kind.
struct TemplateSpec {
  std::string group;
  std::string kind;
  /// JSON pointer; "*" stands for every member of a map or list.
  std::string path;
};

template <typename Visitor>
void VisitFields(Visitor& visit, TemplateSpec& spec) {
  visit("group", spec.group, "API group, such as kubeflow.org");
  visit.Required("kind", spec.kind, "Kind, such as PyTorchJob");
  visit.Required("path", spec.path,
                 "JSON pointer to the pod template; * stands for every member: "
                 "/spec/pytorchReplicaSpecs/*/template");
}

/// Kubernetes' own controllers that make pods or Jobs, by their service accounts.
std::vector<ControllerSpec> KubernetesControllers();

/// What decides about objects; the server's own settings stand beside it in the file.
struct AdmissionConfig {
  /// Besides Kubernetes' own, which cannot be left out by naming others.
  std::vector<ControllerSpec> controllers;
  std::vector<TemplateSpec> templates;
  PoliciesConfig policies;
};

/// Everything that is wrong with the config; paths are from `admission`.
std::vector<model::FieldError> Validate(const AdmissionConfig& config);

}  // namespace berth::policies::admission
