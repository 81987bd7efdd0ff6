#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/amount.h"
#include "model/host_port.h"
#include "model/node.h"
#include "model/pod_selector.h"
#include "model/quantity.h"
#include "model/time.h"

// What fields of API objects mean, whichever way they were encoded. Decoders continue after an
// error, so that their code reads like the object; `error` keeps the first error. A field whose
// absence has a meaning has the same meaning if it cannot be read. All functions are thread-safe.

namespace berth::kube {

/// How many bytes the API server allows for the name of a pod, and for that of a namespace
/// (NameIsDNSSubdomain and NameIsDNSLabel in
/// k8s.io/apimachinery/pkg/api/validation/generic.go, v0.36.3). Before its validation, a request
/// about a pod may bring names of any length, and the namespace is copied for each affinity term.
inline constexpr std::size_t kMostNameBytes = 253;
inline constexpr std::size_t kMostNamespaceBytes = 63;

/// Returns `text`, a name. Of one with more than `most` bytes returns the beginning, and stores
/// InvalidArgument in `error`.
std::string NameFromText(std::string_view text, std::size_t most, const Path& path,
                         absl::Status& error);

/// Parses a quantity of resources. If `text` is not a quantity or is negative, stores
/// InvalidArgument in `error` and returns 0. The API server rejects negative ones, too
/// (ValidateNonnegativeQuantity in k8s.io/kubernetes/pkg/apis/core/validation/validation.go).
model::Amount AmountFromText(std::string_view text, const Path& path, absl::Status& error);

/// Like AmountFromText(), but keeps the text.
model::Quantity QuantityFromText(std::string_view text, const Path& path, absl::Status& error);

/// Parses RFC 3339 with any offset, for the years 1 to 9999. Fractions of a second are cut off.
/// Returns kNoTime for everything else. The API server does not validate the times of conditions,
/// and some of its clients write the zero time in their own time zone, which is another moment:
/// 0000-12-31T15:00:00Z.
model::Time TimeFromText(std::string_view text);

/// Converts seconds since 1970 UTC, with the same limits.
model::Time TimeFromSeconds(std::int64_t seconds);

/// Returns kUnknown for everything except "True" and "False".
model::ConditionStatus ConditionStatusFromText(std::string_view text);

/// Whether a v1.PodCondition with these fields says that kube-scheduler found no node for the pod.
bool IsUnschedulable(std::string_view type, std::string_view status, std::string_view reason);

/// Whether a v1.PodCondition with these fields says that the pod is bound.
bool TellsThatPodIsBound(std::string_view type, std::string_view status);

/// Whether a v1.PodCondition with these fields says that the pod's gang waits, whatever the prefix
/// of Berth's names; see model::kGang.
bool TellsThatGangWaits(std::string_view type, std::string_view status);

/// What is kept of the message of such a condition: model::kMostGangMessage bytes at most. A longer
/// message ends in "...", without cutting a character of UTF-8.
std::string GangMessage(std::string_view message);

/// Whether a pod in that phase uses nothing any more.
bool IsTerminated(std::string_view phase);

/// Whether kube-scheduler by default spreads the pods of a controller of that kind (DefaultSelector
/// in k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper/spread.go). The API group is not
/// considered.
bool IsSpreadByDefault(std::string_view controller_kind);

/// Whether a pod in that phase failed.
bool IsFailed(std::string_view phase);

/// Whether a condition of a pod says that somebody ended the pod.
bool IsDisruption(std::string_view type, std::string_view status);

/// Whether an annotation of a node is kept; see model::Node::annotations.
bool IsKeptOfNodes(std::string_view annotation);

/// Whether an owner of that kind is a Job of Kubernetes' own API group, in any version of it.
bool IsJob(std::string_view api_version, std::string_view kind);

/// Whether a topology spread constraint with this whenUnsatisfiable scores nodes, instead of only
/// excluding some.
bool IsSoftSpread(std::string_view when_unsatisfiable);

/// How many ports of the node are read of one pod. Whoever may create pods can name thousands, and
/// each is compared with those of the other pods on a node. Where a pod has more, the planner may
/// nominate a node that kube-scheduler then refuses.
inline constexpr std::size_t kMostHostPorts = 128;

/// Adds a v1.ContainerPort with these fields to `ports`, unless it asks for no port of the node
/// (hostPort 0). The defaults of protocol and address are filled in as kube-scheduler does
/// (sanitize in k8s.io/kube-scheduler/framework/types.go). Adds none beyond kMostHostPorts.
///
/// A container in the node's network need not state a hostPort, but the API server stores the port
/// of the container as one (defaultHostNetworkPorts in k8s.io/kubernetes/pkg/apis/core/v1,
/// v1.36.3).
void AddHostPort(std::int64_t host_port, std::string_view protocol, std::string_view host_ip,
                 std::vector<model::HostPort>& ports);

/// Whether a volume with this source, as JSON names it ("persistentVolumeClaim"), may be refused on
/// some nodes by kube-scheduler's plugins VolumeBinding, VolumeZone, VolumeRestrictions or
/// NodeVolumeLimits (v1.36.3): claims, ephemeral volumes, and disks that can be attached once or
/// that Kubernetes migrates to CSI drivers.
bool IsAttachedVolume(std::string_view source);

/// Returns the requirements of a LabelSelector in ascending order, with its matchLabels as operator
/// In.
std::vector<model::LabelRequirement> LabelRequirements(
    const model::StringMap& match_labels, std::vector<model::LabelRequirement> expressions);

/// Returns what an affinity term of a pod in `own_namespace` selects. With a namespaceSelector it
/// selects pods of any namespace, because Berth does not know the labels of namespaces. `labels`
/// already contains the term's matchLabelKeys and mismatchLabelKeys: the API server merges them if
/// it supports them (applyMatchLabelKeysAndMismatchLabelKeys in
/// k8s.io/kubernetes/pkg/registry/core/pod/strategy.go).
model::PodSelector TermSelector(std::string_view own_namespace, std::vector<std::string> namespaces,
                                bool has_namespace_selector,
                                std::vector<model::LabelRequirement> labels);

}  // namespace berth::kube
