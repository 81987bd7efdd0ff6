#pragma once

#include <string>
#include <vector>

#include "extender/decision_broker.h"
#include "placement/capacity.h"
#include "placement/explanation.h"
#include "planner/gang_change.h"
#include "planner/gangs.h"
#include "proto/berth/v1/gangs.pb.h"
#include "proto/berth/v1/placement.pb.h"
#include "server/broker.h"
#include "usage/holdings.h"

// Makes the messages of proto/berth/v1/ from the values that they stand for.
// Clients, such as `berth explain` and `berth capacity`, use the messages themselves.
namespace berth::placement {

/// Returns the time in a field of a message, or kNoTime if the field is absent.
model::Time TimeOf(const google::protobuf::Timestamp& time);

/// The answer to `berth explain`. Times that are kNoTime are absent from messages. Bytes of
/// condition types that are not ASCII are replaced by '?' if the type is not UTF-8, because proto3
/// does not allow such strings.
v1::ExplainResponse ToMessage(const Explanation& explanation);

/// The answer to `berth capacity`.
v1::CapacityResponse ToMessage(const Capacity& capacity);

/// What bound pods hold, for `berth who`. Names that are not UTF-8 become ASCII, as above. `hints`
/// are of QuarantineHints().
v1::HoldingsResponse ToMessage(const std::vector<usage::Holding>& holdings, model::Time time,
                               const std::vector<std::string>& hints);

/// The holdings in an answer.
std::vector<usage::Holding> HoldingsIn(const v1::HoldingsResponse& response);

/// One decision for a client that watches.
v1::WatchDecisionsResponse ToMessage(const extender::DecisionBroker::Delivery& delivery);

/// The gangs of a namespace; all if that is empty. Reasons that are not UTF-8 become ASCII, as
/// above.
v1::ListGangsResponse ToMessage(const std::vector<planner::GangOutlook>& gangs,
                                const std::string& namespace_name);

/// One change of a gang for a client that watches.
v1::WatchGangsResponse ToMessage(const server::Broker<planner::GangChange>::Delivery& delivery);

}  // namespace berth::placement
