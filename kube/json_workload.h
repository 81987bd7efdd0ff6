#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/workload.h"
#include "simdjson.h"

// What of an API object in JSON decides about its pods, as somebody wrote it. Errors as in json.h.

namespace berth::kube {

/// An object of `kind`: a Pod, or one that has the template of its pods where Kubernetes' own kinds
/// have it: at spec.template, a CronJob's at spec.jobTemplate.spec.template. Positions in the
/// result are those in the JSON, nulls counted. `path` names the object in errors and may be empty.
absl::StatusOr<model::Workload> WorkloadFromJson(simdjson::dom::element object,
                                                 std::string_view kind, std::string_view path);

/// An object of another kind whose pods have the template `pods`, which stands within `object` at
/// `template_field`, such as "spec.pytorchReplicaSpecs.Worker.template".
absl::StatusOr<model::Workload> WorkloadFromJson(simdjson::dom::element object,
                                                 std::string_view kind, simdjson::dom::element pods,
                                                 std::string template_field);

}  // namespace berth::kube
