#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>

#include <chrono>
#include <map>
#include <string_view>
#include <vector>

#include "policies/admission/engine.h"
#include "policies/admission/request.h"
#include "server/metrics.h"

namespace berth::admission {

/// The webhooks of one server.
enum class Hook { kMutate, kValidate };

/// What became of one review.
enum class Result {
  kAllowed,
  kChanged,
  kDenied,
  /// The object could not be read.
  kUnreadable,
};

/// Counts what the webhook answers. All series exist from the start, so an alert on a rate never
/// waits for the first event. Thread-safe.
class WebhookMetrics {
 public:
  /// `metrics` must outlive this.
  explicit WebhookMetrics(server::Metrics& metrics);

  /// One review was answered.
  void OnReviewed(Hook hook, policies::admission::Operation operation, Result result,
                  const std::vector<policies::admission::PolicyEffect>& effects);

  /// A request was no review that could be answered.
  void OnRefused(Hook hook);

  /// One request took so long in the server, whatever it was.
  void OnAnswered(Hook hook, std::chrono::nanoseconds elapsed);

 private:
  struct PerHook {
    // By operation, then by result.
    std::vector<std::vector<prometheus::Counter*>> reviews;
    prometheus::Counter* refused;
    prometheus::Histogram* seconds;
  };
  struct PerPolicy {
    prometheus::Counter* changes;
    prometheus::Counter* denials;
    prometheus::Counter* would;
  };

  void AddHooks(server::Metrics& metrics);
  void AddPolicies(server::Metrics& metrics);

  std::vector<PerHook> hooks_;  // by Hook
  std::map<std::string_view, PerPolicy> policies_;
};

}  // namespace berth::admission
