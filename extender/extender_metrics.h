#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <chrono>
#include <span>
#include <vector>

#include "policies/scheduling/reason.h"
#include "server/metrics.h"

namespace berth::extender {

/// The questions that the extender answers.
enum class Verb { kFilter, kPrioritize, kPreempt };

/// Counts what the extender is asked. All series exist from the start, so an alert on a rate never
/// waits for the first event. Thread-safe.
class ExtenderMetrics {
 public:
  /// `metrics` must outlive this.
  explicit ExtenderMetrics(server::Metrics& metrics);

  /// One request was answered after `elapsed` in the server. `ok`: not with an error.
  void OnAnswered(Verb verb, bool ok, std::chrono::nanoseconds elapsed);

 private:
  struct PerVerb {
    prometheus::Histogram* seconds;
    prometheus::Counter* answered;
    prometheus::Counter* failed;
  };

  std::vector<PerVerb> verbs_;  // by Verb
};

/// Counts why nodes are refused, for the reasons of one engine; engines that give the same reason
/// count on in the same series. Thread-safe.
class RejectionMetrics {
 public:
  /// `metrics` must outlive this.
  RejectionMetrics(server::Metrics& metrics, const scheduling::ReasonTable& reasons);

  /// `counts[id]` nodes were refused in one filter for the reason of that id.
  void OnRefused(std::span<const std::size_t> counts);

 private:
  std::vector<prometheus::Counter*> rejections_;  // by ReasonId; null for kNoReason
};

}  // namespace berth::extender
