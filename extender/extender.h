#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "extender/extender_metrics.h"
#include "extender/placer.h"
#include "extender/wire.h"
#include "model/time.h"
#include "server/http.h"
#include "server/metrics.h"

namespace berth::extender {

struct ExtenderOptions {
  /// Bytes of one request; the default holds a pod of 1.5 MiB (etcd's limit) beside 65,000 names.
  std::size_t max_body = 8 << 20;
  /// Bytes of a request that brings whole nodes. A node is some 8 KB of JSON.
  std::size_t max_nodes_body = 64 << 20;
  /// The time by which conditions are judged; seconds of UTC.
  std::function<model::Time()> now;
};

/// kube-scheduler's side of the wire: reads requests, has the current placer answer them, writes
/// the replies. Thread-safe.
class Extender {
 public:
  /// `metrics` must outlive this.
  Extender(std::shared_ptr<Placer> placer, server::Metrics& metrics, ExtenderOptions options);

  /// POST /filter, /prioritize and /preempt. They must not outlive this.
  std::vector<server::Route> Routes();

  /// What requests are answered by from now on; those under way end with the former one.
  void Use(std::shared_ptr<Placer> placer);

  /// What requests are answered by; never null.
  std::shared_ptr<Placer> Current() const;

 private:
  using Answer = server::HttpResponse (Extender::*)(std::string_view body, bool& ok);

  server::Route RouteTo(std::string path, Verb verb, Answer answer);
  absl::Status CheckSize(std::string_view body) const;
  absl::StatusOr<ExtenderArgs> Read(ArgsReader& reader, const Placer& placer,
                                    std::string_view body) const;
  absl::StatusOr<PreemptionArgs> ReadPreemption(ArgsReader& reader, std::string_view body) const;
  server::HttpResponse AnswerFilter(std::string_view body, bool& ok);
  server::HttpResponse AnswerPrioritize(std::string_view body, bool& ok);
  server::HttpResponse AnswerPreempt(std::string_view body, bool& ok);

  mutable std::mutex mutex_;
  std::shared_ptr<Placer> placer_;
  ExtenderMetrics metrics_;
  const ExtenderOptions options_;
};

}  // namespace berth::extender
