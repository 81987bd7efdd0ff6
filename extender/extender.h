#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/snapshot.h"
#include "extender/decision.h"
#include "extender/extender_metrics.h"
#include "extender/judgement_cache.h"
#include "extender/wire.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "server/http.h"
#include "server/metrics.h"

namespace berth::extender {

struct ExtenderOptions {
  /// Bytes of one request; the default holds a pod of 1.5 MiB (etcd's limit) beside 65,000 names.
  std::size_t max_body = 8 << 20;
  /// The time by which conditions are judged; seconds of UTC.
  std::function<model::Time()> now;
  /// Hear of decisions; must outlive the extender.
  std::vector<DecisionObserver*> observers = {};
};

/// Answers kube-scheduler's filter and prioritize from the snapshot; never calls the API server.
/// Thread-safe.
class Extender {
 public:
  /// `snapshot` and `metrics` must outlive this.
  Extender(std::shared_ptr<const scheduling::SchedulingEngine> engine,
           const cluster::Snapshot& snapshot, server::Metrics& metrics, ExtenderOptions options);

  /// POST /filter and POST /prioritize. They must not outlive this.
  std::vector<server::Route> Routes();

  /// The nodes of `args` that fit. Where none does, every one of them with its reason: those not
  /// listed would become unresolvable without a word.
  FilterResult Filter(const ExtenderArgs& args);

  /// A rank for every name of `args`; 0 for nodes that do not fit or are unknown by now.
  std::vector<std::int64_t> Prioritize(const ExtenderArgs& args);

 private:
  server::HttpResponse HandleFilter(std::string_view body);
  server::HttpResponse HandlePrioritize(std::string_view body);
  absl::StatusOr<ExtenderArgs> Read(std::string_view body) const;

  // What is said of every name of one request.
  struct Judged {
    model::Time now;
    scheduling::PreparedPod prepared;
    std::vector<scheduling::Judgement> judgements;
  };
  Judged JudgeAll(const cluster::Snapshot::Reader& view, const ExtenderArgs& args);

  // If anybody wants to hear it.
  void Report(Verb verb, const ExtenderArgs& args, const Judged& judged,
              const model::ClusterView& view, DecisionReport& report) const;

  std::shared_ptr<const scheduling::SchedulingEngine> engine_;
  JudgementCache cache_;
  const cluster::Snapshot& snapshot_;
  ExtenderMetrics metrics_;
  ExtenderOptions options_;
};

}  // namespace berth::extender
