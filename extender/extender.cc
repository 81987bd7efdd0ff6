#include "extender/extender.h"

#include <chrono>
#include <string>
#include <utility>

namespace berth::extender {

namespace {

using scheduling::Judgement;
using scheduling::ReasonId;

server::HttpResponse Json(std::string body) { return {.status = 200, .body = std::move(body)}; }

// Neither prioritize's reply nor preempt's has a field for errors.
server::HttpResponse Text(int status, std::string_view sentence) {
  return {.status = status, .content_type = "text/plain", .body = std::string(sentence) + "\n"};
}

// Measures one request from construction on.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds Elapsed() const { return Clock::now() - start_; }

 private:
  Clock::time_point start_ = Clock::now();
};

// Judges nodes by name for one pod.
class Judge {
 public:
  Judge(const scheduling::SchedulingEngine& engine, const cluster::Snapshot::Reader& view,
        const model::Pod& pod, model::Time now)
      : engine_(engine), view_(view), prepared_(engine.Prepare(pod, view, now)) {}

  Judgement operator()(std::string_view name) const {
    const auto index = view_.Find(name);
    if (!index) return {.fits = false, .reason = engine_.unknown_node()};
    return prepared_.Judge(*view_.At(*index));
  }

 private:
  const scheduling::SchedulingEngine& engine_;
  const cluster::Snapshot::Reader& view_;
  scheduling::PreparedPod prepared_;
};

}  // namespace

Extender::Extender(std::shared_ptr<const scheduling::SchedulingEngine> engine,
                   const cluster::Snapshot& snapshot, server::Metrics& metrics,
                   ExtenderOptions options)
    : engine_(std::move(engine)),
      snapshot_(snapshot),
      metrics_(metrics, engine_->reasons()),
      options_(std::move(options)) {}

std::vector<server::Route> Extender::Routes() {
  server::Route filter{.method = "POST", .path = "/filter", .max_body = options_.max_body};
  filter.handle = [this](const server::HttpRequest& request) { return HandleFilter(request.body); };
  filter.reject = [](const server::Rejection& rejection) {
    return Json(FilterErrorReply("berth: " + rejection.message));
  };
  server::Route prioritize{.method = "POST", .path = "/prioritize", .max_body = options_.max_body};
  prioritize.handle = [this](const server::HttpRequest& request) {
    return HandlePrioritize(request.body);
  };
  return {std::move(filter), std::move(prioritize)};
}

absl::StatusOr<ExtenderArgs> Extender::Read(std::string_view body) const {
  // Of the thread, because its buffers are as large as the largest request and worth keeping.
  thread_local ArgsReader reader;
  // Before the first list every node would look unknown, and the pod unschedulable for good.
  if (!snapshot_.Synced()) {
    return absl::UnavailableError("the cluster's nodes and pods are not listed yet; see /readyz");
  }
  return reader.Read(body);
}

server::HttpResponse Extender::HandleFilter(std::string_view body) {
  const Stopwatch stopwatch;
  const auto args = Read(body);
  server::HttpResponse response =
      args.ok() ? Json(FilterReply(Filter(*args)))
                : Json(FilterErrorReply("berth: " + std::string(args.status().message())));
  metrics_.OnAnswered(Verb::kFilter, args.ok(), stopwatch.Elapsed());
  return response;
}

server::HttpResponse Extender::HandlePrioritize(std::string_view body) {
  const Stopwatch stopwatch;
  const auto args = Read(body);
  server::HttpResponse response = args.ok()
                                      ? Json(PrioritizeReply(args->node_names, Prioritize(*args)))
                                      : Text(absl::IsUnavailable(args.status()) ? 503 : 400,
                                             "berth: " + std::string(args.status().message()));
  metrics_.OnAnswered(Verb::kPrioritize, args.ok(), stopwatch.Elapsed());
  return response;
}

FilterResult Extender::Filter(const ExtenderArgs& args) {
  const cluster::Snapshot::Reader view = snapshot_.Read();
  const Judge judge(*engine_, view, args.pod, options_.now());
  FilterResult result;
  result.node_names.reserve(args.node_names.size());
  std::vector<std::pair<std::string_view, ReasonId>> refused;
  std::vector<std::size_t> counts(engine_->reasons().size());
  for (const std::string_view name : args.node_names) {
    const Judgement judgement = judge(name);
    if (judgement.fits) {
      result.node_names.push_back(name);
      continue;
    }
    refused.emplace_back(name, judgement.reason);
    ++counts[judgement.reason];
  }
  metrics_.OnRefused(counts);
  // With a node to go to nobody reads them, and kube-scheduler spends milliseconds decoding them.
  if (!result.node_names.empty()) return result;
  for (const auto& [name, id] : refused) {
    const scheduling::Reason& reason = engine_->reasons()[id];
    (reason.curable_by_preemption ? result.failed : result.unresolvable)
        .push_back({name, reason.text});
  }
  return result;
}

std::vector<std::int64_t> Extender::Prioritize(const ExtenderArgs& args) {
  const cluster::Snapshot::Reader view = snapshot_.Read();
  const Judge judge(*engine_, view, args.pod, options_.now());
  // Ranked among themselves: what does not fit must not stretch the scale.
  std::vector<std::uint32_t> scores;
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < args.node_names.size(); ++i) {
    const Judgement judgement = judge(args.node_names[i]);
    if (!judgement.fits) continue;
    scores.push_back(judgement.score);
    fitting.push_back(i);
  }
  const std::vector<std::int64_t> among_fitting = scheduling::Rank(scores);
  std::vector<std::int64_t> ranks(args.node_names.size());
  for (std::size_t i = 0; i < fitting.size(); ++i) ranks[fitting[i]] = among_fitting[i];
  return ranks;
}

}  // namespace berth::extender
