#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/transport.h"
#include "usage/prometheus.h"

namespace berth::usage {

/// A Prometheus that answers queries that contain a text with a body, in the order of their
/// addition. Queries that nobody knows have an empty result.
class FakePrometheus final : public kube::Transport {
 public:
  /// `result` is the content of data.result.
  void Answer(std::string in_query, const std::string& result) {
    answers.emplace_back(std::move(in_query), Body(result));
  }

  static std::string Body(const std::string& result) {
    return R"({"status":"success","data":{"resultType":"vector","result":[)" + result + "]}}";
  }

  /// {"metric":{...},"value":[1,"5"]}
  static std::string Series(const std::map<std::string, std::string>& labels, double value) {
    std::string metric;
    for (const auto& [name, text] : labels) {
      metric += (metric.empty() ? "\"" : ",\"") + name + "\":\"" + text + "\"";
    }
    return R"({"metric":{)" + metric + R"(},"value":[1780315200.5,")" + std::to_string(value) +
           "\"]}";
  }

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
    targets.push_back(request.target);
    if (!failure.ok()) return failure;
    std::string body = status == 200 ? Body("") : refusal;
    for (const auto& [in_query, answer] : answers) {
      if (status == 200 && request.target.find(in_query) != std::string::npos) {
        body = answer;
        break;
      }
    }
    const absl::Status head = sink.OnHead({.status = status, .content_type = "application/json"});
    return head.ok() ? sink.OnBody(body) : head;
  }
  void Stop() override {}

  std::vector<std::pair<std::string, std::string>> answers;
  int status = 200;
  std::string refusal;
  absl::Status failure;
  std::vector<std::string> targets;
};

/// A client of `fake`, which must outlive it. The URL of `config` is not used.
inline std::unique_ptr<Prometheus> ClientOf(FakePrometheus& fake, PrometheusConfig config = {}) {
  class Forwarder final : public kube::Transport {
   public:
    explicit Forwarder(kube::Transport& to) : to_(to) {}
    absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
      return to_.Send(request, sink);
    }
    void Stop() override { to_.Stop(); }

   private:
    kube::Transport& to_;
  };
  config.url = "http://prometheus:9090";
  return std::make_unique<Prometheus>(std::make_unique<Forwarder>(fake), config);
}

}  // namespace berth::usage
