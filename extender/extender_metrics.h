#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <chrono>
#include <span>
#include <vector>

#include "policies/scheduling/reason.h"
#include "server/metrics.h"

namespace berth::extender {

/// The two questions that the extender answers.
enum class Verb { kFilter, kPrioritize };

/// Counts what the extender is asked and what it answers. All series exist from the start, so an
/// alert on a rate never waits for the first event. Thread-safe.
class ExtenderMetrics {
 public:
  /// `metrics` must outlive this.
  ExtenderMetrics(server::Metrics& metrics, const scheduling::ReasonTable& reasons);

  /// One request was answered after `elapsed` in the server. `ok`: not with an error.
  void OnAnswered(Verb verb, bool ok, std::chrono::nanoseconds elapsed);

  /// `counts[id]` nodes were refused in one filter for the reason of that id.
  void OnRefused(std::span<const std::size_t> counts);

 private:
  struct PerVerb {
    prometheus::Histogram* seconds;
    prometheus::Counter* answered;
    prometheus::Counter* failed;
  };

  std::vector<PerVerb> verbs_;                    // by Verb
  std::vector<prometheus::Counter*> rejections_;  // by ReasonId; null for kNoReason
};

}  // namespace berth::extender
