#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/admission/config.h"
#include "policies/admission/framework.h"

// What the names in admission.frameworks stand for, so that nobody has to look up where a framework
// has its pod templates and which service account creates its pods.

namespace berth::policies::admission {

/// The label by which Kueue recognises what it queues: QueueLabel in
/// sigs.k8s.io/kueue/pkg/controller/constants/constants.go (v0.15.0).
inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";

/// Resources that the validating webhook is to be asked about when they are created or updated.
/// They are namespaced.
struct ResourceRule {
  std::string group;
  /// The version in which the paths of the templates hold. kube-apiserver converts objects of other
  /// versions to it.
  std::string version;
  std::vector<std::string> resources;

  friend bool operator==(const ResourceRule&, const ResourceRule&) = default;
};

/// What the name of a framework stands for. Each list may be empty.
struct FrameworkProfile {
  Framework framework = Framework::kJobSet;
  /// The service accounts that create its pods and Jobs, as its own manifests install them.
  std::vector<ControllerSpec> controllers;
  /// Where its objects have templates of pods or Jobs.
  std::vector<TemplateSpec> templates;
  /// The objects that have templates.
  std::vector<ResourceRule> rules;
};

/// Returns one profile for each framework, in the order of the enum.
std::vector<FrameworkProfile> FrameworkProfiles();

/// Returns the framework's name in the configuration.
std::string_view NameOf(Framework framework);

/// Returns the framework whose objects of that kind have templates; nullopt if there is none. If
/// there are several, the first one of the enum.
std::optional<Framework> FrameworkWith(std::string_view group, std::string_view kind);

/// Whether `config` lists the framework.
bool Lists(const AdmissionConfig& config, Framework framework);

/// Returns the templates of `config` and those of its frameworks, each once. What `config` itself
/// says about a kind replaces what the profiles say about it.
std::vector<TemplateSpec> AllTemplates(const AdmissionConfig& config);

/// Returns KubernetesControllers(), the controllers of `config`, and those of its frameworks. The
/// earlier ones win where a user stands for several kinds of owners and the object has none.
std::vector<ControllerSpec> AllControllers(const AdmissionConfig& config);

}  // namespace berth::policies::admission
