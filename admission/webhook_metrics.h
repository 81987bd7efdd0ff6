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

/// The result of one review, as the label `result` names it.
enum class Result {
  /// The object is stored as it came.
  kAllowed,
  /// The answer has a patch.
  kChanged,
  /// The answer has a denial.
  kDenied,
  /// The object could not be read.
  kUnreadable,
};

/// Counts the webhook's answers:
///   berth_admission_reviews_total{webhook,operation,result}   reviews that were answered
///   berth_admission_refused_total{webhook}                    requests that were no such review
///   berth_admission_duration_seconds{webhook}                 time to answer
///   berth_admission_changes_total{policy}                     objects that a policy has changed
///   berth_admission_denials_total{policy}                     objects that a policy has denied
///   berth_admission_would_total{policy}                       objects that it only warned about
/// All series exist from the start, so an alert on a rate does not have to wait for the first
/// event. Thread-safe.
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
  // The counters of one webhook.
  struct PerHook {
    // By operation, then by result.
    std::vector<std::vector<prometheus::Counter*>> reviews;
    prometheus::Counter* refused;
    prometheus::Histogram* seconds;
  };
  // The counters of one policy, by its name in `policies_`.
  struct PerPolicy {
    prometheus::Counter* changes;
    prometheus::Counter* denials;
    prometheus::Counter* would;
  };

  void AddHooks(server::Metrics& metrics);
  void AddPolicies(server::Metrics& metrics);

  std::vector<PerHook> hooks_;  // by Hook
  // By kName.
  std::map<std::string_view, PerPolicy> policies_;
};

}  // namespace berth::admission
