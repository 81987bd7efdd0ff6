#pragma once

#include <absl/status/status.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "server/broker.h"

// How calls of gRPC's callback API are answered. No call holds a thread of its own. Include it only
// where a service is defined: gRPC's headers take the compiler seconds.

namespace berth::server {

/// Returns the status for a client; messages begin with "berth: ".
inline grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // Both libraries number the codes alike.
  return {static_cast<grpc::StatusCode>(status.raw_code()),
          "berth: " + std::string(status.message())};
}

/// Ends a call with one answer, which has been written if `status` is OK.
inline grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                        const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

/// One client that watches the items of a broker. `busy_` is the turn: whoever sets it may write or
/// finish, and clears it afterwards. So two threads never write at once, and no lock is held during
/// calls to gRPC. The object lives until OnDone, and while somebody wakes it.
template <typename Item, typename Response>
class WatchStream final : public grpc::ServerWriteReactor<Response> {
 public:
  using Delivery = typename Broker<Item>::Delivery;
  using ToResponse = std::function<Response(const Delivery&)>;

  /// Sends every item from now on, until the client leaves or the broker ends the watch.
  static WatchStream* Start(Broker<Item>& broker, ToResponse to_response) {
    const auto stream = Make(std::move(to_response));
    auto watcher = broker.Watch([weak = std::weak_ptr(stream)] {
      if (const auto woken = weak.lock()) woken->Proceed();
    });
    if (watcher.ok()) {
      stream->Begin(*std::move(watcher));
    } else {
      stream->End(watcher.status());
    }
    return stream.get();
  }

  /// Turns the client away.
  static WatchStream* Refuse(const absl::Status& why) {
    const auto stream = Make({});
    stream->End(why);
    return stream.get();
  }

  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      busy_ = false;
      cancelled_ = cancelled_ || !ok;
    }
    Proceed();
  }

  void OnCancel() override {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
    }
    Proceed();
  }

  void OnDone() override { const auto last = std::move(self_); }

 private:
  explicit WatchStream(ToResponse to_response) : to_response_(std::move(to_response)) {}

  static std::shared_ptr<WatchStream> Make(ToResponse to_response) {
    const std::shared_ptr<WatchStream> stream(new WatchStream(std::move(to_response)));
    stream->self_ = stream;
    return stream;
  }

  void Begin(std::shared_ptr<typename Broker<Item>::Watcher> watcher) {
    // Tells the client that it gets every item from now on.
    this->StartSendInitialMetadata();
    {
      const std::lock_guard lock(mutex_);
      watcher_ = std::move(watcher);
    }
    Proceed();
  }

  void End(const absl::Status& why) {
    {
      const std::lock_guard lock(mutex_);
      busy_ = true;
    }
    this->Finish(ToGrpc(why));
  }

  // Sends the next item or the end, unless a write is under way.
  void Proceed() {
    std::unique_lock lock(mutex_);
    if (busy_ || watcher_ == nullptr) return;
    const absl::Status end = cancelled_ ? absl::CancelledError() : watcher_->End();
    auto delivery = cancelled_ ? std::nullopt : watcher_->Take();
    if (!delivery && end.ok()) return;
    busy_ = true;
    lock.unlock();
    if (delivery) {
      response_ = to_response_(*delivery);
      this->StartWrite(&response_);
    } else {
      this->Finish(ToGrpc(end));
    }
  }

  const ToResponse to_response_;
  std::mutex mutex_;
  std::shared_ptr<typename Broker<Item>::Watcher> watcher_;
  // A write is under way, or the stream has finished.
  bool busy_ = false;
  bool cancelled_ = false;
  // Belongs to whoever has the turn.
  Response response_;
  std::shared_ptr<WatchStream> self_;
};

}  // namespace berth::server
