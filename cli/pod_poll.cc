#include "cli/pod_poll.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "cli/gang_output.h"
#include "cli/gang_report.h"
#include "kube/json.h"
#include "kube/json_call.h"
#include "kube/query.h"

namespace berth::cli {

namespace {

using kube::JsonValue;

constexpr std::chrono::milliseconds kEvery{1000};
// Of so many readings of the pod, one reads its events and its gang, too.
constexpr std::uint64_t kListsEvery = 3;
// A server that does not answer in this time is away for whoever looks at the screen.
constexpr kube::HttpTimeouts kPollTimeouts{.connect = std::chrono::seconds(5),
                                           .handshake = std::chrono::seconds(5),
                                           .write = std::chrono::seconds(5),
                                           .head = std::chrono::seconds(10)};

}  // namespace

PodPoll::PodPoll(kube::ApiConfig api, PodToFollow what)
    : what_(std::move(what)), client_(std::move(api), kPollTimeouts) {}

PodPoll::~PodPoll() { Stop(); }

absl::Status PodPoll::ReadFirst() {
  PodReading reading;
  ReadPod(reading);
  if (!reading.status.ok()) return reading.status;
  ReadEvents(reading);
  ReadGangOf(reading);
  Keep(std::move(reading));
  return absl::OkStatus();
}

void PodPoll::Start() {
  thread_ = std::thread([this] { Run(); });
}

void PodPoll::Stop() {
  timer_.Stop();
  client_.Stop();
  if (thread_.joinable()) thread_.join();
}

PodReading PodPoll::Last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void PodPoll::Run() {
  for (std::uint64_t round = 1; timer_.Wait(kEvery); ++round) {
    PodReading reading = Last();
    ReadPod(reading);
    if (round % kListsEvery == 0 && reading.status.ok()) {
      ReadEvents(reading);
      ReadGangOf(reading);
    }
    Keep(std::move(reading));
  }
}

void PodPoll::ReadPod(PodReading& reading) {
  const std::string path =
      fmt::format("/api/v1/namespaces/{}/pods/{}", what_.namespace_name, what_.name);
  const auto reply = kube::CallJson(client_, kube::HttpMethod::kGet, path);
  reading.status = reply.status();
  if (!reply.ok()) return;
  kube::JsonParser parser;
  const auto root = parser.Parse(*reply);
  reading.status = root.status();
  if (!root.ok()) return;
  auto pod = kube::PodFromJson(*root, "Pod");
  reading.status = pod.status();
  if (!pod.ok()) return;
  const kube::Path place("Pod");
  PodProgress progress = PodProgressOf(JsonValue(*root, place, reading.status), what_.names.name);
  if (!reading.status.ok()) return;
  reading.pod = *std::move(pod);
  reading.progress = std::move(progress);
}

void PodPoll::ReadEvents(PodReading& reading) {
  kube::Target target(fmt::format("/api/v1/namespaces/{}/events", what_.namespace_name));
  target.With("fieldSelector", "involvedObject.uid=" + reading.progress.uid);
  const auto reply = kube::CallJson(client_, kube::HttpMethod::kGet, target.text());
  reading.events_error = reply.status();
  if (!reply.ok()) {
    // Those that are known stay known while the server is away.
    if (absl::IsPermissionDenied(reply.status())) reading.events.reset();
    return;
  }
  kube::JsonParser parser;
  const auto root = parser.Parse(*reply);
  reading.events_error = root.status();
  if (!root.ok()) return;
  std::vector<PodEvent> events;
  const kube::Path place("EventList");
  const JsonValue list(*root, place, reading.events_error);
  list.Field("items").ForEachItem(
      [&events](const JsonValue& event) { events.push_back(PodEventOf(event)); });
  if (reading.events_error.ok()) reading.events = std::move(events);
}

void PodPoll::ReadGangOf(PodReading& reading) {
  reading.gang.clear();
  if (reading.progress.gang.empty()) return;
  const auto report = ReadGang(fmt::format("{}/{}", what_.namespace_name, reading.progress.gang),
                               what_.names, client_);
  if (report.ok()) reading.gang = GangProgress(*report);
}

void PodPoll::Keep(PodReading reading) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(reading);
}

}  // namespace berth::cli
