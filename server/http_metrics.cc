#include "server/http_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <map>
#include <mutex>
#include <utility>

namespace berth::server {
namespace {

constexpr char kOther[] = "other";

using prometheus::Counter;
using prometheus::Family;
using prometheus::Histogram;

// In seconds: from a lookup that finds nothing to the longest time that a client waits.
const Histogram::BucketBoundaries& Buckets() {
  static const auto& buckets = *new Histogram::BucketBoundaries{
      0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5};
  return buckets;
}

Family<Counter>& CounterFamily(Metrics& metrics, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(metrics.registry());
}

class MetricsObserver : public ListenerObserver {
 public:
  MetricsObserver(Metrics& metrics, std::string name, const std::vector<Route>& routes,
                  std::shared_ptr<ListenerObserver> next);

  void OnConnectionOpened() override;
  void OnConnectionClosed() override;
  void OnHandshakeFailed(HandshakeFailure cause) override;
  void OnLimit(Limit limit) override;
  void OnRequest(std::string_view path, int status, std::chrono::nanoseconds elapsed) override;
  void OnError(std::string_view message) override;

 private:
  struct Path {
    Histogram* seconds = nullptr;
    std::map<int, Counter*> by_status;
  };

  void AddPath(Metrics& metrics, const std::string& path);
  Counter& HandshakeCounter(HandshakeFailure cause);
  Counter& LimitCounter(Limit limit);
  Counter& RequestCounter(const std::string& path, Path& counts, int status);

  const std::string name_;
  const std::shared_ptr<ListenerObserver> next_;
  prometheus::Gauge& open_;
  Counter& accepted_;
  Counter& errors_;
  Family<Counter>& handshake_failures_;
  Family<Counter>& limits_hit_;
  Family<Counter>& requests_;
  std::mutex mutex_;
  std::map<std::string, Path, std::less<>> paths_;
};

MetricsObserver::MetricsObserver(Metrics& metrics, std::string name,
                                 const std::vector<Route>& routes,
                                 std::shared_ptr<ListenerObserver> next)
    : name_(std::move(name)),
      next_(next ? std::move(next) : std::make_shared<ListenerObserver>()),
      open_(prometheus::BuildGauge()
                .Name("berth_http_connections")
                .Help("Connections open now.")
                .Register(metrics.registry())
                .Add({{"listener", name_}})),
      accepted_(
          CounterFamily(metrics, "berth_http_connections_total", "Connections accepted and served.")
              .Add({{"listener", name_}})),
      errors_(CounterFamily(metrics, "berth_http_errors_total",
                            "Handlers that threw and connections that could not be accepted.")
                  .Add({{"listener", name_}})),
      handshake_failures_(CounterFamily(metrics, "berth_http_handshake_failures_total",
                                        "TLS handshakes that failed, by cause.")),
      limits_hit_(CounterFamily(metrics, "berth_http_limits_hit_total",
                                "Clients that hit a limit, by limit.")),
      requests_(CounterFamily(metrics, "berth_http_requests_total",
                              "Requests answered, by path and status code.")) {
  AddPath(metrics, kOther);
  for (const Route& route : routes) AddPath(metrics, route.path);
  // All series exist from the start, because a rate does not see the event that creates its series.
  for (const HandshakeFailure cause : kAllHandshakeFailures) HandshakeCounter(cause);
  for (const Limit limit : kAllLimits) LimitCounter(limit);
}

void MetricsObserver::AddPath(Metrics& metrics, const std::string& path) {
  Histogram& seconds =
      prometheus::BuildHistogram()
          .Name("berth_http_request_duration_seconds")
          .Help("From the end of a request's header to the end of its reply, by path.")
          .Register(metrics.registry())
          .Add({{"listener", name_}, {"path", path}}, Buckets());
  paths_[path].seconds = &seconds;
}

Counter& MetricsObserver::HandshakeCounter(HandshakeFailure cause) {
  return handshake_failures_.Add({{"listener", name_}, {"cause", std::string(Name(cause))}});
}

Counter& MetricsObserver::LimitCounter(Limit limit) {
  return limits_hit_.Add({{"listener", name_}, {"limit", std::string(Name(limit))}});
}

void MetricsObserver::OnConnectionOpened() {
  open_.Increment();
  accepted_.Increment();
  next_->OnConnectionOpened();
}

void MetricsObserver::OnConnectionClosed() {
  open_.Decrement();
  next_->OnConnectionClosed();
}

void MetricsObserver::OnHandshakeFailed(HandshakeFailure cause) {
  HandshakeCounter(cause).Increment();
  next_->OnHandshakeFailed(cause);
}

void MetricsObserver::OnLimit(Limit limit) {
  LimitCounter(limit).Increment();
  next_->OnLimit(limit);
}

void MetricsObserver::OnRequest(std::string_view path, int status,
                                std::chrono::nanoseconds elapsed) {
  const std::lock_guard lock(mutex_);
  auto found = paths_.find(path);
  if (found == paths_.end()) found = paths_.find(kOther);
  found->second.seconds->Observe(std::chrono::duration<double>(elapsed).count());
  RequestCounter(found->first, found->second, status).Increment();
  next_->OnRequest(path, status, elapsed);
}

Counter& MetricsObserver::RequestCounter(const std::string& path, Path& counts, int status) {
  Counter*& counter = counts.by_status[status];
  if (counter == nullptr) {
    counter =
        &requests_.Add({{"listener", name_}, {"path", path}, {"code", std::to_string(status)}});
  }
  return *counter;
}

void MetricsObserver::OnError(std::string_view message) {
  errors_.Increment();
  next_->OnError(message);
}

}  // namespace

std::shared_ptr<ListenerObserver> ObserveWithMetrics(Metrics& metrics, const std::string& name,
                                                     const std::vector<Route>& routes,
                                                     std::shared_ptr<ListenerObserver> next) {
  return std::make_shared<MetricsObserver>(metrics, name, routes, std::move(next));
}

}  // namespace berth::server
