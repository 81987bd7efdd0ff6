#include "server/exchange.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <exception>
#include <utility>

namespace berth::server {
namespace {

constexpr char kText[] = "text/plain; charset=utf-8";

void ReportThrow(ListenerObserver& observer, const Route& route, std::string_view what) {
  observer.OnError(
      absl::StrCat("handler of ", route.method, " ", route.path, " threw: ", std::string(what)));
}

// Runs code of the route. An exception becomes status 500.
template <class Function>
HttpResponse Guarded(ListenerObserver& observer, const Route& route, const Function& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    ReportThrow(observer, route, error.what());
  } catch (...) {
    ReportThrow(observer, route, "an object that is no std::exception");
  }
  return {500, kText, "internal error\n"};
}

// Refuses headers that leave open where the message ends or whom it is for (RFC 9112, 3.2 and 6.1).
std::optional<Reply> RefuseAmbiguous(const RequestHead& head) {
  if (head.version >= 11 && head.host_fields != 1) {
    return Refusal(400, "bad request: exactly one Host header is expected");
  }
  if (head.has_transfer_encoding && !head.chunked) {
    return Refusal(501, "the only supported Transfer-Encoding is chunked");
  }
  const absl::string_view expect(head.expect.data(), head.expect.size());
  if (!expect.empty() && !absl::EqualsIgnoreCase(expect, "100-continue")) {
    return Refusal(417, "the only supported Expect is 100-continue");
  }
  return std::nullopt;
}

Reply RefuseUnrouted(const Router::Match& match, const RequestHead& head) {
  const bool known = !match.allow.empty();
  Reply reply = Refusal(known ? 405 : 404,
                        known ? "this path takes " + match.allow : "there is nothing at this path");
  reply.allow = match.allow;
  reply.close = head.chunked || head.content_length > 0;
  return reply;
}

std::string Sentence(const ListenerLimits& limits, const Route& route, RejectionCause cause) {
  if (cause == RejectionCause::kBodyTooLarge) {
    return absl::StrCat("the request body is larger than ", route.max_body, " bytes");
  }
  if (cause == RejectionCause::kBodiesTooMany) {
    return absl::StrCat("other requests hold the ", limits.bodies_bytes,
                        " bytes that bodies and replies may take together; try again");
  }
  if (cause == RejectionCause::kReplyTooLarge) {
    return absl::StrCat("the reply does not fit into the ", limits.bodies_bytes,
                        " bytes that bodies and replies may take together; send a smaller request");
  }
  return absl::StrCat("the request body did not arrive within ", limits.body.count(), " ms");
}

struct Meaning {
  int status;
  Limit limit;
};

Meaning MeaningOf(RejectionCause cause) {
  switch (cause) {
    case RejectionCause::kBodyTooLarge:
      return {413, Limit::kBodyBytes};
    case RejectionCause::kBodyTimeout:
      return {408, Limit::kBodyTime};
    case RejectionCause::kBodiesTooMany:
    case RejectionCause::kReplyTooLarge:
      break;
  }
  return {503, Limit::kBodiesAtOnce};
}

HttpResponse DefaultAnswer(const Rejection& rejection) {
  return {MeaningOf(rejection.cause).status, kText, rejection.message + "\n"};
}

}  // namespace

Reply Refusal(int status, std::string sentence) {
  return {{status, kText, std::move(sentence) + "\n"}, "", /*close=*/true};
}

std::optional<Reply> RefuseByHead(ListenerObserver& observer, const ListenerLimits& limits,
                                  const Router::Match& match, const RequestHead& head) {
  if (auto refusal = RefuseAmbiguous(head)) return refusal;
  if (match.route == nullptr) return RefuseUnrouted(match, head);
  const bool waits = !head.expect.empty();
  if (head.content_length > match.route->max_body && (waits || match.route->reject_bytes == 0)) {
    return RejectBody(observer, limits, *match.route, RejectionCause::kBodyTooLarge);
  }
  return std::nullopt;
}

Reply RejectBody(ListenerObserver& observer, const ListenerLimits& limits, const Route& route,
                 RejectionCause cause, std::string_view front) {
  observer.OnLimit(MeaningOf(cause).limit);
  const Rejection rejection{cause, Sentence(limits, route, cause), front};
  const auto words = [&] {
    return route.reject ? route.reject(rejection) : DefaultAnswer(rejection);
  };
  return {Guarded(observer, route, words), "", /*close=*/true};
}

Reply Handle(ListenerObserver& observer, const Route& route, const HttpRequest& request) {
  HttpResponse response = Guarded(observer, route, [&] { return route.handle(request); });
  if (response.limit) observer.OnLimit(*response.limit);
  return {std::move(response), "", /*close=*/false};
}

}  // namespace berth::server
