#pragma once

#include "extender/decision.h"
#include "server/broker.h"

namespace berth::extender {

/// Passes every decision to all who watch. ExtenderServer owns it, gives it to Placer as an
/// observer, and closes it at shutdown. Thread-safe.
class DecisionBroker final : public DecisionObserver, public server::Broker<Decision> {
 public:
  using Broker::Broker;

  bool Wants() override { return Broker::Wants(); }
  void OnDecision(const Decision& decision) override { Publish(decision); }
};

}  // namespace berth::extender
