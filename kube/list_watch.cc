#include "kube/list_watch.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "kube/page_sink.h"
#include "kube/query.h"
#include "kube/watch_sink.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/service.h"

namespace berth::kube {
namespace {

/// The longest wait that a server may ask for.
constexpr std::chrono::milliseconds kLongestRetryAfter{std::chrono::minutes(5)};

/// A watch that ends sooner and without an event is a failure, as for client-go
/// (tools/cache/reflector.go, handleAnyWatch). Otherwise a server that ends every watch at once
/// would be asked without a pause.
constexpr std::chrono::seconds kShortestWatch{1};

/// The longest wait before a server is tried again that did not answer. It is short, because an
/// attempt costs such a server nothing. When it is back, kube-scheduler binds pods at once, and
/// Berth must not judge by what it knew before.
constexpr std::chrono::milliseconds kLongestReconnect{1000};

bool IsGarbage(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsDataLoss(status);
}

/// Whether the server cannot list by a watch: it says that the parameters are forbidden (422
/// Invalid, k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go), or does
/// not know them.
bool IsUnsupported(const absl::Status& status, const std::optional<ApiStatus>& refusal) {
  if (refusal) return refusal->code == 400 || refusal->code == 422;
  return absl::IsUnimplemented(status);
}

absl::Status Describe(std::string_view target, const absl::Status& status) {
  return {status.code(), fmt::format("GET {}: {}", target, std::string(status.message()))};
}

Outcome Failure(std::string_view target, const absl::Status& status, bool answered = true) {
  Remedy remedy = answered ? Remedy::kRetry : Remedy::kReconnect;
  if (IsGarbage(status)) remedy = Remedy::kRelist;
  return {.error = Describe(target, status), .remedy = remedy};
}

}  // namespace

std::string_view NameOf(WatchEnd end) {
  switch (end) {
    case WatchEnd::kServer:
      return "server";
    case WatchEnd::kExpired:
      return "expired";
    case WatchEnd::kStalled:
      return "stalled";
    case WatchEnd::kConnectionLost:
      return "connection";
    case WatchEnd::kRefused:
      return "refused";
    case WatchEnd::kGarbage:
      return "garbage";
  }
  return "";
}

template <typename T>
ListWatch<T>::ListWatch(ListWatchOptions options, Transport* transport, Timer* timer,
                        ListWatchHandler<T>* handler, ListWatchObserver* observer)
    : options_(std::move(options)),
      transport_(transport),
      timer_(timer),
      handler_(handler),
      observer_(observer),
      reconnect_(options_.seed, kLongestReconnect),
      retry_(options_.seed),
      relist_(options_.seed),
      random_(options_.seed) {}

template <typename T>
void ListWatch<T>::Run() {
  while (true) {
    const Outcome outcome = resource_version_.empty() ? List() : Watch(false);
    if (absl::IsCancelled(outcome.error) || !Recover(outcome)) return;
  }
}

template <typename T>
void ListWatch<T>::Stop() {
  timer_->Stop();
  transport_->Stop();
}

template <typename T>
bool ListWatch<T>::Recover(const Outcome& outcome) {
  if (outcome.remedy == Remedy::kGoOn) return true;
  if (outcome.remedy == Remedy::kRelist) {
    resource_version_.clear();
    continue_token_.clear();
    listed_.reset();
    watch_list_cut_ = false;
  } else {
    handler_->OnFailed();
  }
  observer_->OnError(outcome.error);
  const auto asked = std::min<std::chrono::milliseconds>(outcome.retry_after, kLongestRetryAfter);
  const std::chrono::milliseconds wait = std::max(BackoffBefore(outcome.remedy).Next(), asked);
  observer_->OnBackoff(wait);
  return timer_->Wait(wait);
}

template <typename T>
Backoff& ListWatch<T>::BackoffBefore(Remedy remedy) {
  if (remedy == Remedy::kReconnect) return reconnect_;
  return remedy == Remedy::kRelist ? relist_ : retry_;
}

template <typename T>
std::string ListWatch<T>::ListTarget() const {
  return Target(options_.path)
      .With("limit", std::to_string(options_.page_size))
      .With("continue", continue_token_)
      .With("fieldSelector", options_.field_selector)
      .text();
}

template <typename T>
bool ListWatch<T>::MayWatchList() const {
  if (!options_.watch_list || listed_ || watch_list_cut_) return false;
  return !watch_list_refused_ || timer_->Now() >= *watch_list_refused_ + options_.watch_list_retry;
}

template <typename T>
Outcome ListWatch<T>::List() {
  if (!MayWatchList()) return ListPage();
  const Outcome outcome = Watch(true);
  if (watch_list_cut_) {
    observer_->OnError(outcome.error);
    return ListPage();
  }
  if (outcome.remedy != Remedy::kListPages) return outcome;
  watch_list_refused_ = timer_->Now();
  return ListPage();
}

template <typename T>
Outcome ListWatch<T>::ListPage() {
  // A list that broke off within its first page begins again, because the next try may return
  // another revision.
  PageSink<T> page(handler_, observer_, !listed_);
  absl::Status status = transport_->Send({.target = ListTarget(), .accept = kProtobufType}, page);
  if (absl::IsCancelled(status)) return {.error = status};
  if (status.ok()) {
    if (const auto refusal = page.Refusal()) return RefusalOf(options_.path, *refusal);
    status = page.OnEnd();
  }
  return status.ok() ? EndPage(page) : Failure(options_.path, status, page.answered());
}

template <typename T>
Outcome ListWatch<T>::EndPage(const PageSink<T>& page) {
  listed_ = listed_.value_or(0) + page.items();
  handler_->OnHeard("");
  continue_token_ = page.continue_token();
  if (!continue_token_.empty()) return {};
  handler_->OnReplaceEnd(page.resource_version());
  observer_->OnListed(*listed_);
  listed_.reset();
  watch_list_cut_ = false;
  resource_version_ = page.resource_version();
  return {};
}

template <typename T>
std::string ListWatch<T>::WatchTarget(bool lists) {
  const auto least = options_.watch_timeout.count();
  std::uniform_int_distribution<std::int64_t> seconds(least, 2 * least);
  return Target(options_.path)
      .With("watch", "true")
      .With("allowWatchBookmarks", "true")
      .With("sendInitialEvents", lists ? "true" : "")
      .With("resourceVersionMatch", lists ? "NotOlderThan" : "")
      .With("resourceVersion", resource_version_)
      .With("timeoutSeconds", std::to_string(seconds(random_)))
      .With("fieldSelector", options_.field_selector)
      .text();
}

template <typename T>
Outcome ListWatch<T>::Watch(bool lists) {
  const Timer::Clock::time_point begin = timer_->Now();
  WatchSink<T> sink(handler_, observer_, &resource_version_, lists);
  const absl::Status status =
      transport_->Send({.target = WatchTarget(lists),
                        .accept = fmt::format("{};stream=watch", kProtobufType),
                        .silence = options_.stall},
                       sink);
  if (absl::IsCancelled(status)) return {.error = status};
  if (lists && IsUnsupported(status, sink.Refusal())) return {.remedy = Remedy::kListPages};
  if (sink.events() > 0 && !sink.listing()) {
    for (Backoff* const backoff : {&reconnect_, &retry_, &relist_}) backoff->Reset();
  }
  // kube-apiserver ends a watch to which it cannot send what changes as fast as that comes, and
  // does not spare one that still lists (add in
  // k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go, v1.36.3). After a restart, when much
  // changes at once, it may end one after the other.
  watch_list_cut_ = lists && status.ok() && sink.listing() && sink.AtBoundary() && !sink.Refusal();
  WatchEnd end = WatchEnd::kServer;
  const Outcome outcome = WatchOutcome(status, sink, timer_->Now() - begin, end);
  observer_->OnWatchEnd(end);
  return outcome;
}

template <typename T>
Outcome ListWatch<T>::WatchOutcome(const absl::Status& status, const WatchSink<T>& sink,
                                   Timer::Clock::duration lasted, WatchEnd& end) const {
  if (const std::optional<ApiStatus> refusal = sink.Refusal()) {
    end = IsExpired(*refusal) ? WatchEnd::kExpired : WatchEnd::kRefused;
    return RefusalOf(options_.path, *refusal);
  }
  if (!status.ok()) {
    end = WatchEnd::kConnectionLost;
    if (IsGarbage(status)) end = WatchEnd::kGarbage;
    if (absl::IsDeadlineExceeded(status) && sink.granted()) end = WatchEnd::kStalled;
    return Failure(options_.path, status, sink.answered());
  }
  if (!sink.AtBoundary()) {
    end = WatchEnd::kConnectionLost;
    return Failure(options_.path, absl::UnavailableError("the watch ended within an event"));
  }
  if (sink.listing()) {
    return Failure(options_.path, absl::UnavailableError("the watch ended before all was listed"));
  }
  if (sink.events() == 0 && lasted < kShortestWatch) {
    return Failure(options_.path, absl::UnavailableError("the watch ended as soon as it began"));
  }
  return {};
}

template class ListWatch<model::Node>;
template class ListWatch<model::Pod>;
template class ListWatch<model::Service>;

}  // namespace berth::kube
