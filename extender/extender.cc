#include "extender/extender.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace berth::extender {

namespace {

server::HttpResponse Json(std::string body) { return {.status = 200, .body = std::move(body)}; }

int HttpStatusOf(const absl::Status& error) {
  if (absl::IsUnavailable(error)) return 503;
  return absl::IsResourceExhausted(error) ? 413 : 400;
}

// The listener accepts as many bytes as whole nodes may take. That a request with names must be
// smaller is checked only here.
std::optional<server::Limit> LimitOf(const absl::Status& error) {
  if (!absl::IsResourceExhausted(error)) return std::nullopt;
  return server::Limit::kBodyBytes;
}

server::HttpResponse FilterError(const absl::Status& error) {
  server::HttpResponse response = Json(FilterErrorReply("berth: " + std::string(error.message())));
  response.limit = LimitOf(error);
  return response;
}

// The replies of prioritize and preempt have no field for errors.
server::HttpResponse Text(const absl::Status& error) {
  return {.status = HttpStatusOf(error),
          .content_type = "text/plain",
          .body = "berth: " + std::string(error.message()) + "\n",
          .limit = LimitOf(error)};
}

// Measures the time since its construction.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds Elapsed() const { return Clock::now() - start_; }

 private:
  Clock::time_point start_ = Clock::now();
};

absl::Status NotListedYet() {
  return absl::UnavailableError("the cluster's nodes and pods are not listed yet; see /readyz");
}

// Before the first list, every node would look unknown, and the pod would be unschedulable for
// good.
bool CanAnswer(const Placer& placer, const ExtenderArgs& args) {
  return args.given || placer.snapshot().Synced();
}

}  // namespace

Extender::Extender(std::shared_ptr<Placer> placer, server::Metrics& metrics,
                   ExtenderOptions options)
    : placer_(std::move(placer)), metrics_(metrics), options_(std::move(options)) {}

void Extender::Use(std::shared_ptr<Placer> placer) {
  const std::lock_guard lock(mutex_);
  placer_.swap(placer);
}

std::shared_ptr<Placer> Extender::Current() const {
  const std::lock_guard lock(mutex_);
  return placer_;
}

std::vector<server::Route> Extender::Routes() {
  server::Route filter = RouteTo("/filter", Verb::kFilter, &Extender::AnswerFilter);
  filter.reject = [](const server::Rejection& rejection) {
    return Json(FilterErrorReply("berth: " + rejection.message));
  };
  return {std::move(filter), RouteTo("/prioritize", Verb::kPrioritize, &Extender::AnswerPrioritize),
          RouteTo("/preempt", Verb::kPreempt, &Extender::AnswerPreempt)};
}

server::Route Extender::RouteTo(std::string path, Verb verb, Answer answer) {
  // Whether a request contains whole nodes is known only after it was read.
  const std::size_t limit = std::max(options_.max_body, options_.max_nodes_body);
  server::Route route{.method = "POST", .path = std::move(path), .max_body = limit};
  route.handle = [this, verb, answer](const server::HttpRequest& request) {
    const Stopwatch stopwatch;
    bool ok = true;
    server::HttpResponse response = (this->*answer)(request.body, ok);
    metrics_.OnAnswered(verb, ok, stopwatch.Elapsed());
    return response;
  };
  return route;
}

absl::Status Extender::CheckSize(std::string_view body) const {
  if (body.size() <= std::min(options_.max_body, options_.max_nodes_body)) return absl::OkStatus();
  const bool whole_nodes = BringsWholeObjects(body);
  const std::size_t limit = whole_nodes ? options_.max_nodes_body : options_.max_body;
  if (body.size() <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError("the request has " + std::to_string(body.size()) +
                                      " bytes, more than the " + std::to_string(limit) +
                                      " of extender." +
                                      (whole_nodes ? "maxNodesBodyBytes" : "maxBodyBytes"));
}

absl::StatusOr<ExtenderArgs> Extender::Read(ArgsReader& reader, const Placer& placer,
                                            std::string_view body) const {
  const absl::Status size = CheckSize(body);
  if (!size.ok()) return size;
  auto args = reader.Read(body);
  if (!args.ok()) return args;
  if (!CanAnswer(placer, *args)) return NotListedYet();
  return args;
}

absl::StatusOr<PreemptionArgs> Extender::ReadPreemption(ArgsReader& reader,
                                                        std::string_view body) const {
  const absl::Status size = CheckSize(body);
  if (!size.ok()) return size;
  return reader.ReadPreemption(body);
}

server::HttpResponse Extender::AnswerFilter(std::string_view body, bool& ok) {
  const std::shared_ptr<Placer> placer = Current();
  const ReaderLease reader(body);
  const auto args = Read(*reader, *placer, body);
  ok = args.ok();
  if (!ok) return FilterError(args.status());
  return Json(FilterReply(*args, placer->Filter(*args, options_.now())));
}

server::HttpResponse Extender::AnswerPrioritize(std::string_view body, bool& ok) {
  const std::shared_ptr<Placer> placer = Current();
  const ReaderLease reader(body);
  const auto args = Read(*reader, *placer, body);
  ok = args.ok();
  if (!ok) return Text(args.status());
  return Json(PrioritizeReply(args->node_names, placer->Prioritize(*args, options_.now())));
}

server::HttpResponse Extender::AnswerPreempt(std::string_view body, bool& ok) {
  const std::shared_ptr<Placer> placer = Current();
  const ReaderLease reader(body);
  auto args = ReadPreemption(*reader, body);
  if (args.ok() && !placer->snapshot().Synced()) args = NotListedYet();
  ok = args.ok();
  if (!ok) return Text(args.status());
  return Json(PreemptReply(placer->Preempt(*args, options_.now())));
}

}  // namespace berth::extender
