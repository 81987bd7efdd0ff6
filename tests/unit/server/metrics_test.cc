#include "server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>

#include "server/http_metrics.h"

namespace berth::server {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(MetricsTest, WritesTheTextFormat) {
  const auto metrics = std::make_shared<Metrics>();
  prometheus::BuildCounter()
      .Name("berth_things_total")
      .Help("Things.")
      .Register(metrics->registry())
      .Add({{"kind", "a \"quoted\" one"}})
      .Increment(2);
  const HttpResponse response = MetricsRoute(metrics).handle({});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(response.body,
            "# HELP berth_things_total Things.\n"
            "# TYPE berth_things_total counter\n"
            "berth_things_total{kind=\"a \\\"quoted\\\" one\"} 2\n");
}

TEST(MetricsTest, ReadsGaugesWhenAsked) {
  Metrics metrics;
  double left = 10;
  metrics.AddGauge("berth_left_seconds", "Left.", {{"of", "x"}}, [&] { return left; });
  EXPECT_THAT(metrics.Exposition(), HasSubstr("\nberth_left_seconds{of=\"x\"} 10\n"));
  left = -1.5;
  EXPECT_THAT(metrics.Exposition(), HasSubstr("\nberth_left_seconds{of=\"x\"} -1.5\n"));
}

TEST(MetricsTest, AFloodIsAnsweredFromWhatWasWorkedOutLast) {
  const auto metrics = std::make_shared<Metrics>();
  int worked_out = 0;
  metrics->AddGauge("berth_x", "X.", {}, [&] { return ++worked_out; });
  const Route route = MetricsRoute(metrics);
  constexpr int kScrapes = 10'000;
  for (int i = 0; i < kScrapes; ++i) {
    EXPECT_THAT(route.handle({}).body, HasSubstr("\nberth_x "));
  }
  EXPECT_GE(worked_out, 20);
  EXPECT_LT(worked_out, kScrapes / 10);
}

TEST(MetricsTest, SaysWhatWasBuilt) {
  Metrics metrics;
  metrics.AddBuildInfo("1.2.3", "abcdef");
  const std::string text = metrics.Exposition();
  EXPECT_THAT(text, HasSubstr("berth_build_info{"));
  EXPECT_THAT(text, HasSubstr("version=\"1.2.3\""));
  EXPECT_THAT(text, HasSubstr("revision=\"abcdef\""));
  EXPECT_THAT(text, HasSubstr("compiler=\"" __VERSION__ "\""));
}

class HttpMetricsTest : public ::testing::Test {
 protected:
  HttpMetricsTest() {
    Route route;
    route.path = "/filter";
    observer = ObserveWithMetrics(metrics, "extender", {route});
  }

  void ExpectSample(const std::string& sample) {
    EXPECT_THAT(metrics.Exposition(), HasSubstr("\n" + sample + "\n"));
  }

  Metrics metrics;
  std::shared_ptr<ListenerObserver> observer;
};

TEST_F(HttpMetricsTest, CountsConnections) {
  observer->OnConnectionOpened();
  observer->OnConnectionOpened();
  observer->OnConnectionClosed();
  ExpectSample("berth_http_connections{listener=\"extender\"} 1");
  ExpectSample("berth_http_connections_total{listener=\"extender\"} 2");
}

TEST_F(HttpMetricsTest, CountsWhatGoesWrongByCause) {
  observer->OnHandshakeFailed(HandshakeFailure::kVersion);
  observer->OnLimit(Limit::kConnections);
  observer->OnLimit(Limit::kConnections);
  observer->OnError("a handler threw");
  ExpectSample("berth_http_handshake_failures_total{cause=\"version\",listener=\"extender\"} 1");
  ExpectSample("berth_http_limits_hit_total{limit=\"connections\",listener=\"extender\"} 2");
  ExpectSample("berth_http_errors_total{listener=\"extender\"} 1");
}

TEST_F(HttpMetricsTest, CountsFromZero) {
  for (const HandshakeFailure cause : kAllHandshakeFailures) {
    ExpectSample("berth_http_handshake_failures_total{cause=\"" + std::string(Name(cause)) +
                 "\",listener=\"extender\"} 0");
  }
  for (const Limit limit : kAllLimits) {
    ExpectSample("berth_http_limits_hit_total{limit=\"" + std::string(Name(limit)) +
                 "\",listener=\"extender\"} 0");
  }
}

TEST_F(HttpMetricsTest, MeasuresRequestsByPath) {
  observer->OnRequest("/filter", 200, milliseconds(2));
  observer->OnRequest("/filter", 200, milliseconds(4));
  observer->OnRequest("/filter", 500, milliseconds(4));
  const std::string filter = "listener=\"extender\",path=\"/filter\"";
  ExpectSample("berth_http_requests_total{code=\"200\"," + filter + "} 2");
  ExpectSample("berth_http_requests_total{code=\"500\"," + filter + "} 1");
  ExpectSample("berth_http_request_duration_seconds_count{" + filter + "} 3");
  ExpectSample("berth_http_request_duration_seconds_bucket{" + filter + ",le=\"0.002\"} 1");
  ExpectSample("berth_http_request_duration_seconds_bucket{" + filter + ",le=\"0.005\"} 3");
}

// Or whoever asks for many paths fills the memory of Prometheus.
TEST_F(HttpMetricsTest, PutsUnknownPathsTogether) {
  observer->OnRequest("", 404, milliseconds(1));
  observer->OnRequest("/surprise", 404, milliseconds(1));
  ExpectSample("berth_http_requests_total{code=\"404\",listener=\"extender\",path=\"other\"} 2");
}

TEST_F(HttpMetricsTest, KeepsListenersApart) {
  ObserveWithMetrics(metrics, "probes", {})->OnConnectionOpened();
  ExpectSample("berth_http_connections{listener=\"probes\"} 1");
  ExpectSample("berth_http_connections{listener=\"extender\"} 0");
}

class Next : public ListenerObserver {
 public:
  void OnConnectionOpened() override { told += "opened "; }
  void OnConnectionClosed() override { told += "closed "; }
  void OnHandshakeFailed(HandshakeFailure) override { told += "handshake "; }
  void OnLimit(Limit) override { told += "limit "; }
  void OnRequest(std::string_view, int, std::chrono::nanoseconds) override { told += "request "; }
  void OnError(std::string_view message) override { told += message; }

  std::string told;
};

TEST_F(HttpMetricsTest, PassesEverythingOn) {
  const auto next = std::make_shared<Next>();
  const auto first = ObserveWithMetrics(metrics, "extender", {}, next);
  first->OnConnectionOpened();
  first->OnHandshakeFailed(HandshakeFailure::kOther);
  first->OnLimit(Limit::kBodyTime);
  first->OnRequest("/", 200, milliseconds(1));
  first->OnConnectionClosed();
  first->OnError("error");
  EXPECT_EQ(next->told, "opened handshake limit request closed error");
}

}  // namespace
}  // namespace berth::server
