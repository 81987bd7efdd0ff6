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

/// Reads the metadata of an object of another kind, which all of its templates have in common. The
/// result has no pods. The limits hold for the metadata alone.
absl::StatusOr<model::Workload> TemplateOwnerFromJson(simdjson::dom::element object,
                                                      std::string_view kind);

/// Returns `owner`, which TemplateOwnerFromJson() has read, with the pods of one of its templates.
/// `pods` is the template, and `template_field` is its place in the object, e.g.
/// "spec.pytorchReplicaSpecs.Worker.template".
absl::StatusOr<model::Workload> WithPodsFromJson(model::Workload owner, simdjson::dom::element pods,
                                                 std::string template_field);

/// The same for an object that makes Jobs. `jobs` is the template of its Jobs, and `template_field`
/// is the place of the template of their pods in the object, which ends in ".spec.template", e.g.
/// "spec.replicatedJobs[0].template.spec.template". The result has the Job.
absl::StatusOr<model::Workload> WithJobsFromJson(model::Workload owner, simdjson::dom::element jobs,
                                                 std::string template_field);

}  // namespace berth::kube
