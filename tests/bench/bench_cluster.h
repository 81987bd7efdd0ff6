#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/snapshot.h"
#include "extender/decision.h"
#include "extender/extender.h"
#include "model/accelerator.h"
#include "model/time.h"
#include "policies/scheduling/engine.h"
#include "server/metrics.h"

namespace berth::extender {

/// When everything happens that a benchmark does.
inline constexpr model::Time kBenchTime{model::Duration{1'800'000'000}};

/// Wants to hear of every decision, and does nothing with it.
struct Listener final : DecisionObserver {
  bool Wants() override { return true; }
  void OnDecision(const Decision&) override {}
};

/// An extender over so many nodes with about the reference cluster's shares of accelerators, of
/// which every twentieth is broken, without HTTP. Not thread-safe.
struct BenchCluster {
  /// `shortlist`: how many nodes filter answers at most; 0: all that fit. `observers` hear of
  /// decisions, and outlive this.
  explicit BenchCluster(std::size_t nodes, std::int32_t shortlist = 0,
                        std::vector<DecisionObserver*> observers = {});

  /// What kube-scheduler posts for a pod that asks for so many GPUs, with the names of the first
  /// `names` nodes. Without UID it is another pod each time.
  std::string Body(std::size_t names, int gpus = 1, const std::string& uid = "") const;

  /// The route's reply to `body`.
  std::string Post(const std::string& path, const std::string& body);

  std::shared_ptr<const model::AcceleratorCatalog> catalog;
  cluster::Snapshot snapshot;
  server::Metrics metrics;
  std::shared_ptr<const policies::scheduling::SchedulingEngine> engine;
  Extender extender;
};

}  // namespace berth::extender
