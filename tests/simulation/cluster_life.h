#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model/node.h"
#include "model/pod.h"
#include "model/time.h"
#include "tests/simulation/api_server.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/trace.h"

namespace berth::simulation {

inline constexpr char kGpu[] = "nvidia.com/gpu";
inline constexpr char kNamespace[] = "ml";
inline constexpr char kAppLabel[] = "app";
inline constexpr char kProductLabel[] = "nvidia.com/gpu.product";
inline const std::array<std::string, 3> kApps = {"notebook", "train", "serve"};

/// What the controller's labels of the node have to say: its model, and the greatest minimum of
/// memory, in GiB, that its devices meet.
std::string AcceleratorOf(const model::Node& node);
std::int64_t MemoryOf(const model::Node& node);

/// What everybody else does to the cluster: nodes come, break, recover and go; pods are created,
/// bound, resized, end and are deleted; so are Services. Objects become odd, and may stay so. Not
/// thread-safe.
class ClusterLife {
 public:
  ClusterLife(ApiServer* server, const Timeline* timeline, Chance* chance, Trace* trace)
      : server_(server),
        timeline_(timeline),
        chance_(chance),
        trace_(trace),
        odd_share_(chance->Percent(40) ? 0 : chance->Between(1, 40)) {}

  /// The cluster to begin with.
  void Begin();

  /// One change.
  void Change();

  /// Binds a pod, if it waits and the node exists.
  void Bind(const std::string& pod, const std::string& node);

  /// kube-scheduler says why it has found no node, in its words.
  void Refuse(const std::string& pod, const std::string& why);

  /// A pod that waits, by key; "" where there is none.
  std::string WaitingPod();

  /// A condition that excludes a node becomes True on one of them, by name.
  std::string BreakOne();

  /// The time of policies and of what the API server keeps.
  model::Time Now() const;

 private:
  template <typename T>
  std::string Any() const;
  void CreateNode();
  void ChangeCondition();
  void Beat();
  void ResizeNode();
  void CreatePod();
  void ChangePod();
  void ChangeService();
  void MakeOdd();
  template <typename T>
  void MakeOdd();
  void SetCondition(model::Node& node, const std::string& type, model::ConditionStatus status);

  ApiServer* const server_;
  const Timeline* const timeline_;
  Chance* const chance_;
  Trace* const trace_;
  /// Of so many changes in a hundred an object becomes odd.
  const int odd_share_;
  int created_ = 0;
};

}  // namespace berth::simulation
