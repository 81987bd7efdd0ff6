#include "policies/admission/framework_profiles.h"

#include <algorithm>

namespace berth::policies::admission {

namespace {

constexpr model::EnumName<Framework> kFrameworkNames[] = {
    {Framework::kJobSet, "jobset"},
    {Framework::kKueue, "kueue"},
    {Framework::kMpiOperator, "mpi-operator"},
    {Framework::kTrainingOperator, "training-operator"},
    {Framework::kTrainer, "trainer"},
    {Framework::kKubeRay, "kuberay"},
    {Framework::kLeaderWorkerSet, "lws"},
    {Framework::kArgo, "argo"}};

std::string Account(const std::string& name) { return "system:serviceaccount:" + name; }

// A kind of Kubeflow's, with a template for each role of its pods.
TemplateSpec Roles(const std::string& kind, const std::string& roles) {
  return {.group = "kubeflow.org",
          .kind = kind,
          .path = "/spec/" + roles + "/*/template",
          .replicas = {"/spec/" + roles + "/*/replicas"}};
}

// The launcher may wait until the workers are ready (LauncherCreationPolicy in mpi-operator).
TemplateSpec MpiRoles() {
  TemplateSpec spec = Roles("MPIJob", "mpiReplicaSpecs");
  spec.in_turn = {"/spec/launcherCreationPolicy=WaitForWorkersReady"};
  return spec;
}

// JobSet v0.12.0: config/components. The Job controller creates the pods of its Jobs.
FrameworkProfile JobSet() {
  return {.framework = Framework::kJobSet,
          .controllers = {{Account("jobset-system:jobset-controller-manager"), "JobSet"}},
          .templates = {{.group = "jobset.x-k8s.io",
                         .kind = "JobSet",
                         .path = "/spec/replicatedJobs/*/template",
                         .of = TemplateOf::kJobs,
                         .replicas = {"/spec/replicatedJobs/*/replicas"},
                         .in_turn = {"/spec/startupPolicy/startupPolicyOrder=InOrder",
                                     "/spec/replicatedJobs/*/dependsOn"}}},
          .rules = {{"jobset.x-k8s.io", "v1alpha2", {"jobsets"}}}};
}

// Kueue creates no pods of its own, but counts the requests of what it queues.
FrameworkProfile Kueue() {
  return {.framework = Framework::kKueue, .controllers = {}, .templates = {}, .rules = {}};
}

// mpi-operator v0.8.2: manifests. It creates the launcher as a Job, and the workers as pods.
FrameworkProfile MpiOperator() {
  return {.framework = Framework::kMpiOperator,
          .controllers = {{Account("mpi-operator:mpi-operator"), "MPIJob"}},
          .templates = {MpiRoles()},
          .rules = {{"kubeflow.org", "v2beta1", {"mpijobs"}}}};
}

// training-operator v1.9.4: manifests.
FrameworkProfile TrainingOperator() {
  FrameworkProfile profile{
      .framework = Framework::kTrainingOperator,
      .controllers = {},
      .templates = {Roles("JAXJob", "jaxReplicaSpecs"), MpiRoles(),
                    Roles("PaddleJob", "paddleReplicaSpecs"),
                    Roles("PyTorchJob", "pytorchReplicaSpecs"), Roles("TFJob", "tfReplicaSpecs"),
                    Roles("XGBoostJob", "xgbReplicaSpecs")},
      .rules = {{"kubeflow.org",
                 "v1",
                 {"jaxjobs", "mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs"}}}};
  for (const TemplateSpec& spec : profile.templates) {
    profile.controllers.push_back({Account("kubeflow:training-operator"), spec.kind});
  }
  return profile;
}

// Kubeflow Trainer v2.3.0: manifests. It creates JobSets, whose profile has the rest. Their Jobs
// are no Jobs of the runtime.
FrameworkProfile Trainer() {
  return {.framework = Framework::kTrainer,
          .controllers = {},
          .templates = {{"trainer.kubeflow.org", "TrainingRuntime",
                         "/spec/template/spec/replicatedJobs/*/template/spec/template"}},
          .rules = {{"trainer.kubeflow.org", "v1alpha1", {"trainingruntimes"}}}};
}

// KubeRay v1.5.1: ray-operator/config, in the namespace of its earlier versions. Now it is in
// default unless somebody chooses another, and there anyone may often create a service account of
// its name. RayServices make RayClusters, and RayJobs also the Job that submits.
FrameworkProfile KubeRay() {
  FrameworkProfile profile{.framework = Framework::kKubeRay,
                           .controllers = {},
                           .templates = {{"ray.io", "RayJob", "/spec/submitterPodTemplate"}},
                           .rules = {{"ray.io", "v1", {"rayclusters", "rayjobs", "rayservices"}}}};
  const std::pair<std::string, std::string> clusters[] = {{"RayCluster", "/spec"},
                                                          {"RayJob", "/spec/rayClusterSpec"},
                                                          {"RayService", "/spec/rayClusterConfig"}};
  for (const auto& [kind, path] : clusters) {
    // There is one head, without a number. The autoscaler of a cluster adds workers later.
    const std::string autoscaling = path + "/enableInTreeAutoscaling=true";
    profile.templates.push_back({.group = "ray.io",
                                 .kind = kind,
                                 .path = path + "/headGroupSpec/template",
                                 .replicas = {path + "/headGroupSpec/replicas"},
                                 .in_turn = {autoscaling}});
    const std::string workers = path + "/workerGroupSpecs/*/";
    profile.templates.push_back({.group = "ray.io",
                                 .kind = kind,
                                 .path = workers + "template",
                                 .replicas = {workers + "replicas", workers + "numOfHosts"},
                                 .in_turn = {autoscaling}});
  }
  for (const char* kind : {"RayCluster", "RayJob"}) {
    profile.controllers.push_back({Account("ray-system:kuberay-operator"), kind});
  }
  return profile;
}

// Each replica of a LeaderWorkerSet is a gang.
TemplateSpec GroupTemplate(const std::string& path) {
  return {.group = "leaderworkerset.x-k8s.io",
          .kind = "LeaderWorkerSet",
          .path = path,
          .gang_size = "/spec/leaderWorkerTemplate/size",
          .in_turn = {"/spec/startupPolicy=LeaderReady"}};
}

// LeaderWorkerSet v0.7.0: config. It creates StatefulSets, whose pods Kubernetes creates.
FrameworkProfile LeaderWorkerSet() {
  const std::string path = "/spec/leaderWorkerTemplate/";
  return {
      .framework = Framework::kLeaderWorkerSet,
      .controllers = {},
      .templates = {GroupTemplate(path + "leaderTemplate"), GroupTemplate(path + "workerTemplate")},
      .rules = {{"leaderworkerset.x-k8s.io", "v1", {"leaderworkersets"}}}};
}

// Argo Workflows: manifests. Its templates hold containers and steps, and the controller alone
// knows the pods that it makes of them.
FrameworkProfile Argo() {
  return {.framework = Framework::kArgo,
          .controllers = {{Account("argo:argo"), "Workflow"}},
          .templates = {},
          .rules = {}};
}

template <typename T>
void AddOnce(const std::vector<T>& more, std::vector<T>& all) {
  for (const T& each : more) {
    if (std::ranges::find(all, each) == all.end()) all.push_back(each);
  }
}

bool SaysItself(const AdmissionConfig& config, const TemplateSpec& spec) {
  return std::ranges::any_of(config.templates, [&spec](const TemplateSpec& own) {
    return own.group == spec.group && own.kind == spec.kind;
  });
}

}  // namespace

std::span<const model::EnumName<Framework>> EnumNames(Framework) { return kFrameworkNames; }

std::vector<FrameworkProfile> FrameworkProfiles() {
  return {JobSet(),  Kueue(),   MpiOperator(),     TrainingOperator(),
          Trainer(), KubeRay(), LeaderWorkerSet(), Argo()};
}

std::string_view NameOf(Framework framework) {
  return std::ranges::find(kFrameworkNames, framework, &model::EnumName<Framework>::value)->name;
}

std::optional<Framework> FrameworkWith(std::string_view group, std::string_view kind) {
  for (const FrameworkProfile& profile : FrameworkProfiles()) {
    for (const TemplateSpec& spec : profile.templates) {
      if (spec.group == group && spec.kind == kind) return profile.framework;
    }
  }
  return std::nullopt;
}

bool Lists(const AdmissionConfig& config, Framework framework) {
  return std::ranges::find(config.frameworks, framework) != config.frameworks.end();
}

std::vector<TemplateSpec> AllTemplates(const AdmissionConfig& config) {
  std::vector<TemplateSpec> all = config.templates;
  for (FrameworkProfile& profile : FrameworkProfiles()) {
    if (!Lists(config, profile.framework)) continue;
    std::erase_if(profile.templates,
                  [&config](const TemplateSpec& spec) { return SaysItself(config, spec); });
    AddOnce(profile.templates, all);
  }
  return all;
}

std::vector<ControllerSpec> AllControllers(const AdmissionConfig& config) {
  std::vector<ControllerSpec> all = KubernetesControllers();
  AddOnce(config.controllers, all);
  for (const FrameworkProfile& profile : FrameworkProfiles()) {
    if (Lists(config, profile.framework)) AddOnce(profile.controllers, all);
  }
  return all;
}

}  // namespace berth::policies::admission
