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

/// The API server's side of the wire: reads reviews, has the current reviewer judge them, writes
/// the answers. Thread-safe.
class Webhook {
 public:
  /// `max_body`: bytes of one review. `metrics` must outlive this.
  Webhook(std::shared_ptr<const Reviewer> reviewer, server::Metrics& metrics, std::size_t max_body);

  /// POST /mutate/<mode> and /validate/<mode>, <mode> being enforce or warn, and below each of them
  /// /allow-accelerator-nodes. They must not outlive this.
  std::vector<server::Route> Routes();

  /// What reviews are judged by from now on; those under way end with the former one.
  void Use(std::shared_ptr<const Reviewer> reviewer);

 private:
  server::Route RouteTo(Hook hook, const NamespaceRules& rules);
  server::HttpResponse Respond(Hook hook, const NamespaceRules& rules, std::string_view body);
  server::HttpResponse Reject(Hook hook, const NamespaceRules& rules,
                              const server::Rejection& rejection);
  server::HttpResponse RespondUnread(Hook hook, const NamespaceRules& rules, const Review& front,
                                     std::string_view reason, Denial cause);
  server::HttpResponse Respond(Hook hook, const Review& review, const Verdict& verdict);
  std::shared_ptr<const Reviewer> Current() const;

  mutable std::mutex mutex_;
  std::shared_ptr<const Reviewer> reviewer_;
  WebhookMetrics metrics_;
  DenialLog log_;
  const std::size_t max_body_;
};

}  // namespace berth::admission
