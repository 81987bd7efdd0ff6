#pragma once

#include "extender/decision_broker.h"
#include "placement/capacity.h"
#include "placement/explanation.h"
#include "proto/berth/v1/placement.pb.h"

// The messages of proto/berth/v1/placement.proto and the values that they stand for. One file has
// both directions, so that server and clients agree.
namespace berth::placement {

/// Times that are kNoTime are absent from messages. Bytes of condition types that are not UTF-8 are
/// replaced, because proto3 does not allow them.
v1::ExplainResponse ToMessage(const Explanation& explanation);
Explanation FromMessage(const v1::ExplainResponse& message);

v1::CapacityResponse ToMessage(const Capacity& capacity);
Capacity FromMessage(const v1::CapacityResponse& message);

v1::WatchDecisionsResponse ToMessage(const extender::DecisionBroker::Delivery& delivery);

}  // namespace berth::placement
