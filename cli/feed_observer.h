#pragma once

#include <prometheus/counter.h>

#include <map>
#include <string>

#include "kube/list_watch_observer.h"
#include "server/metrics.h"
#include "server/rate_limiter.h"

namespace berth::cli {

/// Logs and counts what becomes of the list-and-watch of one kind:
///   berth_api_lists_total{kind}              complete lists
///   berth_watch_restarts_total{kind,cause}   watches that ended, by NameOf(WatchEnd)
///   berth_api_errors_total{kind}             requests that failed
/// Lines that repeat while the API server is away are written every few seconds only. Thread-safe.
class FeedObserver final : public kube::ListWatchObserver {
 public:
  /// `kind` is "nodes" or "pods"; `metrics` must outlive this.
  FeedObserver(std::string kind, server::Metrics& metrics);

  void OnListed(std::size_t items) override;
  void OnWatchEnd(kube::WatchEnd end) override;
  void OnError(const absl::Status& error) override;
  void OnBackoff(std::chrono::milliseconds wait) override;

 private:
  const std::string kind_;
  prometheus::Counter* lists_;
  prometheus::Counter* errors_;
  std::map<kube::WatchEnd, prometheus::Counter*> restarts_;
  server::RateLimiter restart_lines_;
  server::RateLimiter error_lines_;
};

}  // namespace berth::cli
