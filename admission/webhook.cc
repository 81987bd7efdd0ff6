#include "admission/webhook.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/json.h"
#include "kube/json_sizes.h"
#include "kube/parser_lease.h"

namespace berth::admission {

namespace {

using policies::admission::Mode;

// The largest body whose parser a thread keeps. A parser keeps some fourteen times as many bytes.
constexpr std::size_t kLargestKeptBody = 1 << 20;

using ParserLease = kube::ParserLease<kube::JsonParser, kLargestKeptBody>;

Result ResultOf(const Verdict& verdict) {
  if (verdict.unreadable) return Result::kUnreadable;
  if (!verdict.answer.denial.empty()) return Result::kDenied;
  return verdict.answer.patch.empty() ? Result::kAllowed : Result::kChanged;
}

// Without a uid, an AdmissionReview could not answer the request.
server::HttpResponse Refusal(const absl::Status& error) {
  return {.status = 400,
          .content_type = "text/plain",
          .body = "berth: " + std::string(error.message()) + "\n"};
}

// For a request that the listener refuses before even its front has arrived.
server::HttpResponse Refusal(const server::Rejection& rejection) {
  int status = 503;
  if (rejection.cause == server::RejectionCause::kBodyTooLarge) status = 413;
  if (rejection.cause == server::RejectionCause::kBodyTimeout) status = 408;
  return {
      .status = status, .content_type = "text/plain", .body = "berth: " + rejection.message + "\n"};
}

// What can be known of a review that has arrived but cannot be read: what comes before the objects,
// and of an update also whether that is its fault, and who created what.
std::optional<Review> KnownOf(std::string_view body, kube::JsonParser& parser,
                              const Reviewer& reviewer) {
  std::optional<Review> known = ReadReviewFront(body.substr(0, kFrontBytes));
  if (!known || known->operation != policies::admission::Operation::kUpdate) return known;
  known->old_object = ReadOldObject(parser, body);
  const bool is_stored_readable = reviewer.CanReadStored(*known);
  known->old_object.reset();
  const absl::StatusOr<Review> outline = ReadReviewOutline(parser, body);
  if (outline.ok()) known = *outline;
  // Without an outline nobody could tell whether the creator is another one.
  known->update_is_to_blame = is_stored_readable || !outline.ok();
  return known;
}

std::string PathOf(Hook hook, const NamespaceRules& rules) {
  return std::string(hook == Hook::kMutate ? "/mutate" : "/validate") +
         (rules.mode == Mode::kEnforce ? "/enforce" : "/warn") +
         (rules.accelerator_nodes_allowed ? "/allow-accelerator-nodes" : "");
}

}  // namespace

Webhook::Webhook(std::shared_ptr<const Reviewer> reviewer, server::Metrics& metrics,
                 std::size_t max_body)
    : reviewer_(std::move(reviewer)), metrics_(metrics), max_body_(max_body) {}

void Webhook::Use(std::shared_ptr<const Reviewer> reviewer) {
  const std::lock_guard lock(mutex_);
  reviewer_.swap(reviewer);
}

std::shared_ptr<const Reviewer> Webhook::Current() const {
  const std::lock_guard lock(mutex_);
  return reviewer_;
}

std::vector<server::Route> Webhook::Routes() {
  std::vector<server::Route> routes;
  for (const Hook hook : {Hook::kMutate, Hook::kValidate}) {
    for (const Mode mode : {Mode::kEnforce, Mode::kWarn}) {
      for (const bool allowed : {false, true}) routes.push_back(RouteTo(hook, {mode, allowed}));
    }
  }
  return routes;
}

server::Route Webhook::RouteTo(Hook hook, const NamespaceRules& rules) {
  server::Route route{.method = "POST", .path = PathOf(hook, rules), .max_body = max_body_};
  route.reject_bytes = kFrontBytes;
  route.reject = [this, hook, rules](const server::Rejection& rejection) {
    return Reject(hook, rules, rejection);
  };
  route.handle = [this, hook, rules](const server::HttpRequest& request) {
    const auto start = std::chrono::steady_clock::now();
    server::HttpResponse response = Respond(hook, rules, request.body);
    metrics_.OnAnswered(hook, std::chrono::steady_clock::now() - start);
    return response;
  };
  return route;
}

server::HttpResponse Webhook::Respond(Hook hook, const NamespaceRules& rules,
                                      std::string_view body) {
  const ParserLease parser(body, kube::kMaxValues);
  const std::shared_ptr<const Reviewer> reviewer = Current();
  const absl::StatusOr<Review> review = ReadReview(*parser, body);
  if (!review.ok()) {
    const std::string reason(review.status().message());
    const std::optional<Review> known = KnownOf(body, *parser, *reviewer);
    if (known) return RespondUnread(hook, rules, *known, reason, Denial::kInvalid);
    metrics_.OnRefused(hook);
    return Refusal(review.status());
  }
  return Respond(hook, *review,
                 hook == Hook::kMutate ? reviewer->Mutate(*review, rules)
                                       : reviewer->Validate(*review, rules));
}

server::HttpResponse Webhook::Reject(Hook hook, const NamespaceRules& rules,
                                     const server::Rejection& rejection) {
  const auto front = ReadReviewFront(rejection.body.substr(0, kFrontBytes));
  if (!front) {
    metrics_.OnRefused(hook);
    return Refusal(rejection);
  }
  const bool too_large = rejection.cause == server::RejectionCause::kBodyTooLarge;
  return RespondUnread(hook, rules, *front, rejection.message,
                       too_large ? Denial::kTooLarge : Denial::kBusy);
}

server::HttpResponse Webhook::RespondUnread(Hook hook, const NamespaceRules& rules,
                                            const Review& known, std::string_view reason,
                                            Denial cause) {
  return Respond(hook, known, Current()->Unread(known, rules, reason, cause));
}

server::HttpResponse Webhook::Respond(Hook hook, const Review& review, const Verdict& verdict) {
  metrics_.OnReviewed(hook, review.operation, ResultOf(verdict), verdict.effects);
  log_.OnReviewed(review, verdict);
  return {.body = ReviewReply(review.uid, verdict.answer)};
}

}  // namespace berth::admission
