#include "admission/webhook.h"

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace berth::webhook {

namespace {

using admission::Mode;

// The parser keeps some fourteen times as much per thread.
constexpr std::size_t kLargestKeptBody = 1 << 20;

// A parser for one body: the thread's own, or one that goes with a body that is unusually large.
class ParserLease {
 public:
  explicit ParserLease(std::string_view body) {
    thread_local kube::JsonParser kept;
    if (body.size() > kLargestKeptBody) own_.emplace();
    parser_ = own_ ? &*own_ : &kept;
  }
  kube::JsonParser& operator*() const { return *parser_; }

 private:
  std::optional<kube::JsonParser> own_;
  kube::JsonParser* parser_;
};

Result ResultOf(const Verdict& verdict) {
  if (verdict.unreadable) return Result::kUnreadable;
  if (!verdict.answer.denial.empty()) return Result::kDenied;
  return verdict.answer.patch.empty() ? Result::kAllowed : Result::kChanged;
}

// Without a uid there is nothing that a review could answer.
server::HttpResponse Refusal(const absl::Status& error) {
  return {.status = 400,
          .content_type = "text/plain",
          .body = "berth: " + std::string(error.message()) + "\n"};
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
  const ParserLease parser(body);
  const absl::StatusOr<Review> review = ReadReview(*parser, body);
  if (!review.ok()) {
    metrics_.OnRefused(hook);
    return Refusal(review.status());
  }
  const std::shared_ptr<const Reviewer> reviewer = Current();
  const Verdict verdict =
      hook == Hook::kMutate ? reviewer->Mutate(*review, rules) : reviewer->Validate(*review, rules);
  metrics_.OnReviewed(hook, review->operation, ResultOf(verdict), verdict.effects);
  log_.OnReviewed(*review, verdict);
  return {.body = ReviewReply(review->uid, verdict.answer)};
}

}  // namespace berth::webhook
