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

/// Limits and time of an Extender.
struct ExtenderOptions {
  /// Largest request in bytes. The default allows a pod of 1.5 MiB (etcd's limit) and 65,000 names
  /// of nodes.
  std::size_t max_body = 8 << 20;
  /// Largest request that contains whole nodes (nodeCacheCapable: false), in bytes. A node takes
  /// some 8 KB of JSON.
  std::size_t max_nodes_body = 64 << 20;
  /// Returns the time by which conditions are judged. Called when a request is answered, on several
  /// threads.
  std::function<model::Time()> now;
};

/// The HTTP handlers of kube-scheduler's extender protocol. They read a request, let the current
/// Placer answer it, and write the reply; see wire.h for the messages.
///
/// ExtenderServer owns it. Thread-safe: the handlers run on the threads of a listener, several at a
/// time, and Use() may be called meanwhile.
///
/// Until the snapshot has all nodes and pods, requests fail. Otherwise every node would look
/// unknown, and the pod unschedulable. Requests that contain their nodes are answered all the same.
class Extender {
 public:
  /// `placer` must not be null. Registers the metrics of ExtenderMetrics. `metrics` must outlive
  /// this.
  Extender(std::shared_ptr<Placer> placer, server::Metrics& metrics, ExtenderOptions options);

  /// Returns the routes POST /filter, /prioritize and /preempt. Their handlers must not be called
  /// after this is destroyed. Errors are reported as kube-scheduler can read them:
  /// - filter: status 200 with the field Error;
  /// - prioritize and preempt, which have no such field: 400 if the request cannot be read, 413 if
  ///   it is too large, 503 if the cluster is not listed yet, with a sentence as text.
  std::vector<server::Route> Routes();

  /// From now on, `placer` answers; it must not be null. Requests under way end with the former
  /// one, which lives until then. Does not wait for them.
  void Use(std::shared_ptr<Placer> placer);

  /// Returns the placer that answers now; never null.
  std::shared_ptr<Placer> Current() const;

 private:
  // Handles one verb: returns the response to the request `body`, and sets `ok` to whether it is
  // not an error.
  using Answer = server::HttpResponse (Extender::*)(std::string_view body, bool& ok);

  // Returns the route of a verb, which measures each request.
  server::Route RouteTo(std::string path, Verb verb, Answer answer);

  // RESOURCE_EXHAUSTED if the request is larger than its kind may be. Checked before it is parsed,
  // because a parser takes several times as much memory.
  absl::Status CheckSize(std::string_view body) const;

  // Read a request that `placer` can answer.
  absl::StatusOr<ExtenderArgs> Read(ArgsReader& reader, const Placer& placer,
                                    std::string_view body) const;
  absl::StatusOr<PreemptionArgs> ReadPreemption(ArgsReader& reader, std::string_view body) const;

  // The three answers; see Answer.
  server::HttpResponse AnswerFilter(std::string_view body, bool& ok);
  server::HttpResponse AnswerPrioritize(std::string_view body, bool& ok);
  server::HttpResponse AnswerPreempt(std::string_view body, bool& ok);

  // Guards placer_.
  mutable std::mutex mutex_;
  std::shared_ptr<Placer> placer_;
  ExtenderMetrics metrics_;
  const ExtenderOptions options_;
};

}  // namespace berth::extender
