#pragma once

#include <functional>
#include <memory>

#include "extender/decision_broker.h"
#include "extender/placer.h"
#include "model/time.h"
#include "planner/config.h"

namespace grpc {
class Service;
}

namespace berth::placement {

/// What the service answers from. Everything must outlive the service. gRPC's threads call the
/// functions, several at a time, so they must be thread-safe.
struct PlacementOptions {
  /// Returns the placer that answers kube-scheduler at present; never null.
  std::function<std::shared_ptr<const extender::Placer>()> placer;
  /// Where clients that watch get their decisions from.
  extender::DecisionBroker& decisions;
  /// Returns the time by which conditions are judged.
  std::function<model::Time()> now;
  /// Returns which pods the controller plans for.
  std::function<planner::PlannerConfig()> planner = [] { return planner::PlannerConfig(); };
};

/// Full name of the service, as health checks ask for it.
inline constexpr char kPlacementService[] = "berth.v1.Placement";

/// Makes the service of proto/berth/v1/placement.proto, for server::GrpcListener. It answers from
/// memory and never asks the API server. It needs no thread of its own, however many clients watch:
/// gRPC's threads run the calls, and decisions are written when they arrive.
///
/// Error messages begin with "berth: ". Codes:
///   UNAVAILABLE          nodes and pods are not listed yet, or the server is shutting down
///   INVALID_ARGUMENT     the manifest cannot be read
///   RESOURCE_EXHAUSTED   one watcher too many
std::shared_ptr<grpc::Service> MakePlacementService(PlacementOptions options);

}  // namespace berth::placement
