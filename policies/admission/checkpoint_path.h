#pragma once

#include <string>
#include <string_view>

#include "model/workload.h"
#include "policies/admission/request.h"

namespace berth::policies::admission {

/// Whether every file system and object store accepts `text` as one part of a path: 1 to 253
/// letters, digits, '-', '_' and '.', not "." and without "..".
bool IsPathSegment(std::string_view text);

/// The path below the claim or bucket at which the pod keeps its checkpoints. A retry of the pod
/// gets the same path. Empty if nothing about the pod outlasts it, or if the name does not fit into
/// a path.
///
/// The path is the first of these that applies:
/// - "<key>", the value of the annotation `key_annotation`;
/// - "<job>", the name of the Job that makes the pod;
/// - "<owner>/<pod>", if another controller gives the pod a name of its own;
/// - "<pod>", the name of a pod without a controller, or of the workload itself.
///
/// A pod of an indexed Job has "/<index>" after that. The owner of a pod counts only if its
/// controller sent the request (see origin.h). For a Job, the result is the path of its pods
/// without their index.
std::string CheckpointPath(const Request& request, const model::Workload& workload,
                           std::string_view key_annotation);

}  // namespace berth::policies::admission
