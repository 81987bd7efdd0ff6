#include "placement/placement_service.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kube/json.h"
#include "kube/json_sizes.h"
#include "placement/capacity.h"
#include "placement/explanation.h"
#include "placement/explanation_hints.h"
#include "placement/placement_messages.h"
#include "proto/berth/v1/placement.grpc.pb.h"
#include "usage/holdings.h"

namespace berth::placement {

namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  // Both libraries number the codes alike.
  return {static_cast<grpc::StatusCode>(status.raw_code()),
          "berth: " + std::string(status.message())};
}

// One client that watches decisions. `busy_` is the turn: whoever sets it may write or finish, and
// clears it afterwards. So two threads never write at once, and no lock is held during calls to
// gRPC. The object lives until OnDone, and while somebody wakes it.
class DecisionStream final : public grpc::ServerWriteReactor<v1::WatchDecisionsResponse> {
 public:
  static DecisionStream* Start(extender::DecisionBroker& broker) {
    const std::shared_ptr<DecisionStream> stream(new DecisionStream());
    stream->self_ = stream;
    auto watcher = broker.Watch([weak = std::weak_ptr(stream)] {
      if (const auto woken = weak.lock()) woken->Proceed();
    });
    if (watcher.ok()) {
      stream->Begin(*std::move(watcher));
    } else {
      stream->End(ToGrpc(watcher.status()));
    }
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
  DecisionStream() = default;

  void Begin(std::shared_ptr<extender::DecisionBroker::Watcher> watcher) {
    // Tells the client that it gets every decision from now on.
    StartSendInitialMetadata();
    {
      const std::lock_guard lock(mutex_);
      watcher_ = std::move(watcher);
    }
    Proceed();
  }

  void End(const grpc::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      busy_ = true;
    }
    Finish(status);
  }

  // Sends the next decision or the end, unless a write is under way.
  void Proceed() {
    std::unique_lock lock(mutex_);
    if (busy_ || watcher_ == nullptr) return;
    const bool closed = watcher_->Closed();
    auto delivery = cancelled_ ? std::nullopt : watcher_->Take();
    if (!delivery && !cancelled_ && !closed) return;
    busy_ = true;
    lock.unlock();
    if (delivery) {
      message_ = ToMessage(*delivery);
      StartWrite(&message_);
    } else {
      Finish(cancelled_
                 ? grpc::Status::CANCELLED
                 : ToGrpc(absl::UnavailableError("the server is shutting down; watch again")));
    }
  }

  std::mutex mutex_;
  std::shared_ptr<extender::DecisionBroker::Watcher> watcher_;
  // A write is under way, or the stream has finished.
  bool busy_ = false;
  bool cancelled_ = false;
  // Belongs to whoever has the turn.
  v1::WatchDecisionsResponse message_;
  std::shared_ptr<DecisionStream> self_;
};

class PlacementService final : public v1::Placement::CallbackService {
 public:
  explicit PlacementService(PlacementOptions options) : options_(std::move(options)) {}

  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const v1::ExplainRequest* request,
                                    v1::ExplainResponse* response) override {
    return Finish(context, Explain(request->pod(), *response));
  }

  grpc::ServerUnaryReactor* Capacity(grpc::CallbackServerContext* context,
                                     const v1::CapacityRequest* /*request*/,
                                     v1::CapacityResponse* response) override {
    return Finish(context, Count(*response));
  }

  grpc::ServerUnaryReactor* Holdings(grpc::CallbackServerContext* context,
                                     const v1::HoldingsRequest* request,
                                     v1::HoldingsResponse* response) override {
    return Finish(context, List(request->namespace_(), *response));
  }

  grpc::ServerWriteReactor<v1::WatchDecisionsResponse>* WatchDecisions(
      grpc::CallbackServerContext* /*context*/,
      const v1::WatchDecisionsRequest* /*request*/) override {
    return DecisionStream::Start(options_.decisions);
  }

 private:
  static grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                          const absl::Status& status) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(status.ok() ? grpc::Status::OK : ToGrpc(status));
    return reactor;
  }

  // The present placer. Unavailable until its snapshot has nodes and pods.
  absl::StatusOr<std::shared_ptr<const extender::Placer>> Current() const {
    std::shared_ptr<const extender::Placer> placer = options_.placer();
    if (placer->snapshot().Synced()) return placer;
    return absl::UnavailableError("the cluster's nodes and pods are not listed yet; try again");
  }

  absl::Status Explain(const std::string& json, v1::ExplainResponse& response) const {
    const auto placer = Current();
    if (!placer.ok()) return placer.status();
    kube::JsonParser parser(kube::kMaxValues);
    const auto root = parser.Parse(json);
    if (!root.ok()) return root.status();
    const auto pod = kube::PodFromJson(*root, "pod");
    if (!pod.ok()) return pod.status();
    // Explain() has released the snapshot when it returns, so writing the message does not hold it.
    Explanation explanation = placement::Explain(*pod, (*placer)->snapshot(), (*placer)->engine(),
                                                 (*placer)->shortlist(), options_.now());
    AddPlanHints(*pod, options_.planner(), (*placer)->engine().prefix(), explanation);
    response = ToMessage(explanation);
    return absl::OkStatus();
  }

  absl::Status Count(v1::CapacityResponse& response) const {
    const auto placer = Current();
    if (!placer.ok()) return placer.status();
    response =
        ToMessage(CountCapacity((*placer)->snapshot().Read(), (*placer)->engine(), options_.now()));
    return absl::OkStatus();
  }

  absl::Status List(const std::string& namespace_name, v1::HoldingsResponse& response) const {
    const auto placer = Current();
    if (!placer.ok()) return placer.status();
    std::vector<usage::Holding> holdings;
    std::vector<std::string> hints;
    {
      const cluster::Snapshot::Reader view = (*placer)->snapshot().Read();
      holdings = usage::HoldingsOf(view, (*placer)->snapshot().catalog(), namespace_name);
      hints = QuarantineHints(view);
    }
    response = ToMessage(holdings, options_.now(), hints);
    return absl::OkStatus();
  }

  const PlacementOptions options_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakePlacementService(PlacementOptions options) {
  return std::make_shared<PlacementService>(std::move(options));
}

}  // namespace berth::placement
