#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "kube/transport.h"

namespace berth::kube {

/// Gives one reply after the other, then an error, and keeps the requests.
class ScriptedTransport final : public Transport {
 public:
  struct Reply {
    int status = 200;
    std::string body;
    absl::Status error;  // instead of a reply
    std::string content_type = "application/json";
  };

  absl::Status Send(const HttpRequest& request, HttpSink& sink) override {
    requests.push_back(request);
    if (replies.empty()) return absl::UnavailableError("nobody is there");
    const Reply reply = std::move(replies.front());
    replies.pop_front();
    if (!reply.error.ok()) return reply.error;
    absl::Status status = sink.OnHead({.status = reply.status, .content_type = reply.content_type});
    if (status.ok()) status = sink.OnBody(reply.body);
    return status;
  }
  void Stop() override {}

  std::deque<Reply> replies;
  std::vector<HttpRequest> requests;
};

}  // namespace berth::kube
