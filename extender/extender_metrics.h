#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "extender/preemption_veto.h"
#include "policies/scheduling/reason.h"
#include "policies/scheduling/shortlist.h"
#include "server/metrics.h"

namespace berth::extender {

/// The verbs of the extender protocol that Berth answers.
enum class Verb { kFilter, kPrioritize, kPreempt };

/// Counts requests:
///
///   berth_extender_duration_seconds{verb}         time to answer, without the connection
///   berth_extender_requests_total{verb,result}    result: ok, error
///
/// All series exist from the start, so an alert on a rate does not miss the first event. The same
/// holds for the classes below. Thread-safe.
class ExtenderMetrics {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit ExtenderMetrics(server::Metrics& metrics);

  /// A request was answered after `elapsed`, counted from the parsed HTTP message to the reply.
  /// `ok`: the answer is not an error.
  void OnAnswered(Verb verb, bool ok, std::chrono::nanoseconds elapsed);

 private:
  // The series of one verb.
  struct PerVerb {
    prometheus::Histogram* seconds;
    prometheus::Counter* answered;
    prometheus::Counter* failed;
  };

  std::vector<PerVerb> verbs_;  // by Verb
};

/// Counts the nodes of requests by where their judgement came from:
///
///   berth_judgements_total{source}    source: memory (JudgementCache), policies
///
/// Thread-safe.
class JudgementMetrics {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit JudgementMetrics(server::Metrics& metrics);

  /// In one request, the judgements of `remembered` nodes came from memory, and `judged` nodes were
  /// judged.
  void OnJudged(std::size_t remembered, std::size_t judged);

 private:
  prometheus::Counter* remembered_;
  prometheus::Counter* judged_;
};

/// Counts why nodes are refused:
///
///   berth_rejections_total{policy,reason}      nodes refused in filter
///   berth_would_reject_total{policy,reason}    nodes that passed only because of mode Observe
///
/// One object counts the reasons of one engine. Objects for engines with the same reasons count in
/// the same series, so a changed configuration does not reset them. Thread-safe.
class RejectionMetrics {
 public:
  /// Registers the series for `reasons`. `metrics` must outlive this.
  RejectionMetrics(server::Metrics& metrics, const policies::scheduling::ReasonTable& reasons);

  /// Counts one filter request. Both spans are indexed by ReasonId: `refused[id]` nodes were
  /// refused for that reason, and `would_refuse[id]` more nodes would have been if a policy were
  /// not in mode Observe. Index 0 (kNoReason) is ignored.
  void OnFiltered(std::span<const std::size_t> refused, std::span<const std::size_t> would_refuse);

 private:
  // Indexed by ReasonId; null for kNoReason.
  using PerReason = std::vector<prometheus::Counter*>;

  // Returns the counters of `family` for `reasons`.
  static PerReason AddPerReason(prometheus::Family<prometheus::Counter>& family,
                                const policies::scheduling::ReasonTable& reasons);

  PerReason rejections_;
  PerReason would_reject_;
};

/// Counts the answers to filter by why they have only the best nodes that fit, or all:
///
///   berth_shortlist_total{outcome}    outcome: the names of policies::scheduling::Shortlisting
///
/// Thread-safe.
class ShortlistMetrics {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit ShortlistMetrics(server::Metrics& metrics);

  /// Counts one filter request.
  void OnFiltered(policies::scheduling::Shortlisting shortlisting);

 private:
  // Indexed by Shortlisting.
  std::array<prometheus::Counter*, policies::scheduling::kAllShortlistings.size()> answers_{};
};

/// Counts the answers to preempt:
///
///   berth_preemptions_total{outcome}    outcome: the names of PreemptionOutcome
///
/// Thread-safe.
class PreemptionMetrics {
 public:
  /// Registers the series. `metrics` must outlive this.
  explicit PreemptionMetrics(server::Metrics& metrics);

  /// Counts one preempt request.
  void OnPreempted(PreemptionOutcome outcome);

 private:
  // Indexed by PreemptionOutcome.
  std::array<prometheus::Counter*, kAllPreemptionOutcomes.size()> answers_{};
};

}  // namespace berth::extender
