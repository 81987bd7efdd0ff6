#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/api_reply.h"
#include "tests/unit/controller/fake_api.h"

namespace berth::controller {

/// A FakeApi that several threads ask at a time, each by a connection of its own. Pods are listed
/// as `pods` has it, and watched until the connection is stopped. Thread-safe.
class SharedApi {
 public:
  /// "PATCH /api/v1/nodes/a": takes until the connection is stopped; set before any is made.
  std::string hangs;
  /// A PodList in protobuf; set before any connection is made.
  std::string pods;

  std::unique_ptr<kube::Transport> Connect() { return std::make_unique<Connection>(this); }

  /// Whether that comes to hold of the objects and requests. It ends after half a minute.
  bool Await(const std::function<bool(const FakeApi&)>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return condition(api_); });
  }

  bool AwaitRequest(const std::string& request) {
    return Await([&](const FakeApi& api) {
      return std::find(api.requests.begin(), api.requests.end(), request) != api.requests.end();
    });
  }

  void Put(const std::string& target, nlohmann::json object) {
    const std::lock_guard lock(mutex_);
    api_.Put(target, std::move(object));
  }

  /// Null where it does not exist.
  nlohmann::json Get(const std::string& target) {
    const std::lock_guard lock(mutex_);
    const auto found = api_.objects.find(target);
    return found == api_.objects.end() ? nlohmann::json() : found->second;
  }

  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return api_.requests;
  }

 private:
  class Connection final : public kube::Transport {
   public:
    explicit Connection(SharedApi* server) : server_(server) {}

    absl::Status Send(const kube::HttpRequest& request, kube::HttpSink& sink) override {
      std::unique_lock lock(server_->mutex_);
      if (stopped_) return absl::CancelledError("stopped");
      if (request.target.starts_with("/api/v1/pods?")) return SendPods(request.target, sink, lock);
      if (std::string(kube::NameOf(request.method)) + " " + request.target == server_->hangs) {
        server_->api_.requests.push_back(server_->hangs);
        return Hang(lock);
      }
      absl::Status status = server_->api_.Send(request, sink);
      server_->changed_.notify_all();
      return status;
    }

    void Stop() override {
      const std::lock_guard lock(server_->mutex_);
      stopped_ = true;
      server_->changed_.notify_all();
    }

   private:
    // Lists by watches are not supported, as before Kubernetes 1.34.
    absl::Status SendPods(std::string_view target, kube::HttpSink& sink,
                          std::unique_lock<std::mutex>& lock) {
      if (target.find("sendInitialEvents") != std::string_view::npos) {
        return sink.OnHead({.status = 400, .content_type = "text/plain"});
      }
      if (target.find("watch=true") != std::string_view::npos) return Hang(lock);
      server_->api_.requests.push_back("GET /api/v1/pods");
      server_->changed_.notify_all();
      absl::Status status = sink.OnHead({.status = 200, .content_type = kube::kProtobufType});
      if (status.ok()) status = sink.OnBody(server_->pods);
      return status;
    }

    absl::Status Hang(std::unique_lock<std::mutex>& lock) {
      server_->changed_.notify_all();
      server_->changed_.wait(lock, [this] { return stopped_; });
      return absl::CancelledError("stopped");
    }

    SharedApi* const server_;
    bool stopped_ = false;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  FakeApi api_;
};

}  // namespace berth::controller
