#include "controller/fault_teller.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "kube/json_api.h"
#include "kube/json_call.h"
#include "kube/json_model.h"
#include "kube/readable.h"

namespace berth::controller {

namespace {

std::string NameOf(const FaultEvent& event) {
  return event.namespace_name.empty() ? event.name : event.namespace_name + '/' + event.name;
}

}  // namespace

FaultTeller::FaultTeller(Options options, const cluster::Snapshot* snapshot,
                         kube::Transport* transport, kube::Timer* timer, FaultMetrics* metrics,
                         WriteObserver* observer)
    : options_(std::move(options)),
      snapshot_(snapshot),
      transport_(transport),
      timer_(timer),
      metrics_(metrics),
      observer_(observer),
      watch_(options_.health) {
  if (metrics_ != nullptr) metrics_->Expect(options_.health);
}

void FaultTeller::Run() {
  if (metrics_ == nullptr && !options_.events) return;
  bool has_news = false;
  do {
    has_news = Look();
    if (has_news && options_.may_write()) WriteOne();
  } while (timer_->Wait(has_news ? options_.pace : options_.interval));
}

bool FaultTeller::Look() {
  const kube::Timer::Clock::time_point now = timer_->Now();
  if (now >= next_look_ && snapshot_->Synced()) {
    next_look_ = now + options_.interval;
    for (const FaultChange& change :
         watch_.Look(snapshot_->Read(), snapshot_->catalog(), options_.now())) {
      Add(change);
    }
  }
  told_.Prune(now);
  std::erase_if(news_, [&](const News& each) { return now - each.seen > options_.news; });
  return !news_.empty();
}

void FaultTeller::Add(const FaultChange& change) {
  if (metrics_ != nullptr && options_.may_write()) metrics_->OnChange(change);
  if (!options_.events || !IsWorthTelling(change)) return;
  const News news{.seen = timer_->Now(), .time = options_.now(), .what = change};
  if (const auto event = EventOfNode(change)) {
    news_.push_back(news);
    news_.back().what = *event;
  }
  const bool has_devices = change.fault.accelerator != model::AcceleratorCatalog::kNone;
  if (change.what == FaultChange::What::kExcluded && has_devices) news_.push_back(news);
}

bool FaultTeller::IsWorthTelling(const FaultChange& change) {
  if (change.is_suspect) return false;
  const std::string key = fmt::format("{} {} {}", static_cast<int>(change.what),
                                      change.fault.condition, change.fault.uid);
  if (!told_.IsDue(key, timer_->Now())) return false;
  told_.OnTried(key, timer_->Now());
  return true;
}

void FaultTeller::WriteOne() {
  const News news = std::move(news_.front());
  news_.pop_front();
  if (const auto* const event = std::get_if<FaultEvent>(&news.what)) {
    const absl::Status status = Send(*event, news.time);
    if (!absl::IsCancelled(status)) {
      observer_->OnWritten(Write::kFaultEvent, NameOf(*event), event->reason, status);
    }
    return;
  }
  const auto& change = std::get<FaultChange>(news.what);
  auto events = EventsOfPods(change);
  if (!events.ok()) {
    if (absl::IsCancelled(events.status())) return;
    observer_->OnWritten(Write::kFaultEvent, change.fault.node, "", events.status());
    return;
  }
  for (FaultEvent& event : *events) {
    news_.push_back({.seen = news.seen, .time = news.time, .what = std::move(event)});
  }
}

absl::Status FaultTeller::Send(const FaultEvent& event, model::Time time) {
  const absl::Status status =
      kube::CallJson(*transport_, kube::HttpMethod::kPost, PathOf(event), JsonOf(event, time))
          .status();
  // The former leader has told it.
  return absl::IsAborted(status) ? absl::OkStatus() : status;
}

absl::StatusOr<std::vector<FaultEvent>> FaultTeller::EventsOfPods(const FaultChange& change) {
  std::vector<FaultEvent> events;
  const model::AcceleratorSpec& pool = snapshot_->catalog()[change.fault.accelerator];
  const auto take = [&](const kube::JsonValue& item) {
    // A pod that cannot be read hides no others.
    const auto pod =
        kube::ReadAlone(item, [](const auto& json) { return kube::PodFromJson(json); });
    if (pod.ok() && IsToldOf(change, *pod, pool)) events.push_back(EventOfPod(change, *pod));
  };
  const absl::Status listed = kube::Api(transport_)
                                  .List("/api/v1/pods", {{"", "pods", "list"}}, take,
                                        {.fields = "spec.nodeName=" + change.fault.node});
  if (!listed.ok()) return listed;
  return events;
}

}  // namespace berth::controller
