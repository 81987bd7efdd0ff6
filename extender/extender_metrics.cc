#include "extender/extender_metrics.h"

#include <string>
#include <string_view>

namespace berth::extender {

namespace {

// The bounds are close together between a prioritize of a sample and a filter of 65,000 names, so
// that percentiles are meaningful. kube-scheduler gives up after 5 s.
const prometheus::Histogram::BucketBoundaries kBuckets = {
    0.00005, 0.0001, 0.00015, 0.0002, 0.0003, 0.0004, 0.0005, 0.00075, 0.001, 0.0015, 0.002, 0.003,
    0.004,   0.006,  0.008,   0.01,   0.015,  0.025,  0.05,   0.1,     0.5,   1,      5};

}  // namespace

ExtenderMetrics::ExtenderMetrics(server::Metrics& metrics) {
  prometheus::Registry& registry = metrics.registry();
  auto& seconds = prometheus::BuildHistogram()
                      .Name("berth_extender_duration_seconds")
                      .Help("Time to answer kube-scheduler, from parsed HTTP to reply, by verb.")
                      .Register(registry);
  auto& requests = prometheus::BuildCounter()
                       .Name("berth_extender_requests_total")
                       .Help("Requests of kube-scheduler by verb and result (ok, error).")
                       .Register(registry);
  for (const char* verb : {"filter", "prioritize", "preempt"}) {
    verbs_.push_back({&seconds.Add({{"verb", verb}}, kBuckets),
                      &requests.Add({{"verb", verb}, {"result", "ok"}}),
                      &requests.Add({{"verb", verb}, {"result", "error"}})});
  }
}

JudgementMetrics::JudgementMetrics(server::Metrics& metrics) {
  auto& judgements = prometheus::BuildCounter()
                         .Name("berth_judgements_total")
                         .Help(
                             "Nodes judged, by source of the judgement: memory (of a pod of the "
                             "same shape) or the policies.")
                         .Register(metrics.registry());
  remembered_ = &judgements.Add({{"source", "memory"}});
  judged_ = &judgements.Add({{"source", "policies"}});
}

void JudgementMetrics::OnJudged(std::size_t remembered, std::size_t judged) {
  remembered_->Increment(static_cast<double>(remembered));
  judged_->Increment(static_cast<double>(judged));
}

RejectionMetrics::RejectionMetrics(server::Metrics& metrics,
                                   const policies::scheduling::ReasonTable& reasons) {
  auto& rejections = prometheus::BuildCounter()
                         .Name("berth_rejections_total")
                         .Help("Nodes refused in filter, by policy and reason.")
                         .Register(metrics.registry());
  auto& would_reject = prometheus::BuildCounter()
                           .Name("berth_would_reject_total")
                           .Help(
                               "Nodes that passed filter only because a policy is in mode "
                               "Observe, by policy and reason.")
                           .Register(metrics.registry());
  rejections_ = AddPerReason(rejections, reasons);
  would_reject_ = AddPerReason(would_reject, reasons);
}

RejectionMetrics::PerReason RejectionMetrics::AddPerReason(
    prometheus::Family<prometheus::Counter>& family,
    const policies::scheduling::ReasonTable& reasons) {
  PerReason counters = {nullptr};
  for (std::size_t id = 1; id < reasons.size(); ++id) {
    const policies::scheduling::Reason& reason =
        reasons[static_cast<policies::scheduling::ReasonId>(id)];
    counters.push_back(&family.Add({{"policy", reason.policy}, {"reason", reason.text}}));
  }
  return counters;
}

void ExtenderMetrics::OnAnswered(Verb verb, bool ok, std::chrono::nanoseconds elapsed) {
  const PerVerb& metrics = verbs_[static_cast<std::size_t>(verb)];
  metrics.seconds->Observe(std::chrono::duration<double>(elapsed).count());
  (ok ? metrics.answered : metrics.failed)->Increment();
}

void RejectionMetrics::OnFiltered(std::span<const std::size_t> refused,
                                  std::span<const std::size_t> would_refuse) {
  const auto add = [](std::span<const std::size_t> counts, const PerReason& counters) {
    for (std::size_t id = 1; id < counts.size(); ++id) {
      if (counts[id] > 0) counters[id]->Increment(static_cast<double>(counts[id]));
    }
  };
  add(refused, rejections_);
  add(would_refuse, would_reject_);
}

ShortlistMetrics::ShortlistMetrics(server::Metrics& metrics) {
  auto& answers = prometheus::BuildCounter()
                      .Name("berth_shortlist_total")
                      .Help(
                          "Answers to filter while the shortlist is on: short, few (no more nodes "
                          "fit than it holds), or why the answer had all nodes that fit.")
                      .Register(metrics.registry());
  for (const policies::scheduling::Shortlisting each : policies::scheduling::kAllShortlistings) {
    answers_[static_cast<std::size_t>(each)] =
        &answers.Add({{"outcome", std::string(policies::scheduling::NameOf(each))}});
  }
}

void ShortlistMetrics::OnFiltered(policies::scheduling::Shortlisting shortlisting) {
  answers_[static_cast<std::size_t>(shortlisting)]->Increment();
}

PreemptionMetrics::PreemptionMetrics(server::Metrics& metrics) {
  auto& answers = prometheus::BuildCounter()
                      .Name("berth_preemptions_total")
                      .Help(
                          "Answers to preempt: vetoed (a node fits without evictions), or why "
                          "kube-scheduler was allowed to evict pods.")
                      .Register(metrics.registry());
  for (const PreemptionOutcome each : kAllPreemptionOutcomes) {
    answers_[static_cast<std::size_t>(each)] =
        &answers.Add({{"outcome", std::string(NameOf(each))}});
  }
}

void PreemptionMetrics::OnPreempted(PreemptionOutcome outcome) {
  answers_[static_cast<std::size_t>(outcome)]->Increment();
}

}  // namespace berth::extender
