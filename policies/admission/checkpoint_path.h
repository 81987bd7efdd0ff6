#pragma once

#include <string>
#include <string_view>

#include "model/workload.h"
#include "policies/admission/request.h"

namespace berth::policies::admission {

/// Whether it can be one part of a path, whoever reads that: letters, digits, '-', '_' and '.', 1
/// to 253 of them, not "." and no ".." anywhere.
bool IsPathSegment(std::string_view text);

/// Where below the claim or bucket the pod keeps its checkpoints, as long as a retry of it would be
/// sent there again; empty: nothing about the pod outlasts it.
///
/// "<key>", where the key is what the annotation `key_annotation` says, or the name of the Job that
/// makes the pod, "<owner>/<pod>" where another controller gives it a name, or a bare pod's name. A
/// pod of an indexed Job has "<key>/<index>". A pod's owner counts only where its controller asks.
/// Of a Job, the path of its pods without their index.
std::string CheckpointPath(const Request& request, const model::Workload& workload,
                           std::string_view key_annotation);

}  // namespace berth::policies::admission
