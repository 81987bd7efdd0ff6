#pragma once

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "planner/gang_change.h"
#include "planner/gangs.h"
#include "server/broker.h"

namespace grpc {
class Service;
}

namespace berth::placement {

/// What the service of gangs answers from. Everything must outlive the service. gRPC's threads call
/// the functions, several at a time, so they must be thread-safe.
struct GangServiceOptions {
  /// Returns OK if gangs are planned here, and else the status with which every call ends.
  std::function<absl::Status()> status;
  /// Returns the gangs that the plan knows; nothing before the first round.
  std::function<std::optional<std::vector<planner::GangOutlook>>()> known;
  /// Where clients that watch get the changes from.
  server::Broker<planner::GangChange>& changes;
};

/// Full name of the service, as health checks ask for it.
inline constexpr char kGangService[] = "berth.v1.Gangs";

/// Makes the service of proto/berth/v1/gangs.proto, for server::GrpcListener. It answers from
/// memory and needs no thread of its own, as that of placement_service.h. Error messages begin with
/// "berth: ".
std::shared_ptr<grpc::Service> MakeGangService(GangServiceOptions options);

}  // namespace berth::placement
