#include "controller/taint_writer.h"

#include "fmt/format.h"
#include "kube/json_call.h"
#include "kube/node_taints.h"
#include "kube/query.h"
#include "model/taint.h"

namespace berth::controller {

absl::Status TaintWriter::Write(const TaintChange& change) {
  absl::Status status = TryToWrite(change);
  for (int tries = 1; tries < kTries && absl::IsAborted(status); ++tries) {
    status = TryToWrite(change);
  }
  return status;
}

absl::Status TaintWriter::TryToWrite(const TaintChange& change) {
  const kube::Target list =
      kube::Target("/api/v1/nodes").With("fieldSelector", "metadata.name=" + change.node);
  const auto read = kube::CallJson(*transport_, kube::HttpMethod::kGet, list.text());
  if (!read.ok()) return read.status();
  auto patch = kube::TaintsPatch(*read, change.uid, {.key = key_, .value = change.value});
  if (!patch.ok()) return patch.status();
  if (patch->empty()) return absl::OkStatus();
  return kube::CallJson(*transport_, kube::HttpMethod::kPatch, "/api/v1/nodes/" + change.node,
                        *std::move(patch))
      .status();
}

std::string TaintText(const std::string& key, const TaintChange& change) {
  if (!change.value) return fmt::format("{}:{}-", key, model::kNoSchedule);
  if (change.value->empty()) return fmt::format("{}:{}", key, model::kNoSchedule);
  return fmt::format("{}={}:{}", key, *change.value, model::kNoSchedule);
}

}  // namespace berth::controller
