#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/path.h"
#include "model/amount.h"
#include "model/node.h"
#include "model/pod_selector.h"
#include "model/quantity.h"
#include "model/time.h"

// What fields of API objects mean, whichever way they were encoded. Decoders go on after an error,
// so that they read like the object; `error` keeps the first one. What has a meaning where it is
// absent has that where it cannot be read.

namespace berth::kube {

/// A quantity of resources. Below 0 is an error, as for the API server (ValidateNonnegativeQuantity
/// in k8s.io/kubernetes/pkg/apis/core/validation/validation.go).
model::Amount AmountFromText(std::string_view text, const Path& path, absl::Status& error);

/// The same with its text.
model::Quantity QuantityFromText(std::string_view text, const Path& path, absl::Status& error);

/// RFC 3339 with any offset; fractions of a second are cut off. Years 1 to 9999; everything else is
/// kNoTime. The API server does not validate the times of conditions, and some of its clients write
/// the zero time in a zone of their own, which is another moment: 0000-12-31T15:00:00Z.
model::Time TimeFromText(std::string_view text);

/// Seconds since 1970 UTC, likewise.
model::Time TimeFromSeconds(std::int64_t seconds);

model::ConditionStatus ConditionStatusFromText(std::string_view text);

/// Whether a v1.PodCondition says that kube-scheduler found no node for the pod.
bool IsUnschedulable(std::string_view type, std::string_view status, std::string_view reason);

/// Whether a pod in that phase holds nothing any more.
bool IsTerminated(std::string_view phase);

/// Whether kube-scheduler by default spreads the pods of a controller of that kind (DefaultSelector
/// in k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper/spread.go). The API group is not
/// asked for.
bool IsSpreadByDefault(std::string_view controller_kind);

/// Whether a topology spread constraint scores nodes, and does not only refuse some.
bool IsSoftSpread(std::string_view when_unsatisfiable);

/// A LabelSelector's requirements, its matchLabels among them.
std::vector<model::LabelRequirement> LabelRequirements(
    const model::StringMap& match_labels, std::vector<model::LabelRequirement> expressions);

/// What an affinity term of a pod of `own_namespace` selects. With a namespaceSelector that is pods
/// of any namespace, because Berth does not know their labels. Its matchLabelKeys and
/// mismatchLabelKeys are in `labels` already: the API server merges them where it heeds them
/// (applyMatchLabelKeysAndMismatchLabelKeys in
/// k8s.io/kubernetes/pkg/registry/core/pod/strategy.go).
model::PodSelector TermSelector(std::string_view own_namespace, std::vector<std::string> namespaces,
                                bool has_namespace_selector,
                                std::vector<model::LabelRequirement> labels);

}  // namespace berth::kube
