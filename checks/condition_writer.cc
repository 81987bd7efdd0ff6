#include "checks/condition_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "absl/time/time.h"
#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/query.h"

namespace berth::checks {

namespace {

using kube::JsonValue;
using Json = nlohmann::json;

std::string TextOf(model::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

bool IsOwn(std::string_view reason) {
  return reason == ConditionWriter::kFailed || reason == ConditionWriter::kPassed;
}

absl::Status Foreign(const std::string& node, const std::string& type, std::string_view reason) {
  return absl::FailedPreconditionError(
      fmt::format("somebody else writes the condition {} of node {} (reason \"{}\"); configure "
                  "another condition for the check",
                  type, node, reason));
}

}  // namespace

absl::Status ConditionWriter::MayWrite(const std::string& node, const std::string& uid,
                                       const std::string& type) {
  return Read(node, uid, type).status();
}

absl::Status ConditionWriter::Write(const Verdict& verdict, model::Time now) {
  absl::Status status = TryToWrite(verdict, now);
  for (int tries = 1; tries < kTries && absl::IsAborted(status); ++tries) {
    status = TryToWrite(verdict, now);
  }
  return status;
}

absl::StatusOr<ConditionWriter::Reading> ConditionWriter::Read(const std::string& node,
                                                               const std::string& uid,
                                                               const std::string& type) {
  kube::Api api(transport_);
  absl::Status found = absl::NotFoundError("there is no such node: " + node);
  Reading reading;
  const std::string path =
      kube::Target("/api/v1/nodes").With("fieldSelector", "metadata.name=" + node).text();
  const absl::Status got =
      api.Get(path, {{"", "nodes", "list"}, "", ""}, [&](const JsonValue& list) {
        list.Field("items").ForEachItem([&](const JsonValue& item) {
          const JsonValue metadata = item.Field("metadata");
          const JsonValue status = item.Field("status");
          if (metadata.Field("uid").String() != uid) return;
          found = absl::OkStatus();
          reading.version = metadata.Field("resourceVersion").Text();
          status.Field("conditions").ForEachItem([&](const JsonValue& condition) {
            if (condition.Field("type").String() != type) return;
            const std::string_view reason = condition.Field("reason").String();
            if (!IsOwn(reason)) found = Foreign(node, type, reason);
            reading.status = condition.Field("status").Text();
            reading.since = condition.Field("lastTransitionTime").Text();
          });
        });
      });
  if (!got.ok()) return got;
  if (!found.ok()) return found;
  return reading;
}

absl::Status ConditionWriter::TryToWrite(const Verdict& verdict, model::Time now) {
  const absl::StatusOr<Reading> reading = Read(verdict.node, verdict.uid, verdict.type);
  if (!reading.ok()) return reading.status();
  const std::string status = verdict.failed ? "True" : "False";
  // The API server refuses an empty time, and a condition may have none although it is Berth's own.
  const bool stays = reading->status == status && !reading->since.empty();
  const std::string since = stays ? reading->since : TextOf(now);
  const Json condition = {{"type", verdict.type},
                          {"status", status},
                          {"reason", verdict.failed ? kFailed : kPassed},
                          {"message", verdict.message},
                          {"lastHeartbeatTime", TextOf(now)},
                          {"lastTransitionTime", since}};
  const Json patch = {{"metadata", {{"uid", verdict.uid}, {"resourceVersion", reading->version}}},
                      {"status", {{"conditions", Json::array({condition})}}}};
  const absl::Status written =
      kube::PatchStrategically(*transport_, "/api/v1/nodes/" + verdict.node + "/status",
                               patch.dump(-1, ' ', false, Json::error_handler_t::replace))
          .status();
  if (!absl::IsPermissionDenied(written)) return written;
  return absl::PermissionDeniedError(fmt::format("the right to patch nodes/status is missing: {}",
                                                 std::string(written.message())));
}

}  // namespace berth::checks
