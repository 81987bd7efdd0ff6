#include "process/feed_observer.h"

#include <functional>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "server/log.h"

namespace berth::process {

namespace {

using kube::WatchEnd;
using server::Log;
using server::LogLevel;

constexpr std::chrono::seconds kFeedLineInterval{10};

// The most objects to remember. Beyond that, the observer forgets them all, and logs them again.
constexpr std::size_t kMaxTold = 10'000;

// Where an object cannot be read, as kube::Path writes it: Node.status.capacity["cpu"]. Empty if
// the error names no place.
std::string_view PlaceInObject(std::string_view error) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (error[i] == '"') is_quoted = !is_quoted;
    if (is_quoted && error[i] == '\\') ++i;
    if (!is_quoted && error.substr(i).starts_with(": ")) return error.substr(0, i);
  }
  return {};
}

prometheus::Family<prometheus::Counter>& Family(server::Metrics& metrics, const char* name,
                                                const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(metrics.registry());
}

}  // namespace

FeedObserver::FeedObserver(std::string kind, server::Metrics& metrics)
    : kind_(std::move(kind)),
      lists_(&Family(metrics, "berth_api_lists_total", "Complete lists from the API server.")
                  .Add({{"kind", kind_}})),
      errors_(&Family(metrics, "berth_api_errors_total", "Requests to the API server that failed.")
                   .Add({{"kind", kind_}})),
      unreadable_(&Family(metrics, "berth_api_unreadable_total",
                          "Objects from the API server that could not be read, as often as they "
                          "came.")
                       .Add({{"kind", kind_}})),
      restart_lines_(kFeedLineInterval),
      error_lines_(kFeedLineInterval) {
  auto& restarts = Family(metrics, "berth_watch_restarts_total", "Watches that ended, by cause.");
  for (const WatchEnd end : {WatchEnd::kServer, WatchEnd::kExpired, WatchEnd::kStalled,
                             WatchEnd::kConnectionLost, WatchEnd::kRefused, WatchEnd::kGarbage}) {
    restarts_[end] = &restarts.Add({{"kind", kind_}, {"cause", std::string(NameOf(end))}});
  }
}

void FeedObserver::OnListed(std::size_t items) {
  lists_->Increment();
  Log(LogLevel::kInfo, "listed", {{"kind", kind_}, {"items", items}});
}

void FeedObserver::OnWatchEnd(WatchEnd end) {
  restarts_.at(end)->Increment();
  // The API server ends every watch after some minutes, which is no news.
  if (end == WatchEnd::kServer) {
    return Log(LogLevel::kDebug, "watch ended", {{"kind", kind_}, {"cause", NameOf(end)}});
  }
  if (const auto held_back = restart_lines_.Admit()) {
    Log(LogLevel::kWarning, "watch ended",
        {{"kind", kind_}, {"cause", NameOf(end)}, {"linesHeldBack", *held_back}});
  }
}

bool FeedObserver::IsNews(const kube::UnreadableObject& object) {
  // The rest of the error quotes the value, which may change all the time.
  const std::string_view place = PlaceInObject(object.error);
  const std::string text = fmt::format("{} {}", kube::FullNameOf(object), place);
  const std::lock_guard lock(mutex_);
  if (told_.size() >= kMaxTold) told_.clear();
  return told_.insert(std::hash<std::string>()(text)).second;
}

void FeedObserver::OnUnreadable(const kube::UnreadableObject& object) {
  unreadable_->Increment();
  if (!IsNews(object)) return;
  Log(LogLevel::kError,
      "an object cannot be read; it is in quarantine, and all others are unaffected",
      {{"kind", kind_}, {"object", kube::FullNameOf(object)}, {"error", object.error}});
}

void FeedObserver::OnError(const absl::Status& error) {
  errors_->Increment();
  if (const auto held_back = error_lines_.Admit()) {
    Log(LogLevel::kWarning, "a request to the API server failed; trying again",
        {{"kind", kind_}, {"error", std::string(error.message())}, {"linesHeldBack", *held_back}});
  }
}

void FeedObserver::OnBackoff(std::chrono::milliseconds wait) {
  Log(LogLevel::kDebug, "waiting before the next request",
      {{"kind", kind_}, {"milliseconds", wait.count()}});
}

}  // namespace berth::process
