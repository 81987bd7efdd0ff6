#pragma once

#include <prometheus/counter.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "kube/list_watch_observer.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::process {

/// Logs and counts the events of one kind's list and watch:
///   berth_api_lists_total{kind}              complete lists
///   berth_watch_restarts_total{kind,cause}   watches that ended, by NameOf(WatchEnd)
///   berth_api_errors_total{kind}             requests that failed
///   berth_api_unreadable_total{kind}         objects that could not be read, each time they came
/// Lines that would repeat while the API server is away are written at most every ten seconds, as
/// warnings. An object that cannot be read is logged as an error, once for each field that is in
/// the way, whatever its value. Thread-safe.
class FeedObserver final : public kube::ListWatchObserver {
 public:
  /// `kind` is the label's value, such as "nodes". `metrics` must outlive the object.
  FeedObserver(std::string kind, server::Metrics& metrics);

  /// The feed calls these functions on its threads.
  void OnListed(std::size_t items) override;
  void OnWatchEnd(kube::WatchEnd end) override;
  void OnUnreadable(const kube::UnreadableObject& object) override;
  void OnError(const absl::Status& error) override;
  void OnBackoff(std::chrono::milliseconds wait) override;

 private:
  // Whether this object has not been logged yet for this field.
  bool IsNews(const kube::UnreadableObject& object);

  const std::string kind_;
  prometheus::Counter* lists_;
  prometheus::Counter* errors_;
  prometheus::Counter* unreadable_;
  // Complete: every cause has a counter from the start.
  std::map<kube::WatchEnd, prometheus::Counter*> restarts_;
  // Limits the lines about watches that ended, and about requests that failed.
  server::RateLimiter restart_lines_;
  server::RateLimiter error_lines_;

  // Guards `told_`.
  std::mutex mutex_;
  std::set<std::size_t> told_;  // hashes of unreadable objects with the field
};

}  // namespace berth::process
