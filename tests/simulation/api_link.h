#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "kube/transport.h"
#include "tests/integration/fake_request.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/timeline.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/weather.h"

namespace berth::simulation {

/// Where a simulated process lives. Everything must outlive it.
struct Surroundings {
  Timeline* timeline;
  ApiServer* server;
  Weather* weather;
  Trace* trace;
};

/// One client's way to the API server, through the weather: the seam kube::Transport, for what runs
/// in a task. It speaks as a real one: lists in pages of one revision, watches with bookmarks, in
/// protobuf;
/// and takes what the controller writes, of which the reply may get lost.
class ApiLink final : public kube::Transport {
 public:
  /// Everything must outlive it. `name` tells whose it is. `patience`: how long the client waits
  /// for a reply to begin.
  ApiLink(std::string name, Time patience, const Surroundings& surroundings, Task* task);
  ~ApiLink() override;

  absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override;
  void Stop() override;

 private:
  // The reply to one watch.
  template <typename T>
  class Stream;

  absl::Status Answer(const tests::FakeHttpRequest& request, Time silence, kube::HttpSink& sink);
  template <typename T>
  absl::Status AnswerList(const tests::FakeHttpRequest& request, bool (*selects)(const T&),
                          kube::HttpSink& sink);
  template <typename T>
  absl::Status AnswerAny(const tests::FakeHttpRequest& request, Time silence,
                         bool (*selects)(const T&), kube::HttpSink& sink);
  absl::Status AnswerWrite(const tests::FakeHttpRequest& request, kube::HttpSink& sink);
  absl::Status Refuse(int code, const std::string& reason, int retry_after, kube::HttpSink& sink);
  absl::Status Deliver(std::string_view bytes, kube::HttpSink& sink);
  absl::Status BeSilent(Time duration);
  // Sleeps; not OK where the exchange has ended meanwhile.
  absl::Status SleepUntil(Time time);
  absl::Status Ended() const;

  const std::string name_;
  const Time patience_;
  Timeline* const timeline_;
  Task* const task_;
  ApiServer* const server_;
  Weather* const weather_;
  Trace* const trace_;
  const std::function<void()> on_change_;
  bool stopped_ = false;
  bool watches_ = false;
  // Of the present exchange.
  kube::HttpMethod method_ = kube::HttpMethod::kGet;
  int life_ = 0;
  Fate fate_;
};

}  // namespace berth::simulation
