#include "admission/webhook_metrics.h"

#include <string>

#include "policies/admission/config.h"

namespace berth::admission {

namespace {

// In seconds. A review takes some hundredths of a millisecond; the API server gives up after the
// webhook's timeoutSeconds.
const prometheus::Histogram::BucketBoundaries kBuckets = {
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5};

// In the order of the enums.
constexpr const char* kHooks[] = {"mutate", "validate"};
constexpr const char* kOperations[] = {"create", "update", "delete", "connect"};
constexpr const char* kResults[] = {"allowed", "changed", "denied", "unreadable"};

prometheus::Family<prometheus::Counter>& AddFamily(const char* name, const char* help,
                                                   server::Metrics& metrics) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(metrics.registry());
}

template <typename E>
std::size_t Index(E value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

WebhookMetrics::WebhookMetrics(server::Metrics& metrics) {
  AddHooks(metrics);
  AddPolicies(metrics);
}

void WebhookMetrics::AddHooks(server::Metrics& metrics) {
  auto& reviews = AddFamily("berth_admission_reviews_total",
                            "Reviews by webhook (mutate, validate), operation and result (allowed, "
                            "changed, denied, unreadable).",
                            metrics);
  auto& refused = AddFamily("berth_admission_refused_total",
                            "Requests that were not reviews, by webhook.", metrics);
  auto& seconds = prometheus::BuildHistogram()
                      .Name("berth_admission_duration_seconds")
                      .Help("Time to answer the API server, from parsed HTTP to reply, by webhook.")
                      .Register(metrics.registry());
  for (const char* hook : kHooks) {
    PerHook per_hook{.refused = &refused.Add({{"webhook", hook}}),
                     .seconds = &seconds.Add({{"webhook", hook}}, kBuckets)};
    for (const char* operation : kOperations) {
      auto& results = per_hook.reviews.emplace_back();
      for (const char* result : kResults) {
        results.push_back(
            &reviews.Add({{"webhook", hook}, {"operation", operation}, {"result", result}}));
      }
    }
    hooks_.push_back(std::move(per_hook));
  }
}

void WebhookMetrics::AddPolicies(server::Metrics& metrics) {
  auto& changes = AddFamily("berth_admission_changes_total",
                            "Objects that a policy has changed, by policy.", metrics);
  auto& denials = AddFamily("berth_admission_denials_total",
                            "Objects that a policy has denied, by policy.", metrics);
  auto& would = AddFamily("berth_admission_would_total",
                          "Objects that a policy would have changed or denied if its mode and the "
                          "namespace's were Enforce, by policy.",
                          metrics);
  policies::ForEachPolicy(
      policies::admission::PoliciesConfig(),
      [&]<typename Policy>(const policies::admission::PolicySettings<Policy>&) {
        const prometheus::Labels labels{{"policy", std::string(Policy::kName)}};
        policies_[Policy::kName] = {&changes.Add(labels), &denials.Add(labels), &would.Add(labels)};
      });
}

void WebhookMetrics::OnReviewed(Hook hook, policies::admission::Operation operation, Result result,
                                const std::vector<policies::admission::PolicyEffect>& effects) {
  hooks_[Index(hook)].reviews[Index(operation)][Index(result)]->Increment();
  for (const policies::admission::PolicyEffect& effect : effects) {
    const PerPolicy& policy = policies_.at(effect.policy);
    if (effect.changed) policy.changes->Increment();
    if (effect.denied) policy.denials->Increment();
    if (effect.would) policy.would->Increment();
  }
}

void WebhookMetrics::OnRefused(Hook hook) { hooks_[Index(hook)].refused->Increment(); }

void WebhookMetrics::OnAnswered(Hook hook, std::chrono::nanoseconds elapsed) {
  hooks_[Index(hook)].seconds->Observe(std::chrono::duration<double>(elapsed).count());
}

}  // namespace berth::admission
