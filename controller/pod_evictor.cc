#include "controller/pod_evictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/time/time.h"
#include "controller/gang_evictor.h"
#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "kube/readable.h"
#include "model/accelerator_requests.h"
#include "policies/scheduling/health.h"

namespace berth::controller {

namespace {

using Json = nlohmann::json;

// For this long after a write, and after the last sight of pods that are ending, a node counts as
// being emptied.
constexpr std::chrono::seconds kEmptying{30};
// A pod that should have been gone for this long hangs, and holds up no other node.
constexpr model::Duration kHangs = std::chrono::minutes(1);

// For this long after an eviction, the status of the Job may not show it. The Job controller looks
// at a Job a second after its pod has changed (SyncJobBatchPeriod in
// k8s.io/kubernetes/pkg/controller/job/job_controller.go, v1.36.3), and later if it has much to do.
constexpr std::chrono::seconds kUncounted{30};

std::string FullName(const model::Pod& pod) { return pod.namespace_ + '/' + pod.name; }

// "<namespace>/<gang>" of the pod's gang.
std::string NameOf(const model::Gang& gang, const RunningPod& pod) {
  return pod.pod.namespace_ + '/' + gang.name;
}

std::string PathOfJob(const RunningPod& pod) {
  return fmt::format("/apis/batch/v1/namespaces/{}/jobs/{}", pod.pod.namespace_, pod.owner_name);
}

// FNV-1a. Controllers of every version have to agree on the names of events.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::string EventFor(const model::Pod& pod, const std::string& about, const std::string& message,
                     model::Time now) {
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(now), absl::UTCTimeZone());
  constexpr std::size_t kMostOfName = 230;  // 253 less the hash
  const std::string name =
      fmt::format("{}.{:016x}", pod.name.substr(0, kMostOfName), HashOf(pod.uid + about));
  const Json event = {{"metadata", {{"name", name}, {"namespace", pod.namespace_}}},
                      {"involvedObject",
                       {{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"namespace", pod.namespace_},
                        {"name", pod.name},
                        {"uid", pod.uid}}},
                      {"reason", "NotEvicted"},
                      {"message", message},
                      {"type", "Warning"},
                      {"source", {{"component", "berth"}}},
                      {"firstTimestamp", time},
                      {"lastTimestamp", time}};
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

PodEvictor::PodEvictor(Options options, const cluster::Snapshot* snapshot,
                       kube::Transport* transport, kube::Timer* timer, WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      transport_(transport),
      timer_(timer),
      observer_(observer),
      plan_(options_.rules) {}

void PodEvictor::Run() {
  if (options_.rules.evict.empty()) return;
  bool wrote = false;
  do {
    wrote = snapshot_->Synced() && Step();
  } while (timer_->Wait(wrote ? options_.pace : options_.interval));
}

bool PodEvictor::Step() {
  const std::vector<NodeToEmpty> due =
      plan_.Due(snapshot_->Read(), snapshot_->catalog(), options_.now(), timer_->Now());
  const Clock::time_point now = timer_->Now();
  std::erase_if(emptying_, [now](const auto& each) { return each.second.second <= now; });
  std::erase_if(looked_at_, [now](const auto& each) { return each.second <= now; });
  for (auto& [job, times] : of_jobs_) {
    std::erase_if(times, [now](Clock::time_point until) { return until <= now; });
  }
  std::erase_if(of_jobs_, [](const auto& each) { return each.second.empty(); });
  retries_.Prune(now);
  for (const NodeToEmpty& node : due) {
    if (!options_.may_write()) return false;
    const std::pair<std::string, EntryKey> key(node.node, EntryKeyOf(node.entry));
    if (looked_at_.contains(key) || !MayBeEmptied(node)) continue;
    if (!HasEvictionsLeft(node)) {
      KeepPlace(node);
      continue;
    }
    if (Empty(node)) return true;
    looked_at_[key] = now + options_.look_interval;
  }
  return false;
}

void PodEvictor::KeepPlace(const NodeToEmpty& node) {
  const auto place = emptying_.find(node.node);
  if (place == emptying_.end()) return;
  const bool is_due = place->second.second - timer_->Now() < options_.look_interval;
  // Pods that are ending keep it.
  if (is_due) PodsOn(node).IgnoreError();
}

bool PodEvictor::Empty(const NodeToEmpty& node) {
  const absl::StatusOr<std::vector<RunningPod>> pods = PodsOn(node);
  if (!pods.ok()) return false;
  model::Time youngest = model::kNoTime;
  for (const RunningPod& each : *pods) youngest = std::max(youngest, each.pod.created);
  waiting_gangs_.clear();
  return std::ranges::any_of(*pods, [&](const RunningPod& pod) {
    if (!retries_.IsDue(pod.pod.uid, timer_->Now())) return false;
    // What one pod of a gang waits for, all others of it do; to ask costs a list of the namespace.
    const auto gang = GangOf(pod);
    if (gang && waiting_gangs_.contains(NameOf(*gang, pod))) return false;
    // A pod that waits for others to end, or was told already, costs no write.
    return Handle(pod, node, youngest);
  });
}

absl::StatusOr<std::vector<RunningPod>> PodEvictor::PodsOn(const NodeToEmpty& node) {
  const model::GangNames& gang = options_.gang_names;
  const std::set<std::string, std::less<>> read_later = {
      gang.name,   gang.size,      gang.topology,
      gang.models, gang.preflight, options_.checkpoint_annotation};
  std::vector<RunningPod> pods;
  const auto take = [&](const kube::JsonValue& item) {
    // A pod that cannot be read hides no others.
    absl::StatusOr<RunningPod> read = kube::ReadAlone(item, RunningPodFromJson);
    if (!read.ok() || !IsConcerned(*read, node)) return;
    const model::Time deleted = read->pod.deleted;
    if (deleted == model::kNoTime) {
      pods.push_back(Trimmed(*std::move(read), read_later));
    } else if (model::SaturatingAdd(deleted, kHangs) > options_.now()) {
      OnLeaving(node);
    }
  };
  const absl::Status listed = kube::Api(transport_)
                                  .List("/api/v1/pods", {{"", "pods", "list"}}, take,
                                        {.fields = "spec.nodeName=" + node.node});
  if (!listed.ok()) {
    if (!absl::IsCancelled(listed)) {
      observer_->OnWritten(Write::kEviction, node.node, "", listed);
    }
    return listed;
  }
  // The slowest to go go first, so that the node is empty the soonest.
  std::ranges::stable_sort(pods, std::ranges::greater(), &RunningPod::grace);
  return pods;
}

bool PodEvictor::IsConcerned(const RunningPod& pod, const NodeToEmpty& node) const {
  if (pod.pod.node_name != node.node || pod.pod.terminated || pod.BelongsToNode()) return false;
  if (pod.pod.created >= node.since) return false;
  return !model::AcceleratorRequests(pod.pod, snapshot_->catalog()).empty() &&
         policies::scheduling::AppliesTo(node.entry, pod.pod, options_.runtime_annotation);
}

bool PodEvictor::Handle(const RunningPod& pod, const NodeToEmpty& node, model::Time youngest) {
  const absl::StatusOr<Advice> advice = AdviceFor(pod);
  if (!advice.ok()) {
    retries_.OnTried(pod.pod.uid, timer_->Now());
    if (absl::IsNotFound(advice.status()) || absl::IsCancelled(advice.status())) return false;
    observer_->OnWritten(Write::kEviction, FullName(pod.pod), "", advice.status());
    return true;
  }
  switch (advice->what) {
    case Advice::What::kMove:
      return EvictIfStillBad(pod, node, youngest);
    case Advice::What::kWait:
      if (const auto gang = GangOf(pod)) waiting_gangs_.insert(NameOf(*gang, pod));
      return false;
    case Advice::What::kStay:
      // To ask again costs a list of all pods of the namespace.
      if (GangOf(pod)) retries_.OnTried(pod.pod.uid, timer_->Now());
      return Tell(pod, node, advice->why);
  }
  return false;
}

std::optional<model::Gang> PodEvictor::GangOf(const RunningPod& pod) const {
  auto gang = model::GangOf(pod.pod.annotations, options_.gang_names);
  return gang.ok() ? *std::move(gang) : std::nullopt;
}

absl::StatusOr<Advice> PodEvictor::AdviceFor(const RunningPod& pod) {
  const auto retries = RetriesOf(pod);
  if (!retries.ok()) return retries.status();
  Advice own =
      AdviceOn(pod, retries->has_value() ? &**retries : nullptr, 1, options_.checkpoint_annotation);
  const auto gang = GangOf(pod);
  if (!gang || own.what == Advice::What::kStay) return own;
  return AdviceForGang(pod, gang->name);
}

absl::StatusOr<Advice> PodEvictor::AdviceForGang(const RunningPod& pod, const std::string& gang) {
  const auto pods = PodsOfGang(*transport_, pod.pod.namespace_, gang, options_.gang_names);
  if (!pods.ok()) return pods.status();
  // If the pod has ended meanwhile, nothing is known of those that are left.
  Advice advice{.what = Advice::What::kWait};
  // A gang may have several Jobs, each with retries of its own.
  std::map<std::string, std::vector<const RunningPod*>> by_job;
  for (const RunningPod& each : *pods) {
    by_job[each.IsOfJob() ? each.owner_name : ""].push_back(&each);
    if (each.pod.uid == pod.pod.uid) advice.what = Advice::What::kMove;
  }
  for (const auto& [job, of_job] : by_job) {
    const auto retries = RetriesOf(*of_job.front());
    if (!retries.ok()) return retries.status();
    for (const RunningPod* each : of_job) {
      Advice own = AdviceOnRetries(*each, retries->has_value() ? &**retries : nullptr,
                                   static_cast<std::int64_t>(of_job.size()));
      if (own.what == Advice::What::kStay) return OfOther(*each, pod, std::move(own));
      if (own.what == Advice::What::kWait) advice.what = own.what;
    }
  }
  return advice;
}

Advice PodEvictor::OfOther(const RunningPod& other, const RunningPod& pod, Advice advice) {
  if (other.pod.uid == pod.pod.uid) return advice;
  advice.why =
      fmt::format("pod {} of its gang would go with it, and {}", other.pod.name, advice.why);
  return advice;
}

absl::StatusOr<std::optional<JobRetries>> PodEvictor::RetriesOf(const RunningPod& pod) {
  if (!pod.IsOfJob()) return std::nullopt;
  JobRetries retries;
  const absl::Status got =
      kube::Api(transport_)
          .Get(PathOfJob(pod), {{"batch", "jobs", "get"}, pod.pod.namespace_, pod.owner_name},
               [&retries](const kube::JsonValue& job) { retries = JobRetriesFromJson(job); });
  if (!got.ok()) return got;
  if (const auto evicted = of_jobs_.find(PathOfJob(pod)); evicted != of_jobs_.end()) {
    retries.terminating += static_cast<std::int64_t>(evicted->second.size());
  }
  return retries;
}

absl::StatusOr<bool> PodEvictor::IsStillBad(const NodeToEmpty& node) {
  // A watch that has stalled shows for minutes what was.
  bool bad = false;
  const auto take = [&](const kube::JsonValue& item) {
    const model::Node read = kube::NodeFromJson(item);
    bad = read.uid == node.uid && IsBadNow(node.entry, read) && !model::NotReadySince(read);
  };
  const absl::Status got = kube::Api(transport_)
                               .List("/api/v1/nodes", {{"", "nodes", "list"}}, take,
                                     {.fields = "metadata.name=" + node.node});
  if (!got.ok()) return got;
  return bad;
}

bool PodEvictor::EvictIfStillBad(const RunningPod& pod, const NodeToEmpty& node,
                                 model::Time youngest) {
  const absl::StatusOr<bool> bad = IsStillBad(node);
  if (bad.ok()) return *bad && Evict(pod, node, youngest);
  retries_.OnTried(pod.pod.uid, timer_->Now());
  if (absl::IsCancelled(bad.status())) return false;
  observer_->OnWritten(Write::kEviction, FullName(pod.pod), "", bad.status());
  return true;
}

bool PodEvictor::Evict(const RunningPod& pod, const NodeToEmpty& node, model::Time youngest) {
  if (!options_.may_write()) return false;
  const auto gang = GangOf(pod);
  // Also where it fails: of a gang, some pods may have gone.
  plan_.OnEvicting(node, youngest);
  // The node may recover while it is asked for each pod of a gang.
  const auto is_wanted = [&] { return IsStillBad(node).value_or(false); };
  const absl::Status status =
      gang ? EvictGangOf(pod, gang->name, is_wanted) : EvictPod(*transport_, pod.pod, false);
  retries_.OnTried(pod.pod.uid, timer_->Now());
  if (absl::IsCancelled(status)) return true;
  const bool is_refused = absl::IsResourceExhausted(status);
  observer_->OnWritten(Write::kEviction, FullName(pod.pod),
                       fmt::format("{} on {}", node.rule.condition, node.node),
                       is_refused ? absl::AbortedError(status.message()) : status);
  if (is_refused) Tell(pod, node, "a PodDisruptionBudget is in the way, and Berth tries again");
  if (!gang && !is_refused && pod.IsOfJob()) NoteForJobs({PathOfJob(pod)});
  if (status.ok()) {
    evicted_[node.rule.condition].push_back(timer_->Now());
    OnLeaving(node);
  }
  return true;
}

absl::Status PodEvictor::EvictGangOf(const RunningPod& pod, const std::string& gang,
                                     const std::function<bool()>& is_wanted) {
  const model::Time now = options_.now();
  auto pods = PodsOfGang(*transport_, pod.pod.namespace_, gang, options_.gang_names);
  if (!pods.ok()) return pods.status();
  std::vector<std::string> jobs;
  for (const RunningPod& each : *pods) {
    if (each.IsOfJob()) jobs.push_back(PathOfJob(each));
  }
  // Nobody goes before it is known that all may.
  const auto is_wanted_still = [&] {
    const bool goes_on = is_wanted();
    if (goes_on) NoteForJobs(jobs);
    return goes_on;
  };
  return EvictGang(
      *transport_,
      {.namespace_ = pod.pod.namespace_, .gang = gang, .now = now, .is_wanted = is_wanted_still},
      *std::move(pods), options_.gang_names);
}

bool PodEvictor::Tell(const RunningPod& pod, const NodeToEmpty& node, const std::string& why) {
  const std::string about = node.rule.condition + ' ' + why;
  const std::string key = pod.pod.uid + ' ' + about;
  if (told_.contains(key) || !options_.may_write()) return false;
  const std::string message = fmt::format("Node {} is excluded by {}. This pod stays there: {}",
                                          node.node, node.rule.condition, why);
  absl::Status status =
      kube::CallJson(*transport_, kube::HttpMethod::kPost,
                     fmt::format("/api/v1/namespaces/{}/events", pod.pod.namespace_),
                     EventFor(pod.pod, about, message, options_.now()))
          .status();
  if (absl::IsCancelled(status)) return true;
  // It was told before, by a controller that led before.
  if (absl::IsAborted(status)) status = absl::OkStatus();
  observer_->OnWritten(Write::kPodEvent, FullName(pod.pod), message, status);
  if (!status.ok()) {
    retries_.OnTried(pod.pod.uid, timer_->Now());
    return true;
  }
  if (told_order_.size() == kMostTold) {
    told_.erase(told_order_.front());
    told_order_.pop_front();
  }
  told_.insert(key);
  told_order_.push_back(key);
  return true;
}

bool PodEvictor::HasEvictionsLeft(const NodeToEmpty& node) {
  std::deque<Clock::time_point>& times = evicted_[node.rule.condition];
  const Clock::time_point minute_ago = timer_->Now() - std::chrono::minutes(1);
  while (!times.empty() && times.front() <= minute_ago) times.pop_front();
  return times.size() < static_cast<std::size_t>(node.rule.per_minute);
}

bool PodEvictor::MayBeEmptied(const NodeToEmpty& node) const {
  if (emptying_.contains(node.node)) return true;
  const auto others = std::ranges::count_if(
      emptying_, [&](const auto& each) { return each.second.first == node.accelerator; });
  return static_cast<std::size_t>(others) < node.at_once;
}

void PodEvictor::OnLeaving(const NodeToEmpty& node) {
  emptying_[node.node] = {node.accelerator, timer_->Now() + kEmptying};
}

void PodEvictor::NoteForJobs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) of_jobs_[path].push_back(timer_->Now() + kUncounted);
}

}  // namespace berth::controller
