#include "usage/prometheus.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "kube/api_reply.h"
#include "kube/http_client.h"
#include "kube/json.h"
#include "kube/json_value.h"
#include "kube/query.h"
#include "kube/server_url.h"
#include "model/duration.h"

namespace berth::usage {

namespace {

using kube::JsonValue;

constexpr std::size_t kMaxQuoted = 300;

std::string BeginningOf(std::string_view text) { return std::string(text.substr(0, kMaxQuoted)); }

absl::StatusCode CodeOfReply(int http_status) {
  switch (http_status) {
    case 400:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
    case 403:
      return absl::StatusCode::kPermissionDenied;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

// The beginning of what Prometheus says is wrong, or of what a proxy said instead.
std::string ReasonIn(std::string_view body) {
  kube::JsonParser parser;
  const auto root = parser.Parse(body);
  if (root.ok()) {
    absl::Status error;
    const JsonValue reply(*root, kube::Path(""), error);
    const std::string_view reason = reply.Field("error").String();
    if (error.ok() && !reason.empty()) return BeginningOf(reason);
  }
  return body.empty() ? "no reason was given" : BeginningOf(body);
}

// [1700000000.123, "0.5"]
double ValueIn(const JsonValue& pair) {
  double value = std::nan("");
  pair.ForEachPlace([&value](std::size_t place, const JsonValue& item) {
    if (place != 1) return;
    const std::string text = item.Text();
    if (!absl::SimpleAtod(text, &value)) {
      item.Report(fmt::format("\"{}\" is no number", BeginningOf(text)));
    }
  });
  return value;
}

}  // namespace

std::string_view Sample::Label(std::string_view name) const {
  return model::Find(labels, name).value_or(std::string_view());
}

absl::StatusOr<std::unique_ptr<Prometheus>> Prometheus::Make(const PrometheusConfig& config) {
  kube::ApiConfig server;
  const absl::Status parsed = kube::ParseHttpUrl(config.url, server);
  if (!parsed.ok()) return parsed;
  if (!config.token_file.empty()) server.token = kube::TextSource::File(config.token_file);
  if (!config.ca_file.empty()) {
    server.certificate_authority = kube::TextSource::File(config.ca_file);
  }
  kube::HttpTimeouts timeouts;
  timeouts.head = config.timeout;
  return std::make_unique<Prometheus>(
      std::make_unique<kube::HttpClient>(std::move(server), timeouts), config);
}

Prometheus::Prometheus(std::unique_ptr<kube::Transport> transport, const PrometheusConfig& config)
    : transport_(std::move(transport)),
      url_(config.url),
      matchers_(config.matchers),
      timeout_(config.timeout) {}

absl::StatusOr<std::vector<Sample>> Prometheus::Query(const std::string& expression) {
  kube::HttpRequest request;
  request.target = kube::Target("/api/v1/query")
                       .With("query", expression)
                       .With("timeout", model::FormatDuration(timeout_))
                       .text();
  request.accept = "application/json";
  kube::BodySink sink(kMaxReply);
  const absl::Status sent = transport_->Send(request, sink);
  if (absl::IsCancelled(sent)) return sent;
  if (!sent.ok()) {
    return absl::UnavailableError(
        fmt::format("Prometheus at {}: {}", url_, std::string(sent.message())));
  }
  if (sink.head().status != 200) {
    return absl::Status(CodeOfReply(sink.head().status),
                        fmt::format("Prometheus at {}: {}: {}, to the query {}", url_,
                                    sink.head().status, ReasonIn(sink.body()), expression));
  }
  auto samples = SamplesFromJson(sink.body());
  if (samples.ok()) return samples;
  return absl::UnavailableError(fmt::format("Prometheus at {}: {}, to the query {}", url_,
                                            std::string(samples.status().message()), expression));
}

absl::StatusOr<std::vector<Sample>> SamplesFromJson(std::string_view body) {
  kube::JsonParser parser;
  const auto root = parser.Parse(body);
  if (!root.ok()) return root.status();
  absl::Status error;
  const JsonValue reply(*root, kube::Path("answer"), error);
  const JsonValue status = reply.Field("status");
  if (status.String() != "success") status.Report("is not \"success\"");
  // As of Thanos, if it has not reached every store: what is missing would count as not used.
  const JsonValue warnings = reply.Field("warnings");
  warnings.ForEachItem([](const JsonValue& warning) {
    const std::string text = warning.Text();
    // Prometheus 2.48 to 2.53 gives advice on the query here, and later versions under "infos".
    if (text.starts_with("PromQL info: ")) return;
    warning.Report(fmt::format("the answer is not whole: {}", BeginningOf(text)));
  });
  // As of VictoriaMetrics, if it has not reached every storage node.
  if (reply.Field("isPartial").Boolean()) status.Report("the answer is not whole");
  const JsonValue data = reply.Field("data");
  const JsonValue type = data.Field("resultType");
  if (type.String() != "vector") type.Report("is no vector; the query must return one");
  if (!error.ok()) return error;
  std::vector<Sample> samples;
  data.Field("result").ForEachItem([&samples](const JsonValue& item) {
    Sample sample{.labels = item.Field("metric").StringMap(),
                  .value = ValueIn(item.Field("value"))};
    if (!std::isnan(sample.value)) samples.push_back(std::move(sample));
  });
  if (!error.ok()) return error;
  return samples;
}

}  // namespace berth::usage
