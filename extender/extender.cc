#include "extender/extender.h"

#include <chrono>
#include <string>
#include <utility>

namespace berth::extender {

namespace {

using scheduling::Judgement;

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

// Ranked among those that fit: what does not must not stretch the scale.
std::vector<std::int64_t> RanksOf(std::span<const Judgement> judgements) {
  std::vector<std::uint32_t> scores;
  for (const Judgement& judgement : judgements) {
    if (judgement.fits) scores.push_back(judgement.score);
  }
  const std::vector<std::int64_t> among_fitting = scheduling::Rank(scores);
  std::vector<std::int64_t> ranks(judgements.size());
  auto next = among_fitting.begin();
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (judgements[i].fits) ranks[i] = *next++;
  }
  return ranks;
}

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

Extender::Judged Extender::JudgeAll(const cluster::Snapshot::Reader& view,
                                    const ExtenderArgs& args) {
  const model::Time now = options_.now();
  Judged judged{now, engine_->Prepare(args.pod, view, now), {}};
  auto lookup = cache_.Open(engine_->ShapeOf(args.pod), now, view.EndIndex());
  judged.judgements.reserve(args.node_names.size());
  for (const std::string_view name : args.node_names) {
    const auto index = view.Find(name);
    judged.judgements.push_back(index
                                    ? lookup.Judge(judged.prepared, *index, *view.At(*index))
                                    : Judgement{.fits = false, .reason = engine_->unknown_node()});
  }
  return judged;
}

void Extender::Report(Verb verb, const ExtenderArgs& args, const Judged& judged,
                      const model::ClusterView& view, DecisionReport& report) const {
  if (!report.Wanted()) return;
  const std::vector<std::int64_t> ranks = RanksOf(judged.judgements);
  const Answered answered{verb, args.pod, judged.now, args.node_names, judged.judgements, ranks};
  report.Set(Decide(answered, judged.prepared, view, engine_->reasons()));
}

FilterResult Extender::Filter(const ExtenderArgs& args) {
  DecisionReport report(options_.observers);
  const cluster::Snapshot::Reader view = snapshot_.Read();
  const Judged judged = JudgeAll(view, args);
  const std::vector<Judgement>& judgements = judged.judgements;
  FilterResult result;
  result.node_names.reserve(judgements.size());
  std::vector<std::size_t> counts(engine_->reasons().size());
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    if (judgements[i].fits) {
      result.node_names.push_back(args.node_names[i]);
    } else {
      ++counts[judgements[i].reason];
    }
  }
  metrics_.OnRefused(counts);
  // With more to choose from, prioritize decides.
  if (result.node_names.size() <= 1) Report(Verb::kFilter, args, judged, view, report);
  // With a node to go to nobody reads them, and kube-scheduler spends milliseconds decoding them.
  if (!result.node_names.empty()) return result;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const scheduling::Reason& reason = engine_->reasons()[judgements[i].reason];
    (reason.curable_by_preemption ? result.failed : result.unresolvable)
        .push_back({args.node_names[i], reason.text});
  }
  return result;
}

std::vector<std::int64_t> Extender::Prioritize(const ExtenderArgs& args) {
  DecisionReport report(options_.observers);
  const cluster::Snapshot::Reader view = snapshot_.Read();
  const Judged judged = JudgeAll(view, args);
  Report(Verb::kPrioritize, args, judged, view, report);
  return RanksOf(judged.judgements);
}

}  // namespace berth::extender
