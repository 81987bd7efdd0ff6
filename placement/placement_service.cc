#include "placement/placement_service.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
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
#include "server/grpc_calls.h"
#include "usage/holdings.h"

namespace berth::placement {

namespace {

class PlacementService final : public v1::Placement::CallbackService {
 public:
  explicit PlacementService(PlacementOptions options) : options_(std::move(options)) {}

  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const v1::ExplainRequest* request,
                                    v1::ExplainResponse* response) override {
    return server::Answer(context, Explain(request->pod(), *response));
  }

  grpc::ServerUnaryReactor* Capacity(grpc::CallbackServerContext* context,
                                     const v1::CapacityRequest* /*request*/,
                                     v1::CapacityResponse* response) override {
    return server::Answer(context, Count(*response));
  }

  grpc::ServerUnaryReactor* Holdings(grpc::CallbackServerContext* context,
                                     const v1::HoldingsRequest* request,
                                     v1::HoldingsResponse* response) override {
    return server::Answer(context, List(request->namespace_(), *response));
  }

  grpc::ServerWriteReactor<v1::WatchDecisionsResponse>* WatchDecisions(
      grpc::CallbackServerContext* /*context*/,
      const v1::WatchDecisionsRequest* /*request*/) override {
    using Stream = server::WatchStream<extender::Decision, v1::WatchDecisionsResponse>;
    return Stream::Start(options_.decisions,
                         [](const Stream::Delivery& delivery) { return ToMessage(delivery); });
  }

 private:
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
    // ExplainResponse promises that nothing is filled in for pods that Berth has no say in.
    if (!explanation.requests.empty()) {
      AddGateHints(*pod, (*placer)->engine().prefix(), explanation);
    }
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
