#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "policies/scheduling/reason.h"
#include "policies/scheduling/shortlist.h"
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

/// Counts whether nodes had to be judged, or what was said of them before an equal pod still held.
/// Thread-safe.
class JudgementMetrics {
 public:
  /// `metrics` must outlive this.
  explicit JudgementMetrics(server::Metrics& metrics);

  /// Of the nodes of one request so many were remembered, and so many judged.
  void OnJudged(std::size_t remembered, std::size_t judged);

 private:
  prometheus::Counter* remembered_;
  prometheus::Counter* judged_;
};

/// Counts why nodes are refused, for the reasons of one engine; engines that give the same reason
/// count on in the same series. Thread-safe.
class RejectionMetrics {
 public:
  /// `metrics` must outlive this.
  RejectionMetrics(server::Metrics& metrics, const policies::scheduling::ReasonTable& reasons);

  /// In one filter `refused[id]` nodes were refused for the reason of that id, and
  /// `would_refuse[id]` more would have been but for a policy's mode Observe.
  void OnFiltered(std::span<const std::size_t> refused, std::span<const std::size_t> would_refuse);

 private:
  // By ReasonId; null for kNoReason.
  using PerReason = std::vector<prometheus::Counter*>;

  static PerReason AddPerReason(prometheus::Family<prometheus::Counter>& family,
                                const policies::scheduling::ReasonTable& reasons);

  PerReason rejections_;
  PerReason would_reject_;
};

/// Counts why filter answered some of the nodes that fit, or all. Thread-safe.
class ShortlistMetrics {
 public:
  /// `metrics` must outlive this.
  explicit ShortlistMetrics(server::Metrics& metrics);

  void OnFiltered(policies::scheduling::Shortlisting shortlisting);

 private:
  // By Shortlisting.
  std::array<prometheus::Counter*, policies::scheduling::kAllShortlistings.size()> answers_;
};

}  // namespace berth::extender
