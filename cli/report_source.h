#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "kube/transport.h"
#include "report/judge.h"
#include "report/survey.h"

// Reads the objects that `berth report` is about, as a stream: a dump of a large cluster has
// gigabytes.

namespace berth::cli {

/// Reads API objects in JSON from files; "-" is standard input. Returns sentences about what could
/// not be read, such as a file that breaks off. Returns INVALID_ARGUMENT, in a message that begins
/// with the file's name, if a file cannot be read at all, and if the files have no objects.
absl::StatusOr<std::vector<std::string>> SurveyFiles(const std::vector<std::string>& files,
                                                     const report::Judge& judge,
                                                     report::Survey& survey);

/// Lists nodes, namespaces, pods, Jobs and CronJobs by pages; unless `namespace_name` is empty,
/// only nodes, that namespace and what is in it. Returns sentences about the kinds that could not
/// be listed. Returns the error if that is so of pods.
absl::StatusOr<std::vector<std::string>> SurveyCluster(kube::Transport& transport,
                                                       const std::string& namespace_name,
                                                       const report::Judge& judge,
                                                       report::Survey& survey);

}  // namespace berth::cli
