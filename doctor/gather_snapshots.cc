#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "doctor/gather.h"
#include "kube/api_reply.h"

namespace berth::doctor {

namespace {

using kube::JsonValue;

constexpr std::size_t kMaxMetrics = std::size_t{16} << 20;

// The values of a gauge in Prometheus' text format, one for each set of labels.
std::vector<double> ValuesOf(const std::string& metrics, std::string_view gauge) {
  std::vector<double> values;
  for (const absl::string_view line : absl::StrSplit(metrics, '\n')) {
    const std::string_view text(line.data(), line.size());
    const bool is_it = text.starts_with(gauge) && text.size() > gauge.size() &&
                       (text[gauge.size()] == '{' || text[gauge.size()] == ' ');
    double value = 0;
    if (!is_it || !absl::SimpleAtod(line.substr(line.rfind(' ') + 1), &value)) continue;
    values.push_back(value);
  }
  return values;
}

std::optional<double> Greatest(const std::string& metrics, std::string_view gauge) {
  const std::vector<double> values = ValuesOf(metrics, gauge);
  if (values.empty()) return std::nullopt;
  return *std::max_element(values.begin(), values.end());
}

double Sum(const std::string& metrics, std::string_view gauge) {
  const std::vector<double> values = ValuesOf(metrics, gauge);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

SnapshotFacts Ask(kube::Transport& transport, const Place& place, const std::string& pod,
                  const std::string& port) {
  SnapshotFacts facts{.pod = pod};
  kube::HttpRequest request;
  request.target = fmt::format("/api/v1/namespaces/{}/pods/{}:{}/proxy/metrics",
                               place.namespace_name, pod, port);
  kube::BodySink sink(kMaxMetrics);
  const absl::Status sent = transport.Send(request, sink);
  if (!sent.ok()) {
    facts.unreachable = std::string(sent.message());
  } else if (sink.head().status == 403) {
    facts.unreachable = "no right to get pods/proxy in namespace " + place.namespace_name;
  } else if (sink.head().status != 200) {
    facts.unreachable = fmt::format("the API server answers {} for it", sink.head().status);
  } else if (Greatest(sink.body(), "berth_snapshot_synced") == 1) {
    facts.age_seconds = Greatest(sink.body(), "berth_snapshot_age_seconds");
    facts.quarantined = Sum(sink.body(), "berth_quarantined_objects");
  }
  return facts;
}

}  // namespace

absl::StatusOr<std::vector<SnapshotFacts>> GatherSnapshots(kube::Transport& transport,
                                                           const Place& place,
                                                           const std::string& port) {
  kube::Api api(&transport);
  std::vector<std::string> pods;
  const absl::Status listed = api.List(
      fmt::format("/api/v1/namespaces/{}/pods", place.namespace_name),
      NeedsOf(Source::kSnapshots, place).front(),
      [&pods](const JsonValue& pod) {
        const JsonValue metadata = pod.Field("metadata");
        pods.emplace_back(metadata.Field("name").String());
      },
      {.labels = fmt::format("app.kubernetes.io/instance={},app.kubernetes.io/component=extender",
                             place.release)});
  if (!listed.ok()) return listed;
  std::vector<SnapshotFacts> all;
  all.reserve(pods.size());
  for (const std::string& pod : pods) all.push_back(Ask(transport, place, pod, port));
  return all;
}

}  // namespace berth::doctor
