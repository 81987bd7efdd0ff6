#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/nominated_pods.h"
#include "cluster/snapshot.h"
#include "extender/extender.h"
#include "placement/breaker_log.h"
#include "policies/scheduling/engine.h"
#include "server/metrics.h"
#include "tests/unit/policies/fixtures.h"

namespace berth::extender {

/// A real extender over a snapshot that the test fills.
struct ExtenderUnderTest {
  placement::BreakerLog breaker_log;
  cluster::Snapshot snapshot{
      {.catalog = policies::scheduling::Catalog(), .creator_annotation = "berth.dev/created-by"}};
  cluster::NominatedPods nominated{policies::scheduling::Catalog()};
  std::shared_ptr<server::Metrics> metrics = std::make_shared<server::Metrics>();
  std::shared_ptr<const policies::scheduling::SchedulingEngine> engine;
  std::shared_ptr<Placer> placer;
  Extender extender;

  /// Lists `nodes` to the end, and no pods.
  explicit ExtenderUnderTest(std::vector<model::NodeState> nodes,
                             const policies::scheduling::SchedulingConfig& config = {},
                             policies::scheduling::ShortlistConfig shortlist = {})
      : engine(std::make_shared<const policies::scheduling::SchedulingEngine>(
            policies::scheduling::Catalog(), "berth.dev", config)),
        placer(std::make_shared<Placer>(engine, snapshot, *metrics,
                                        std::vector<DecisionObserver*>(), std::move(shortlist),
                                        &nominated)),
        extender(placer, *metrics, {.now = [] { return policies::scheduling::kNow; }}) {
    snapshot.BeginReplace(cluster::Kind::kNodes);
    for (model::NodeState& node : nodes) snapshot.UpsertNode(std::move(node.node));
    snapshot.EndReplace(cluster::Kind::kNodes);
    snapshot.BeginReplace(cluster::Kind::kPods);
    snapshot.EndReplace(cluster::Kind::kPods);
  }

  /// The answer to POST `path` with `body`.
  server::HttpResponse Post(std::string_view path, std::string_view body) {
    for (const server::Route& route : extender.Routes()) {
      if (route.path == path) return route.handle({"POST", path, body});
    }
    return {.status = 404};
  }
};

inline model::NodeState WithCondition(model::NodeState state, std::string type,
                                      model::ConditionStatus status) {
  state.node.conditions.push_back({std::move(type), status,
                                   policies::scheduling::kNow - std::chrono::hours(3),
                                   policies::scheduling::kNow});
  return state;
}

/// ExtenderArgs for a pod that asks for one GPU, over these nodes.
inline std::string ArgsFor(std::string_view names_json, std::string_view annotations = "{}") {
  return R"({"Pod": {"metadata": {"annotations": )" + std::string(annotations) +
         R"(}, "spec": {"containers": [{"resources": {"requests": {"nvidia.com/gpu": "1"}}}]}},)" +
         R"("NodeNames": )" + std::string(names_json) + "}";
}

}  // namespace berth::extender
