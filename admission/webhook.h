#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "admission/denial_log.h"
#include "admission/reviewer.h"
#include "admission/webhook_metrics.h"
#include "server/http.h"
#include "server/metrics.h"

namespace berth::admission {

/// The HTTP side of the webhook. Reads reviews, lets the current reviewer judge them, writes the
/// answers, and counts and logs them.
///
///   the request is                                   the answer
///   a review                                         200 with an AdmissionReview
///   a review that breaks a limit or is malformed,
///   but has a readable front                         200 with an AdmissionReview; see Unread()
///   something else                                   400, or 413, 408 or 503 for a broken limit
///
/// Thread-safe: the listener calls the routes on several threads at once. They open no connections.
/// Only bodies above 1 MiB wait for each other, because the parser needs much memory for them.
class Webhook {
 public:
  /// `max_body` is the most bytes of one review. `metrics` must outlive this object.
  Webhook(std::shared_ptr<const Reviewer> reviewer, server::Metrics& metrics, std::size_t max_body);

  /// POST /mutate/<mode> and /validate/<mode>, where <mode> is enforce or warn. Below each of them
  /// there is also /allow-accelerator-nodes. The routes must not outlive this object.
  std::vector<server::Route> Routes();

  /// Replaces the reviewer. Reviews that have begun end with the former one.
  void Use(std::shared_ptr<const Reviewer> reviewer);

 private:
  // The route of one webhook for namespaces with these rules.
  server::Route RouteTo(Hook hook, const NamespaceRules& rules);
  // Answers the request with that body.
  server::HttpResponse Respond(Hook hook, const NamespaceRules& rules, std::string_view body);

  // Answers a request that broke a limit of the listener.
  server::HttpResponse Reject(Hook hook, const NamespaceRules& rules,
                              const server::Rejection& rejection);

  // Answers a review that could not be read as a whole.
  server::HttpResponse RespondUnread(Hook hook, const NamespaceRules& rules, const Review& known,
                                     std::string_view reason, Denial cause);

  // Counts, logs and writes the answer.
  server::HttpResponse Respond(Hook hook, const Review& review, const Verdict& verdict);
  // The reviewer in use.
  std::shared_ptr<const Reviewer> Current() const;

  // Guards `reviewer_`.
  mutable std::mutex mutex_;
  std::shared_ptr<const Reviewer> reviewer_;
  WebhookMetrics metrics_;
  DenialLog log_;
  const std::size_t max_body_;
};

}  // namespace berth::admission
