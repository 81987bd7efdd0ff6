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

/// The two webhooks of a server. The mutating one changes objects, the validating one only denies.
enum class Hook { kMutate, kValidate };

/// The result of one review.
enum class Result {
  kAllowed,
  kChanged,
  kDenied,
  /// The object could not be read.
  kUnreadable,
};

/// Counts the webhook's answers. All series exist from the start, so an alert on a rate does not
/// have to wait for the first event. docs/metrics.md describes them. Thread-safe.
class WebhookMetrics {
 public:
  /// Registers the families with `metrics`, which must outlive this object.
  explicit WebhookMetrics(server::Metrics& metrics);

  /// A review was answered. `effects` may name only policies of the list in policies.h.
  void OnReviewed(Hook hook, policies::admission::Operation operation, Result result,
                  const std::vector<policies::admission::PolicyEffect>& effects);

  /// A request was not a review that could be answered.
  void OnRefused(Hook hook);

  /// A request, of whatever kind, took that long from parsed HTTP to the reply.
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
