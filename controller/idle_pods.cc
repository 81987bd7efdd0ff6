#include "controller/idle_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "controller/gang_evictor.h"
#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "kube/json_value.h"
#include "model/node.h"
#include "server/log.h"
#include "usage/holdings.h"
#include "usage/workload.h"

namespace berth::controller {

namespace {

constexpr char kBudgetRefuses[] = "a PodDisruptionBudget is in the way, and Berth tries again";

std::string FullName(const IdlePod& pod) { return pod.namespace_name + '/' + pod.name; }

std::string DevicesOf(const usage::Holding& holding) {
  return fmt::format("{} {}", holding.devices,
                     holding.accelerator.empty() ? holding.resource : holding.accelerator);
}

// What the Eviction API needs to know of it.
model::Pod AsPod(const IdlePod& idle) {
  model::Pod pod;
  pod.namespace_ = idle.namespace_name;
  pod.name = idle.name;
  pod.uid = idle.uid;
  return pod;
}

}  // namespace

IdlePods::IdlePods(Options options, const cluster::Snapshot* snapshot,
                   usage::Prometheus* prometheus, kube::Transport* transport, kube::Timer* timer,
                   WriteObserver* observer, IdleMetrics* metrics)
    : options_(std::move(options)),
      snapshot_(snapshot),
      prometheus_(prometheus),
      transport_(transport),
      timer_(timer),
      observer_(observer),
      metrics_(metrics) {}

void IdlePods::Run() {
  if (!options_.config.enabled) return;
  model::Duration wait{0};
  do {
    if (snapshot_->Synced() && options_.may_write()) {
      Look();
      wait = options_.config.every;
    } else {
      metrics_->Clear();
      told_.clear();
      wait = kUntilLeading;
    }
  } while (timer_->Wait(wait));
  metrics_->Clear();
}

void IdlePods::Look() {
  const Clock::time_point began = timer_->Now();
  const std::vector<usage::Holding> holdings =
      usage::HoldingsOf(snapshot_->Read(), snapshot_->catalog());
  const auto uses = usage::AskUse(*prometheus_, options_.idle, holdings, options_.now());
  if (!uses.ok()) {
    if (absl::IsCancelled(uses.status())) return;
    ++failed_since_;
    metrics_->OnError();
    server::Log(server::LogLevel::kWarning, "cannot tell which devices are idle",
                {{"error", std::string(uses.status().message())}});
    return;
  }
  // Whether pods used a device before this look's window, and after the last one's, is not known.
  // One failed look alone leaves such a time only where looks are as rare as windows.
  if (failed_since_ > 1 && timer_->Now() - looked_ > options_.idle.window) told_.clear();
  failed_since_ = 0;
  looked_ = began;
  metrics_->Set(*uses);
  if (!options_.config.events) return;
  const std::map<std::string, std::string> idle = FullyIdle(*uses);
  // Also of pods that are not read at this look.
  std::erase_if(told_, [&](const auto& each) { return !idle.contains(each.first); });
  GoThrough(idle);
}

void IdlePods::GoThrough(const std::map<std::string, std::string>& idle) {
  // Goes round, so that no pod is left out for ever.
  auto next = idle.upper_bound(read_last_);
  const std::size_t reads = std::min(idle.size(), kMostReads);
  for (std::size_t i = 0; i < reads; ++i) {
    if (next == idle.end()) next = idle.begin();
    const auto& [full_name, devices] = *next++;
    if (!options_.may_write()) return;
    const auto pod = Read(full_name, devices);
    if (absl::IsCancelled(pod.status())) return;
    read_last_ = full_name;
    if (pod.ok()) {
      Handle(*pod);
    } else if (absl::IsNotFound(pod.status())) {
      told_.erase(full_name);
    } else {
      observer_->OnWritten(Write::kIdleEvent, full_name, "", pod.status());
    }
  }
}

std::map<std::string, std::string> IdlePods::FullyIdle(const std::vector<usage::PodUse>& uses) {
  std::map<std::string, std::string> idle;
  std::set<std::string> others;
  for (const usage::PodUse& use : uses) {
    const std::string full_name = use.holding.namespace_name + '/' + use.holding.pod;
    if (use.use != usage::Use::kIdle) {
      others.insert(full_name);
      continue;
    }
    std::string& devices = idle[full_name];
    devices += (devices.empty() ? "" : " and ") + DevicesOf(use.holding);
  }
  for (const std::string& full_name : others) idle.erase(full_name);
  return idle;
}

absl::StatusOr<IdlePod> IdlePods::Read(const std::string& full_name, const std::string& devices) {
  const std::size_t slash = full_name.find('/');
  IdlePod idle{.namespace_name = full_name.substr(0, slash),
               .name = full_name.substr(slash + 1),
               .devices = devices};
  bool ending = false;
  const absl::Status got =
      kube::Api(transport_)
          .Get(fmt::format("/api/v1/namespaces/{}/pods/{}", idle.namespace_name, idle.name),
               {{"", "pods", "get"}, idle.namespace_name, idle.name},
               [&](const kube::JsonValue& json) {
                 const model::Pod pod = kube::PodFromJson(json);
                 idle.uid = pod.uid;
                 idle.created = pod.created;
                 idle.notebook = usage::WorkloadOf(json, options_.idle.notebooks).notebook;
                 if (const auto until = model::Find(pod.annotations, options_.keep_annotation)) {
                   idle.keep_until = std::string(*until);
                 }
                 ending = pod.terminated || pod.deleted != model::kNoTime;
               });
  if (!got.ok()) return got;
  // A pod that was made anew under the name since the snapshot has used nothing yet.
  const bool young = model::SaturatingAdd(idle.created, options_.idle.window) > options_.now();
  if (ending || young) return absl::NotFoundError("the pod is gone");
  return idle;
}

void IdlePods::Handle(const IdlePod& pod) {
  const auto [found, is_new_name] = told_.try_emplace(FullName(pod));
  Told& told = found->second;
  // What another pod of the name was told does not count.
  const bool is_new = is_new_name || told.uid != pod.uid;
  if (is_new) {
    told = {.uid = pod.uid,
            .since = timer_->Now(),
            .time = options_.now(),
            .budget_refuses = false,
            .events = {},
            .newest_idle = {}};
  }
  if (!TellIdle(pod, told) && is_new) {
    // Nobody is evicted untold.
    told_.erase(found);
    return;
  }
  if (options_.config.evicts() && pod.notebook) EvictIfDue(pod, told);
}

IdleStay IdlePods::StayAfter(const IdlePod& pod, model::Time due, model::Time now) const {
  return StayOf(pod, due, options_.config.min_age, options_.keep_annotation, now);
}

bool IdlePods::TellIdle(const IdlePod& pod, Told& told) {
  const model::Time now = options_.now();
  std::optional<IdleStay> stay;
  if (options_.config.evicts()) {
    const model::Duration grace = options_.config.evict_notebooks_after;
    stay = StayAfter(pod, model::SaturatingAdd(told.time, grace), now);
    if (told.budget_refuses && stay->until <= now) stay->why = kBudgetRefuses;
  }
  FaultEvent event = IdleEvent(pod, options_.idle, stay, options_.keep_annotation, now);
  if (event.id == told.newest_idle) return true;
  std::string id = event.id;
  // What was said before and holds again is said again, because people believe the last event.
  if (told.events.contains(id)) event.id += fmt::format("-{}", told.events.size());
  if (!Tell(event, told)) return false;
  told.newest_idle = std::move(id);
  return true;
}

void IdlePods::EvictIfDue(const IdlePod& pod, Told& told) {
  if (timer_->Now() - told.since < options_.config.evict_notebooks_after) return;
  const model::Time now = options_.now();
  const IdleStay stay = StayAfter(pod, now, now);
  if (stay.until > now) {
    told.budget_refuses = false;
    Tell(KeptEvent(pod, stay), told);
  } else if (IsWithinLimit()) {
    Evict(pod, told);
  }
}

void IdlePods::Evict(const IdlePod& pod, Told& told) {
  if (!options_.may_write()) return;
  const absl::Status status = EvictPod(*transport_, AsPod(pod), false);
  if (absl::IsCancelled(status)) return;
  const bool is_refused = absl::IsResourceExhausted(status);
  observer_->OnWritten(Write::kIdleEviction, FullName(pod), pod.devices,
                       is_refused ? absl::AbortedError(status.message()) : status);
  if (is_refused) {
    told.budget_refuses = true;
    Tell(KeptEvent(pod, {.until = model::kForever, .why = kBudgetRefuses, .advice = {}}), told);
  }
  if (!status.ok()) return;
  evicted_.push_back(timer_->Now());
  Tell(IdleEvictedEvent(pod, options_.idle), told);
}

bool IdlePods::Tell(const FaultEvent& event, Told& told) {
  if (told.events.contains(event.id)) return true;
  if (!options_.may_write()) return false;
  absl::Status status = kube::CallJson(*transport_, kube::HttpMethod::kPost, PathOf(event),
                                       JsonOf(event, options_.now()))
                            .status();
  if (absl::IsCancelled(status)) return false;
  // It was told before, by a controller that led before.
  if (absl::IsAborted(status)) status = absl::OkStatus();
  observer_->OnWritten(Write::kIdleEvent, event.namespace_name + '/' + event.name, event.message,
                       status);
  if (status.ok()) told.events.insert(event.id);
  return status.ok();
}

bool IdlePods::IsWithinLimit() {
  const Clock::time_point minute_ago = timer_->Now() - std::chrono::minutes(1);
  while (!evicted_.empty() && evicted_.front() <= minute_ago) evicted_.pop_front();
  return evicted_.size() < static_cast<std::size_t>(options_.config.per_minute);
}

}  // namespace berth::controller
