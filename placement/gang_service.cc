#include "placement/gang_service.h"

#include <string>
#include <utility>

#include "placement/placement_messages.h"
#include "proto/berth/v1/gangs.grpc.pb.h"
#include "server/grpc_calls.h"

namespace berth::placement {

namespace {

class GangService final : public v1::Gangs::CallbackService {
 public:
  explicit GangService(GangServiceOptions options) : options_(std::move(options)) {}

  grpc::ServerUnaryReactor* ListGangs(grpc::CallbackServerContext* context,
                                      const v1::ListGangsRequest* request,
                                      v1::ListGangsResponse* response) override {
    return server::Answer(context, List(request->namespace_(), *response));
  }

  grpc::ServerWriteReactor<v1::WatchGangsResponse>* WatchGangs(
      grpc::CallbackServerContext* /*context*/, const v1::WatchGangsRequest* /*request*/) override {
    using Stream = server::WatchStream<planner::GangChange, v1::WatchGangsResponse>;
    const absl::Status status = options_.status();
    if (!status.ok()) return Stream::Refuse(status);
    return Stream::Start(options_.changes,
                         [](const Stream::Delivery& delivery) { return ToMessage(delivery); });
  }

 private:
  absl::Status List(const std::string& namespace_name, v1::ListGangsResponse& response) const {
    absl::Status status = options_.status();
    if (!status.ok()) return status;
    const auto known = options_.known();
    if (!known) return absl::UnavailableError("no gangs are planned yet; try again");
    response = ToMessage(*known, namespace_name);
    return absl::OkStatus();
  }

  const GangServiceOptions options_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeGangService(GangServiceOptions options) {
  return std::make_shared<GangService>(std::move(options));
}

}  // namespace berth::placement
