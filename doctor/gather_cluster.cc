#include <map>
#include <utility>

#include "doctor/gather.h"
#include "kube/http_client.h"
#include "kube/json_model.h"
#include "kube/json_workload.h"
#include "kube/readable.h"
#include "model/annotation.h"

namespace berth::doctor {

namespace {

using kube::JsonValue;

// Whether the pod's author wrote spec.nodeName. A scheduler's binding writes the field, too, but
// not as a field manager.
bool WroteNodeName(const JsonValue& metadata) {
  bool wrote = false;
  metadata.Field("managedFields").ForEachItem([&wrote](const JsonValue& manager) {
    const JsonValue fields = manager.Field("fieldsV1");
    const JsonValue spec = fields.Field("f:spec");
    wrote = wrote || !spec.Field("f:nodeName").absent();
  });
  return wrote;
}

// Whether Berth's controller has written labels of the object. It writes no others than its own.
bool WroteLabels(const JsonValue& metadata) {
  bool wrote = false;
  metadata.Field("managedFields").ForEachItem([&wrote](const JsonValue& manager) {
    const JsonValue fields = manager.Field("fieldsV1");
    const JsonValue own = fields.Field("f:metadata");
    const bool is_berth = manager.Field("manager").String() == kube::kUserAgent;
    wrote = wrote || (is_berth && !own.Field("f:labels").absent());
  });
  return wrote;
}

std::string AnnotationOf(const model::Pod& pod, const std::string& name) {
  return std::string(model::Find(pod.annotations, name).value_or(""));
}

std::string ControllerOf(const model::Workload& workload) {
  const model::OwnerReference* owner = model::ControllingOwner(workload);
  return owner == nullptr ? "" : owner->kind;
}

// Lets pods of one shape share their model::NodeNeeds: 200,000 pods have some hundred shapes.
class Shapes {
 public:
  std::shared_ptr<const model::NodeNeeds> Of(const JsonValue& spec, const model::PodTemplate& pod) {
    model::NodeNeeds needs{.selector = pod.node_selector, .terms = pod.node_terms};
    if (needs.empty()) return nullptr;
    const JsonValue affinity = spec.Field("affinity");
    const JsonValue node_affinity = affinity.Field("nodeAffinity");
    const std::string key =
        spec.Field("nodeSelector").Json() +
        node_affinity.Field("requiredDuringSchedulingIgnoredDuringExecution").Json();
    auto& shared = by_text_[key];
    if (shared == nullptr) shared = std::make_shared<const model::NodeNeeds>(std::move(needs));
    return shared;
  }

