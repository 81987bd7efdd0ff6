#include "controller/lost_pod_deleter.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "kube/json.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "model/annotation.h"
#include "policies/admission/job_retries.h"

namespace berth::controller {

namespace {

using kube::JsonValue;
using Json = nlohmann::json;

constexpr char kDisrupted[] = "DisruptionTarget";

absl::Status LeftAlone() { return absl::FailedPreconditionError("is to be left alone"); }

// In this order the plan returns the pods.
std::string FullName(const LostPod& pod) { return pod.namespace_name + '/' + pod.name; }

std::string PodPath(const LostPod& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", pod.namespace_name, pod.name);
}

// `applied` is the value of the annotation: "creator,job-retries 0.1.0".
bool NamesJobRetries(std::string_view applied) {
  const auto policies = model::SplitList(applied.substr(0, applied.find(' ')));
  return std::ranges::find(policies, policies::admission::JobRetriesPolicy::kName) !=
         policies.end();
}

bool IsDisrupted(const JsonValue& conditions) {
  bool found = false;
  conditions.ForEachItem([&found](const JsonValue& condition) {
    found = found || (condition.Field("type").String() == kDisrupted &&
                      condition.Field("status").String() == "True");
  });
  return found;
}

std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string DeleteOptions(const LostPod& pod, const std::string& resource_version) {
  return TextOf({{"apiVersion", "v1"},
                 {"kind", "DeleteOptions"},
                 {"gracePeriodSeconds", 0},
                 {"preconditions", {{"uid", pod.uid}, {"resourceVersion", resource_version}}}});
}

// Returns the version of the pod that the API server answers with; empty if the pod is gone.
std::string VersionIn(const std::string& reply) {
  kube::JsonParser parser;
  const auto root = parser.Parse(reply);
  if (!root.ok()) return "";
  absl::Status error;
  const JsonValue object(*root, kube::Path(""), error);
  const JsonValue metadata = object.Field("metadata");
  return object.Field("kind").String() == "Pod" ? metadata.Field("resourceVersion").Text() : "";
}

}  // namespace

LostPodDeleter::LostPodDeleter(Options options, const cluster::Snapshot* snapshot,
                               kube::Transport* transport, kube::Timer* timer,
                               WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      transport_(transport),
      timer_(timer),
      observer_(observer),
      api_(transport),
      plan_(options_.config) {}

void LostPodDeleter::Run() {
  if (!options_.config.enabled()) return;
  std::chrono::milliseconds wait = options_.interval;
  do wait = Step();
  while (timer_->Wait(wait));
}

std::chrono::milliseconds LostPodDeleter::Step() {
  if (!snapshot_->Synced()) return options_.interval;
  for (const LostPod& pod : Plan()) {
    if (!retries_.IsDue(pod.uid, timer_->Now())) continue;
    if (!options_.may_write()) break;
    const bool wrote = HandleOne(pod);
    retries_.OnTried(pod.uid, timer_->Now());
    last_ = FullName(pod);
    return wrote ? options_.pace : options_.reading_pace;
  }
  retries_.Prune(timer_->Now());
  return options_.interval;
}

// A candidate plans, too, so that it knows of the brake when it begins to lead.
std::vector<LostPod> LostPodDeleter::Plan() {
  std::vector<LostPod> due;
  {
    const cluster::Snapshot::Reader reader = snapshot_->Read();
    due = plan_.Due(reader, reader.Terminating(), options_.now(), timer_->Now());
  }
  // They take turns, so that pods that are left alone hold up no others.
  const auto next =
      std::ranges::find_if(due, [this](const LostPod& pod) { return FullName(pod) > last_; });
  std::rotate(due.begin(), next, due.end());
  return due;
}

bool LostPodDeleter::HandleOne(const LostPod& pod) {
  const absl::StatusOr<Reading> reading = Examine(pod);
  const absl::Status status = reading.ok() ? End(pod, *reading) : reading.status();
  const bool is_gone = !reading.ok() && absl::IsNotFound(status);
  if (is_gone || absl::IsFailedPrecondition(status) || absl::IsCancelled(status)) return false;
  observer_->OnWritten(Write::kLostPod, FullName(pod),
                       fmt::format("of Job {} on {}", pod.job, pod.node), status);
  return reading.ok();
}

absl::StatusOr<LostPodDeleter::Reading> LostPodDeleter::Examine(const LostPod& pod) {
  const absl::Status job = CheckJob(pod);
  if (!job.ok()) return job;
  const absl::Status node = CheckNode(pod);
  if (!node.ok()) return node;
  return ReadPod(pod);
}

absl::Status LostPodDeleter::CheckJob(const LostPod& pod) {
  bool waits = false;
  const absl::Status got =
      api_.Get(fmt::format("/apis/batch/v1/namespaces/{}/jobs/{}", pod.namespace_name, pod.job),
               {{"batch", "jobs", "get"}, pod.namespace_name, pod.job}, [&](const JsonValue& job) {
                 const JsonValue metadata = job.Field("metadata");
                 const JsonValue annotations = metadata.Field("annotations");
                 const JsonValue spec = job.Field("spec");
                 waits = NamesJobRetries(annotations.Field(options_.applied_annotation).String()) &&
                         spec.Field("podReplacementPolicy").String() == "Failed";
               });
  if (!got.ok()) return got;
  return waits ? absl::OkStatus() : LeftAlone();
}

absl::Status LostPodDeleter::CheckNode(const LostPod& pod) {
  std::optional<model::Time> since;
  const absl::Status got = api_.Get(
      "/api/v1/nodes/" + pod.node, {{"", "nodes", "get"}, "", pod.node},
      [&since](const JsonValue& node) { since = model::NotReadySince(kube::NodeFromJson(node)); });
  if (!got.ok()) return got;
  const model::Duration after = options_.config.force_delete_after;
  const bool lost = since && model::SaturatingAdd(*since, after) <= options_.now();
  return lost ? absl::OkStatus() : LeftAlone();
}

absl::StatusOr<LostPodDeleter::Reading> LostPodDeleter::ReadPod(const LostPod& pod) {
  Reading reading;
  bool hangs = false;
  const absl::Status got = api_.Get(
      PodPath(pod), {{"", "pods", "get"}, pod.namespace_name, pod.name},
      [&](const JsonValue& object) {
        const model::Pod now = kube::PodFromJson(object);
        const JsonValue metadata = object.Field("metadata");
        const JsonValue status = object.Field("status");
        const bool deleted = now.deleted != model::kNoTime && now.deleted <= options_.now();
        hangs = now.uid == pod.uid && now.node_name == pod.node && now.job == pod.job && deleted &&
                !now.terminated;
        reading.resource_version = metadata.Field("resourceVersion").Text();
        reading.disrupted = IsDisrupted(status.Field("conditions"));
      });
  if (!got.ok()) return got;
  if (!hangs) return LeftAlone();
  return reading;
}

absl::Status LostPodDeleter::End(const LostPod& pod, const Reading& reading) {
  // First by force: if the patch then fails, the pod is still there and is tried again.
  const auto deleted = kube::CallJson(*transport_, kube::HttpMethod::kDelete, PodPath(pod),
                                      DeleteOptions(pod, reading.resource_version));
  if (!deleted.ok()) return deleted.status();
  const std::string version = VersionIn(*deleted);
  if (version.empty()) return absl::OkStatus();
  const auto failed = kube::PatchStrategically(*transport_, PodPath(pod) + "/status",
                                               FailedPatch(pod, {version, reading.disrupted}));
  // Without a finalizer the pod was gone at once.
  return absl::IsNotFound(failed.status()) ? absl::OkStatus() : failed.status();
}

std::string LostPodDeleter::FailedPatch(const LostPod& pod, const Reading& reading) const {
  Json status = {{"phase", "Failed"}};
  if (!reading.disrupted) {
    const std::string time = absl::FormatTime(
        "%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(options_.now()), absl::UTCTimeZone());
    status["conditions"] = Json::array({Json{{"type", kDisrupted},
                                             {"status", "True"},
                                             {"reason", "NodeLost"},
                                             {"message", "Berth: node " + pod.node + " is lost"},
                                             {"lastTransitionTime", time}}});
  }
  return TextOf({{"metadata", {{"uid", pod.uid}, {"resourceVersion", reading.resource_version}}},
                 {"status", status}});
}

}  // namespace berth::controller
