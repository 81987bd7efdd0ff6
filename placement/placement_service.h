#pragma once

#include <functional>
#include <memory>

#include "extender/decision_broker.h"
#include "extender/placer.h"
#include "model/time.h"

namespace grpc {
class Service;
}

namespace berth::placement {

/// What the service answers from; all of it must outlive the service.
struct PlacementOptions {
  /// What kube-scheduler is answered by now; never null.
  std::function<std::shared_ptr<const extender::Placer>()> placer;
  extender::DecisionBroker& decisions;
  /// The time by which conditions are judged.
  std::function<model::Time()> now;
};

/// Its full name, as health checks ask for it.
inline constexpr char kPlacementService[] = "berth.v1.Placement";

/// The service of proto/berth/v1/placement.proto, for server::GrpcListener. Needs no thread of its
/// own, however many clients watch. Errors begin with "berth: ".
std::shared_ptr<grpc::Service> MakePlacementService(PlacementOptions options);

}  // namespace berth::placement
