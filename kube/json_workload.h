#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "model/workload.h"
#include "simdjson.h"

// Reads from an API object in JSON what determines its pods, as somebody wrote it. Errors are
// InvalidArgument, as in json.h. An object that exceeds the limits of json_sizes.h is an error.

namespace berth::kube {

/// Reads an object of `kind`: a Pod, or an object with the template of its pods where Kubernetes'
/// own kinds have it. That is spec.template, or spec.jobTemplate.spec.template for a CronJob.
/// Indices in the result are those in the JSON, nulls counted. `path` names the object in errors
/// and may be empty.
absl::StatusOr<model::Workload> WorkloadFromJson(simdjson::dom::element object,
                                                 std::string_view kind, std::string_view path);

/// Reads an object of another kind. `pods` is the template of its pods, and `template_field` is the
/// place of `pods` in `object`, e.g. "spec.pytorchReplicaSpecs.Worker.template".
absl::StatusOr<model::Workload> WorkloadFromJson(simdjson::dom::element object,
                                                 std::string_view kind, simdjson::dom::element pods,
                                                 std::string template_field);

/// The same for an object that makes Jobs. `jobs` is the template of its Jobs, and `template_field`
/// is the place of the template of their pods in `object`, which ends in ".spec.template", e.g.
/// "spec.replicatedJobs[0].template.spec.template". The result has the Job.
absl::StatusOr<model::Workload> JobMakerFromJson(simdjson::dom::element object,
                                                 std::string_view kind, simdjson::dom::element jobs,
                                                 std::string template_field);

}  // namespace berth::kube