 private:
  std::map<std::string, std::shared_ptr<const model::NodeNeeds>> by_text_;
};

// Returns nothing for a pod that has ended.
std::optional<PodFacts> PodFrom(const JsonValue& item, const std::string& prefix, Shapes& shapes) {
  model::Pod pod = kube::PodFromJson(item);
  const auto workload = kube::WorkloadFromJson(*item.element(), "Pod", "Pod");
  if (!workload.ok()) item.Report(std::string(workload.status().message()));
  if (!workload.ok() || pod.terminated) return std::nullopt;
  const JsonValue spec = item.Field("spec");
  PodFacts facts{.namespace_name = std::move(pod.namespace_),
                 .name = std::move(pod.name),
                 .node = std::move(pod.node_name),
                 .scheduler = workload->pod.scheduler_name,
                 .created_bound = WroteNodeName(item.Field("metadata")),
                 .owner = ControllerOf(*workload),
                 .deleted = pod.deleted,
                 .job = std::move(pod.job),
                 .mirror = model::Find(pod.annotations, "kubernetes.io/config.mirror").has_value(),
                 .requests = pod.requests,
                 .memory_minimum = AnnotationOf(pod, model::kAcceleratorMemory.Below(prefix)),
                 .checkpoint = AnnotationOf(pod, model::kCheckpointAnnotation.Below(prefix)),
                 .needs = shapes.Of(spec, workload->pod)};
  return facts;
}

template <typename T>
absl::StatusOr<std::vector<T>> ListOf(kube::Api& api, const std::string& path,
                                      const kube::Need& need,
                                      const std::function<T(const JsonValue& item)>& read) {
  std::vector<T> all;
  const absl::Status listed =
      api.List(path, need, [&](const JsonValue& item) { all.push_back(read(item)); });
  if (!listed.ok()) return listed;
  return all;
}

// Adds to `all` what `read` returns for each item. An item that cannot be read is added to
// `unreadable` and does not affect the others.
template <typename T, typename Read>
absl::Status ListReadable(kube::Api& api, const std::string& path, const kube::Need& need,
                          std::string_view kind, std::vector<kube::UnreadableObject>& unreadable,
                          Read read, std::vector<T>& all) {
  return api.List(path, need, [&](const JsonValue& item) {
    absl::StatusOr<std::optional<T>> made = kube::ReadAlone(item, read);
    if (!made.ok()) {
      unreadable.push_back(kube::UnreadableFromJson(item, kind, made.status()));
    } else if (made->has_value()) {
      all.push_back(**std::move(made));
    }
  });
}

}  // namespace

absl::StatusOr<std::vector<model::Node>> GatherNodes(
    kube::Api& api, std::vector<kube::UnreadableObject>& unreadable,
    std::set<std::string>& labelled_late) {
  std::vector<model::Node> nodes;
  const auto read = [&labelled_late](const JsonValue& item) {
    model::Node node = kube::NodeFromJson(item);
    if (WroteLabels(item.Field("metadata"))) labelled_late.insert(node.name);
    return std::optional(std::move(node));
  };
  const absl::Status listed = ListReadable(
      api, "/api/v1/nodes", NeedsOf(Source::kNodes, {}).front(), "Node", unreadable, read, nodes);
  if (!listed.ok()) return listed;
  return nodes;
}

absl::StatusOr<std::vector<PodFacts>> GatherPods(kube::Api& api, const std::string& prefix,
                                                 std::vector<kube::UnreadableObject>& unreadable) {
  std::vector<PodFacts> pods;
  Shapes shapes;
  const absl::Status listed = ListReadable(
      api, "/api/v1/pods", NeedsOf(Source::kPods, {}).front(), "Pod", unreadable,
      [&](const JsonValue& item) { return PodFrom(item, prefix, shapes); }, pods);
  if (!listed.ok()) return listed;
  return pods;
}

absl::StatusOr<std::vector<NamespaceFacts>> GatherNamespaces(kube::Api& api) {
  return ListOf<NamespaceFacts>(api, "/api/v1/namespaces", NeedsOf(Source::kNamespaces, {}).front(),
                                [](const JsonValue& item) {
                                  const JsonValue metadata = item.Field("metadata");
                                  return NamespaceFacts{
                                      .name = metadata.Field("name").Text(),
                                      .labels = metadata.Field("labels").StringMap()};
                                });
}

absl::StatusOr<std::vector<ClaimFacts>> GatherClaims(kube::Api& api) {
  return ListOf<ClaimFacts>(
      api, "/api/v1/persistentvolumeclaims", NeedsOf(Source::kClaims, {}).front(),
      [](const JsonValue& item) {
        const JsonValue metadata = item.Field("metadata");
        const JsonValue spec = item.Field("spec");
        ClaimFacts claim{.namespace_name = metadata.Field("namespace").Text(),
                         .name = metadata.Field("name").Text()};
        spec.Field("accessModes").ForEachItem([&claim](const JsonValue& mode) {
          claim.access_modes.push_back(mode.Text());
        });
        return claim;
      });
}

absl::StatusOr<std::vector<DeviceClassFacts>> GatherDeviceClasses(kube::Api& api) {
  auto classes = ListOf<DeviceClassFacts>(
      api, "/apis/resource.k8s.io/v1/deviceclasses", NeedsOf(Source::kClasses, {}).front(),
      [](const JsonValue& item) {
        const JsonValue metadata = item.Field("metadata");
        const JsonValue spec = item.Field("spec");
        return DeviceClassFacts{.name = metadata.Field("name").Text(),
                                .resource = spec.Field("extendedResourceName").Text()};
      });
  if (absl::IsNotFound(classes.status())) return std::vector<DeviceClassFacts>();
  return classes;
}

absl::StatusOr<std::vector<DaemonSetFacts>> GatherDaemonSets(kube::Api& api) {
  return ListOf<DaemonSetFacts>(
      api, "/apis/apps/v1/daemonsets", NeedsOf(Source::kDaemonSets, {}).front(),
      [](const JsonValue& item) {
        const JsonValue metadata = item.Field("metadata");
        const JsonValue spec = item.Field("spec");
        model::Pod pod = kube::PodFromJson(spec.Field("template"));
        return DaemonSetFacts{.namespace_name = metadata.Field("namespace").Text(),
                              .name = metadata.Field("name").Text(),
                              .tolerations = std::move(pod.tolerations),
                              .needs = std::move(pod.needs)};
      });
}

}  // namespace berth::doctor
