#pragma once

#include "extender/decision_broker.h"
#include "placement/capacity.h"
#include "placement/explanation.h"
#include "proto/berth/v1/placement.pb.h"

// The messages of proto/berth/v1/placement.proto and the values that they stand for. One file has
// both directions, so that server and clients agree.
namespace berth::placement {

/// The two directions of `berth explain`. Times that are kNoTime are absent from messages. Bytes of
/// condition types that are not ASCII are replaced by '?' if the type is not UTF-8, because proto3
/// does not allow such strings.
v1::ExplainResponse ToMessage(const Explanation& explanation);
Explanation FromMessage(const v1::ExplainResponse& message);

/// The two directions of `berth capacity`.
v1::CapacityResponse ToMessage(const Capacity& capacity);
Capacity FromMessage(const v1::CapacityResponse& message);

/// One decision for a client that watches.
v1::WatchDecisionsResponse ToMessage(const extender::DecisionBroker::Delivery& delivery);

}  // namespace berth::placement
